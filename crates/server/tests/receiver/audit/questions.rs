//! The five questions, asked of what really happened; and what an administrator reads.

use serde_json::{Value, json};

use super::{COMMITTED, RETURNED, Told, administer, assert_whole, change_ana, rejected, started};
use crate::support::{a_case, command, id};

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
    use crate::support::process::{Process, set_up};

    for (boundary, results) in [
        ("after-commit-before-reply", &[COMMITTED, RETURNED][..]),
        // What was never committed left no trace.
        ("before-commit", &[COMMITTED][..]),
    ] {
        let place = super::super::Place::new();
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

/// For reading: names instead of ids, words instead of codes, the columns under one another.
#[tokio::test]
async fn an_administrator_reads_a_line_for_each_attempt() {
    let (place, _server, ana) = started().await;
    let create = a_case("a");
    for status in [201, 201] {
        assert_eq!(ana.send(&create).await.status, status);
    }
    change_ana(&place, &["set-role", "--role", "viewer"], "");
    ana.send(&create).await.assert_problem(403, "replay-forbidden");
    change_ana(&place, &["revoke"], "");
    ana.send(&create).await.assert_problem(401, "session-revoked");
    let printed = administer(&place, &["audit", "--tenant", "acme"], "");
    let lines: Vec<&str> = printed.lines().collect();
    let (case, command) = (create.target(), create.id());
    let (about, end) = (format!("open case {case}"), format!("  (command {command})"));
    for (line, (who, what, result, end)) in lines.iter().zip([
        ("administrator", "add user ana", "done: supervisor", ""),
        ("ana", about.as_str(), "applied, revision 1", end.as_str()),
        ("ana", &about, "sent again: got the first answer, nothing changed", &end),
        ("administrator", "change the role of user ana", "done: viewer", ""),
        ("ana", &about, "sent again without the right to: told that it is committed, no more", &end),
        ("administrator", "end all sessions of user ana", "done", ""),
        ("ana", &about, "refused: the session was ended", &end),
    ]) {
        let (at, told) = line.split_once("  ").unwrap();
        assert!(at.parse::<domain::Timestamp>().is_ok(), "{line}");
        assert_eq!(told, format!("{who:13}  {what:46}  {result}{end}"), "{printed}");
    }
    assert_eq!(lines.len(), 7, "{printed}");
}
