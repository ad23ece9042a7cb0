//! What happened, told from `audit --json` alone: each question of an administrator is a function over its rows, which
//! knows nothing else.

mod deeds;
mod questions;
mod refusals;

use serde_json::{Value, json};

use super::Place;
use crate::support::process::{Process, run, set_up};
use crate::support::{Person, Sent};

/// The members of a row that CONTRACT 7 names, and the link of the chain.
const MEMBERS: [&str; 18] = [
    "actor_id",
    "audit_id",
    "authority",
    "code",
    "command_id",
    "entity_id",
    "entity_type",
    "hash",
    "idempotency_key",
    "issued_under",
    "next_revision",
    "occurred_at",
    "operation",
    "previous_revision",
    "request_id",
    "result",
    "session_version",
    "tenant_id",
];

/// The rows of `acme`, oldest first.
struct Told(Vec<Value>);

impl Told {
    fn by(place: &Place) -> Self {
        let output = run(place, &["audit", "--tenant", "acme", "--json"], "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        for row in &rows {
            let mut members: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
            members.sort_unstable();
            assert_eq!(members, MEMBERS);
        }
        Self(rows)
    }

    fn attempts(&self, sent: &Sent) -> Vec<&Value> {
        self.0.iter().filter(|row| row["command_id"] == sent.id().as_str()).collect()
    }

    fn times_sent(&self, sent: &Sent) -> usize {
        self.attempts(sent).len()
    }

    fn times_applied(&self, sent: &Sent) -> usize {
        self.attempts(sent).iter().filter(|row| row["result"] == "committed").count()
    }

    fn was_a_stored_answer_returned(&self, sent: &Sent) -> bool {
        self.attempts(sent).iter().any(|row| row["result"] == "duplicate_returned")
    }

    /// What was done to the rights of whoever sent it, after its first attempt and before its last.
    fn rights_changed_between(&self, sent: &Sent) -> Vec<(&str, Option<&str>)> {
        let of_rights = ["user.set-role", "user.disable", "user.enable"];
        let is_one = |row: &&Value| of_rights.contains(&row["operation"].as_str().unwrap());
        let actor = &self.attempts(sent)[0]["actor_id"];
        let changes = self.between(sent).iter().filter(is_one).filter(|row| row["entity_id"] == *actor);
        changes.map(|row| (row["operation"].as_str().unwrap(), row["code"].as_str())).collect()
    }

    /// Whether it came again after whoever sent it had signed out: with the token of then, or having signed in again.
    fn was_replayed_after_sign_out(&self, sent: &Sent) -> bool {
        let attempts = self.attempts(sent);
        let ends = ["session.end", "user.revoke", "user.disable", "user.set-password"];
        let is_end = |row: &&Value| ends.contains(&row["operation"].as_str().unwrap());
        let is_theirs = |row: &Value| [&row["actor_id"], &row["entity_id"]].contains(&&attempts[0]["actor_id"]);
        attempts.iter().any(|row| row["code"] == "session-revoked")
            || self.between(sent).iter().filter(is_end).any(is_theirs)
    }

    /// Everything from its first attempt to its last.
    fn between(&self, sent: &Sent) -> &[Value] {
        let place = |row: &Value| self.0.iter().position(|known| known["audit_id"] == row["audit_id"]).unwrap();
        let attempts = self.attempts(sent);
        &self.0[place(attempts[0])..=place(attempts[attempts.len() - 1])]
    }

    /// Result and code of each attempt.
    fn results(&self, sent: &Sent) -> Vec<(&str, Option<&str>)> {
        self.attempts(sent).into_iter().map(result).collect()
    }

    /// The only row of this operation, which was done without a command.
    fn deed(&self, operation: &str) -> &Value {
        let rows: Vec<&Value> = self.0.iter().filter(|row| row["operation"] == operation).collect();
        let [row] = rows[..] else { panic!("{operation}: {rows:?}") };
        assert_eq!((&row["result"], &row["idempotency_key"]), (&json!("committed"), &json!("")));
        row
    }
}

fn result(row: &Value) -> (&str, Option<&str>) {
    (row["result"].as_str().unwrap(), row["code"].as_str())
}

const COMMITTED: (&str, Option<&str>) = ("committed", None);
const RETURNED: (&str, Option<&str>) = ("duplicate_returned", None);

fn rejected(code: &str) -> (&str, Option<&str>) {
    ("rejected", Some(code))
}

/// A server of its own process with one supervisor, who has signed in.
async fn started() -> (Place, Process, Person) {
    let place = Place::new();
    set_up(&place);
    let server = Process::start(&place);
    let ana = server.sign_in().await;
    (place, server, ana)
}

fn administer(place: &Place, arguments: &[&str], input: &str) -> String {
    let output = run(place, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn change_ana(place: &Place, change: &[&str], input: &str) {
    let whom = ["--tenant", "acme", "--username", "ana"];
    administer(place, &[&["user"], change, &whom[..]].concat(), input);
}

fn assert_whole(place: &Place) {
    administer(place, &["check"], "");
}
