//! What happened, told from `audit --json` alone: each question of an administrator is a function over its rows, which
//! knows nothing else.

use domain::Role;
use serde_json::{Value, json};

use super::{Place, Server};
use crate::support::http::send;
use crate::support::process::{Process, run, set_up};
use crate::support::sink::SECRET;
use crate::support::server::PASSWORD;
use crate::support::{Person, Sent, a_case, command, id};

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

#[tokio::test]
async fn it_tells_what_was_sent_twice_and_applied_once() {
    let (place, _server, ana) = started().await;
    let (twice, once) = (a_case("twice"), a_case("once"));
    for sent in [&twice, &once, &twice, &twice] {
        assert_eq!(ana.send(sent).await.status, 201);
    }
    let told = Told::by(&place);
    assert_eq!((told.times_sent(&twice), told.times_applied(&twice)), (3, 1));
    assert_eq!((told.times_sent(&once), told.times_applied(&once)), (1, 1));
    assert!(told.was_a_stored_answer_returned(&twice) && !told.was_a_stored_answer_returned(&once));
    assert_eq!(told.results(&twice), [COMMITTED, RETURNED, RETURNED]);
    assert!(told.rights_changed_between(&twice).is_empty() && !told.was_replayed_after_sign_out(&twice));
    for row in told.attempts(&twice) {
        assert_eq!((&row["actor_id"], &row["next_revision"]), (&json!(ana.actor_id()), &json!(1)));
        assert_eq!((&row["entity_type"], &row["entity_id"]), (&json!("case"), &json!(twice.target())));
        assert_eq!((&row["idempotency_key"], &row["session_version"]), (&json!(twice.key), &json!(1)));
    }
    assert_whole(&place);
}

/// The answer is lost with the server, and the client asks the next one: sent twice, applied once.
#[cfg(feature = "failpoints")]
#[tokio::test]
async fn it_tells_that_a_lost_answer_was_an_effect() {
    for (boundary, results) in [
        ("after-commit-before-reply", &[COMMITTED, RETURNED][..]),
        // What was never committed left no trace.
        ("before-commit", &[COMMITTED][..]),
    ] {
        let place = Place::new();
        set_up(&place);
        let server = Process::try_start(&place, &[("ONCEOVER_FAILPOINT", boundary)]).unwrap();
        let sent = a_case(boundary);
        assert!(server.sign_in().await.try_send(&sent).await.is_none());
        server.kill();
        let server = Process::start(&place);
        assert_eq!(server.sign_in().await.send(&sent).await.status, 201);
        let told = Told::by(&place);
        assert_eq!((told.results(&sent), told.times_applied(&sent)), (results.to_vec(), 1), "{boundary}");
        assert_whole(&place);
    }
}

#[tokio::test]
async fn it_tells_that_rights_changed_between_attempts() {
    let (place, _server, ana) = started().await;
    let create = a_case("t");
    let edit = command("case.edit", &create.target(), json!({"changes":{"title":{"from":"t","to":"u"}}}));
    let (tag, close) = (command("tag.add", &create.target(), json!({ "tag": "x" })), a_case("later"));
    for sent in [&create, &edit, &tag, &tag] {
        assert!(ana.send(sent).await.status < 300);
    }
    change_ana(&place, &["set-role", "--role", "viewer"], "");
    ana.send(&close).await.assert_problem(403, "forbidden");
    ana.send(&edit).await.assert_problem(403, "replay-forbidden");
    change_ana(&place, &["set-role", "--role", "officer"], "");
    assert_eq!(ana.send(&close).await.status, 201);
    assert_eq!(ana.send(&edit).await.status, 200);
    let told = Told::by(&place);
    let (down, up) = (("user.set-role", Some("viewer")), ("user.set-role", Some("officer")));
    assert_eq!(told.rights_changed_between(&edit), [down, up]);
    assert_eq!(told.rights_changed_between(&close), [up]);
    assert_eq!(told.rights_changed_between(&tag), []);
    assert_eq!(told.results(&edit), [COMMITTED, rejected("replay-forbidden"), RETURNED]);
    assert_eq!(told.results(&close), [rejected("forbidden"), COMMITTED]);
    assert!(!told.was_replayed_after_sign_out(&edit), "a role ends no session");
    assert_whole(&place);
}

/// With the token of the session that was ended, and with a new one: also what could not be read, and each of a batch.
#[tokio::test]
async fn it_tells_that_something_was_replayed_after_sign_out() {
    let (place, server, ana) = started().await;
    let (sent, other, never) = (a_case("a"), a_case("b"), a_case("c"));
    for sent in [&sent, &other] {
        assert_eq!(ana.send(sent).await.status, 201);
    }
    assert_eq!(ana.request("DELETE", "/v1/sessions/current", &[], b"").await.status, 204);
    ana.send(&sent).await.assert_problem(401, "session-revoked");
    ana.batch(&[&sent, &never]).await.assert_problem(401, "session-revoked");
    ana.post("/v1/commands", &never.body).await.assert_problem(401, "session-revoked");
    assert_eq!(server.sign_in().await.send(&sent).await.status, 201);
    let told = Told::by(&place);
    assert!(told.was_replayed_after_sign_out(&sent) && !told.was_replayed_after_sign_out(&other));
    let refused = rejected("session-revoked");
    assert_eq!(told.results(&sent), [COMMITTED, refused, refused, RETURNED]);
    assert_eq!((told.results(&never), told.times_applied(&never)), (vec![refused, refused], 0));
    let keys: Vec<_> = told.attempts(&never).iter().map(|row| row["idempotency_key"].clone()).collect();
    assert_eq!(keys, [json!(never.key), json!("")], "as it was sent, and without one");
    let end = told.deed("session.end");
    assert_eq!((&end["actor_id"], &end["entity_type"]), (&json!(ana.actor_id()), &json!("session")));
    assert_eq!((&end["entity_id"], &end["code"]), (&ana.session["session_id"], &Value::Null));
    assert_whole(&place);
}

/// A session that was ended by somebody else: revoked, by a new password, by a refresh token that came twice.
#[tokio::test]
async fn it_tells_who_ended_a_session_and_what_came_after() {
    let (place, server, ana) = started().await;
    let sent = a_case("a");
    assert_eq!(ana.send(&sent).await.status, 201);
    change_ana(&place, &["revoke"], "");
    ana.send(&sent).await.assert_problem(401, "session-revoked");
    let ana = server.sign_in().await;
    change_ana(&place, &["set-password", "--password-stdin"], PASSWORD);
    ana.send(&sent).await.assert_problem(401, "session-revoked");
    let ana = server.sign_in().await;
    let body = json!({ "refresh_token": ana.refresh_token, "device_id": "another" }).to_string();
    let stolen = send(&server.address, "POST", "/v1/sessions/refresh", &[], body.as_bytes()).await.unwrap();
    stolen.assert_problem(401, "session-revoked");
    let told = Told::by(&place);
    let refused = rejected("session-revoked");
    assert_eq!(told.results(&sent), [COMMITTED, refused, refused]);
    assert!(told.was_replayed_after_sign_out(&sent));
    for operation in ["user.revoke", "user.set-password"] {
        let deed = told.deed(operation);
        assert_eq!((&deed["actor_id"], &deed["entity_id"]), (&json!("administrator"), &json!(ana.actor_id())));
    }
    assert_eq!(told.deed("session.end")["code"], "session-revoked", "nobody signed out there");
    assert_whole(&place);
}

/// Everything that is refused without being decided leaves its row, with what it said it was.
#[tokio::test]
async fn it_tells_what_was_refused_before_it_was_decided() {
    let (place, _server, ana) = started().await;
    let create = a_case("a");
    assert_eq!(ana.send(&create).await.status, 201);
    let tag = command("tag.add", &create.target(), json!({ "tag": "x" }));
    ana.post("/v1/commands", &tag.body).await.assert_problem(400, "idempotency-key-missing");
    let misfit = Sent { key: create.key.clone(), ..tag.clone() };
    ana.send(&misfit).await.assert_problem(400, "idempotency-key-invalid");
    let mut mangled = tag.clone();
    mangled.body["payload"] = json!({ "tag": "y" });
    ana.send(&mangled).await.assert_problem(400, "payload-hash-mismatch");
    mangled.body["extra"] = json!(1);
    ana.send(&mangled).await.assert_problem(400, "malformed-request");
    assert_eq!(ana.send(&tag).await.status, 200);
    let other_payload = tag.clone().with("payload", json!({ "tag": "y" }));
    ana.send(&other_payload).await.assert_problem(422, "idempotency-key-reused");
    let told = Told::by(&place);
    let codes = ["idempotency-key-missing", "idempotency-key-invalid", "payload-hash-mismatch", "malformed-request"];
    let mut results: Vec<_> = codes.into_iter().map(rejected).collect();
    results.extend([COMMITTED, rejected("idempotency-key-reused")]);
    assert_eq!((told.results(&tag), told.times_applied(&tag)), (results, 1));
    let keys: Vec<_> = told.attempts(&tag).iter().take(3).map(|row| row["idempotency_key"].clone()).collect();
    assert_eq!(keys, [json!(""), json!(create.key), json!(tag.key)], "as it was sent");
    for row in told.attempts(&tag) {
        assert_eq!((&row["operation"], &row["entity_id"]), (&json!("tag.add"), &json!(create.target())));
        assert!(!row["request_id"].as_str().unwrap().is_empty());
    }
    assert_whole(&place);
}

/// A second delivery while the first still runs: it is in the audit once whoever holds the database lets go of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_tells_that_a_delivery_came_while_another_ran() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let held = server.place.hold("acme").await;
    let (running, asked) = (ana.clone(), create.clone());
    let first = tokio::spawn(async move { running.send(&asked).await });
    let path = format!("/v1/operations/{}?key={}", create.id(), create.key);
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while ana.get(&path).await.json()["state"] != "processing" {
        assert!(tokio::time::Instant::now() < deadline);
    }
    let second = ana.send(&create).await.status;
    drop(held);
    let first = first.await.unwrap().status;
    let expected = usize::from(first == 201) + usize::from(second == 409);
    let rows = loop {
        let rows = server.audit_of("acme", &create.id()).await;
        if rows.len() >= expected {
            break rows;
        }
        assert!(tokio::time::Instant::now() < deadline, "{rows:?}");
        tokio::task::yield_now().await;
    };
    let busy: Vec<_> = rows.iter().filter(|row| row.code.as_deref() == Some("operation-in-progress")).collect();
    // Unless the first has given up waiting meanwhile, which is in no audit: the database took nothing.
    assert_eq!(busy.len(), usize::from(second == 409), "{rows:?}");
    assert!(busy.iter().all(|row| row.result == "rejected" && row.idempotency_key == create.key));
    server.assert_whole().await;
}

/// A token that has expired is still one of ours for a day, and tells whose attempt it was.
#[tokio::test]
async fn it_tells_what_came_with_a_token_that_had_expired() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sent = a_case("t");
    server.turn_clock(std::time::Duration::from_mins(11));
    ana.send(&sent).await.assert_problem(401, "token-expired");
    ana.batch(&[&sent]).await.assert_problem(401, "token-expired");
    let strange = Person { token: format!("{}x", ana.token), ..ana.clone() };
    strange.send(&sent).await.assert_problem(401, "unauthenticated");
    server.turn_clock(std::time::Duration::from_hours(25));
    ana.send(&sent).await.assert_problem(401, "token-expired");
    let rows = server.audit_of("acme", &sent.id()).await;
    let told: Vec<_> = rows.iter().map(|row| (row.actor_id.as_str(), row.code.as_deref())).collect();
    assert_eq!(told, [(ana.actor_id().as_str(), Some("token-expired")); 2]);
    server.assert_whole().await;
}

/// No client that is signed out fills the disk: so much of one session is kept as it may have had in its queue.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_comes_after_sign_out_is_kept_up_to_a_measure() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    server.turn_clock(std::time::Duration::from_mins(11));
    let sent = a_case("t");
    for _ in 0..3 {
        ana.batch(&[&sent; 100]).await.assert_problem(401, "token-expired");
    }
    let kept = server.audit_of("acme", &sent.id()).await.len();
    assert!((100..=210).contains(&kept), "{kept}");
}

#[tokio::test]
async fn it_tells_who_sealed_what_and_that_it_never_took_effect() {
    let (place, server, ana) = started().await;
    let (sealed, done) = (a_case("never"), a_case("done"));
    assert_eq!(ana.send(&done).await.status, 201);
    for sent in [&sealed, &sealed, &done] {
        let path = format!("/v1/operations/{}/seal?key={}", sent.id(), sent.key);
        assert_eq!(ana.post(&path, &json!({})).await.status, 200);
    }
    server.sign_in().await.send(&sealed).await.assert_problem(410, "operation-sealed");
    let told = Told::by(&place);
    let returned = ("duplicate_returned", Some("operation-sealed"));
    assert_eq!((told.results(&sealed), told.times_applied(&sealed)), (vec![rejected("operation-sealed"), returned], 0));
    assert_eq!(told.results(&done), [COMMITTED], "a seal on what is committed changes nothing");
    let seal = told.attempts(&sealed)[0];
    assert_eq!((&seal["actor_id"], &seal["idempotency_key"]), (&json!(ana.actor_id()), &json!(sealed.key)));
    assert_eq!((&seal["operation"], &seal["entity_id"]), (&json!("case.create"), &json!(sealed.target())));
    assert_whole(&place);
}

#[tokio::test]
async fn it_tells_what_an_administrator_did_to_people() {
    let place = Place::new();
    set_up(&place);
    for (change, input) in [
        (&["set-role", "--role", "officer"][..], ""),
        (&["set-role", "--role", "officer"], ""),
        (&["revoke"], ""),
        (&["disable"], ""),
        (&["enable"], ""),
        (&["set-password", "--password-stdin"], "another horse"),
    ] {
        change_ana(&place, change, input);
    }
    let told = Told::by(&place);
    let user = told.deed("user.add")["entity_id"].clone();
    let mut last = Value::Null;
    for (operation, code) in [
        ("user.add", json!("supervisor")),
        ("user.set-role", json!("officer")),
        ("user.revoke", Value::Null),
        ("user.disable", Value::Null),
        ("user.enable", Value::Null),
        ("user.set-password", Value::Null),
    ] {
        let row = told.deed(operation);
        assert_eq!((&row["actor_id"], &row["entity_type"]), (&json!("administrator"), &json!("member")));
        assert_eq!((&row["entity_id"], &row["code"]), (&user, &code), "{operation}");
        assert_eq!(row["previous_revision"], last, "{operation} follows what was before");
        last = row["next_revision"].clone();
    }
    assert_eq!(told.0.len(), 6, "what is so already is nothing that was done");
    assert!(!told.0.iter().any(|row| row.to_string().contains("horse")));
    assert_whole(&place);
}

/// Where events go is told by host alone: what else a URL says may be known to its receiver only.
#[tokio::test]
async fn it_tells_where_events_were_sent_from_when_on() {
    let place = Place::new();
    set_up(&place);
    let of = ["--tenant", "acme", "--url"];
    let hook = "https://example.org:8443/hook/5ecret-path";
    let add = [&["webhook", "add", "--secret-stdin"], &of[..], &[hook]].concat();
    let added = administer(&place, &add, SECRET);
    assert!(!run(&place, &add, SECRET).status.success(), "it is there already");
    administer(&place, &[&["webhook", "enable"], &of[..], &[hook]].concat(), "");
    administer(&place, &[&["webhook", "remove"], &of[..], &[hook]].concat(), "");
    let told = Told::by(&place);
    for operation in ["webhook.add", "webhook.enable", "webhook.remove"] {
        let row = told.deed(operation);
        assert_eq!((&row["actor_id"], &row["entity_type"]), (&json!("administrator"), &json!("endpoint")));
        assert_eq!((&row["entity_id"], &row["code"]), (&json!(added), &json!("https://example.org:8443")));
    }
    let mail = [&["webhook", "add"], &of[..], &["mailto:clerk@example.org"]].concat();
    let mailbox = administer(&place, &mail, "");
    let told = Told::by(&place);
    let row = told.0.last().unwrap();
    assert_eq!((&row["entity_id"], &row["code"]), (&json!(mailbox), &json!("mailto:@example.org")));
    let all = json!(told.0).to_string();
    assert!(!all.contains("5ecret") && !all.contains("clerk") && !all.contains(SECRET));
    assert_whole(&place);
}

/// `--command` and `--target` choose; what is of another tenant is never there.
#[tokio::test]
async fn it_is_asked_about_one_command_or_one_target() {
    let (place, _server, ana) = started().await;
    let create = a_case("a");
    let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }));
    for sent in [&create, &note, &note, &a_case("b")] {
        assert_eq!(ana.send(sent).await.status, 201);
    }
    administer(&place, &["tenant", "add", "other", "--name", "Other"], "");
    let rows = |tenant: &str, arguments: &[&str]| {
        let told = administer(&place, &[&["audit", "--tenant", tenant, "--json"], arguments].concat(), "");
        serde_json::from_str::<Vec<Value>>(&told).unwrap()
    };
    let (case, command) = (create.target(), note.id());
    assert_eq!(rows("acme", &["--target", &case]).len(), 3);
    assert_eq!(rows("acme", &["--command", &command]).len(), 2);
    assert_eq!(rows("acme", &["--command", &command, "--target", &case]).len(), 2);
    assert_eq!(rows("acme", &["--command", &command, "--target", &id()]).len(), 0);
    assert_eq!(rows("other", &["--command", &command]).len(), 0);
}
