//! Who may do what, now and when a command comes late.

use std::time::Duration;

use domain::Role;
use onceover_server::storage::UserChange;
use serde_json::{Value, json};

use super::Server;
use crate::support::{a_case, command, id, with_expected};

#[tokio::test]
async fn a_viewer_reads_and_changes_nothing() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let vic = server.person("acme", "vic", Role::Viewer).await;
    let create = a_case("t");
    ana.send(&create).await;
    assert!(vic.entity("case", &create.target()).await.is_some());
    for sent in [a_case("u"), command("tag.add", &create.target(), json!({ "tag": "x" }))] {
        vic.send(&sent).await.assert_problem(403, "forbidden");
    }
}

/// CASES C6: a right that comes back makes the same command go through.
#[tokio::test]
async fn a_forbidden_command_goes_through_once_the_right_is_there() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Viewer).await;
    let create = a_case("t");
    ana.send(&create).await.assert_problem(403, "forbidden");
    server.change("acme", "ana", UserChange::Role(Role::Officer)).await;
    let reply = ana.send(&create).await;
    assert_eq!((reply.status, reply.is_replayed()), (201, false));
}

#[tokio::test]
async fn closing_and_reopening_need_a_supervisor() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let to = |status: &str, revision: u32| {
        with_expected(
            "case.transition",
            &case,
            json!({ "to": status, "reason_code": "x" }),
            json!({ "revision": revision }),
        )
    };
    assert_eq!(ana.send(&to("under_review", 1)).await.status, 200);
    assert_eq!(ana.send(&to("resolved", 2)).await.status, 200);
    ana.send(&to("closed", 3)).await.assert_problem(403, "forbidden");
    assert_eq!(sue.send(&to("closed", 3)).await.status, 200);
    ana.send(&to("reopened", 4)).await.assert_problem(403, "forbidden");
    assert_eq!(sue.send(&to("reopened", 4)).await.status, 200);
}

#[tokio::test]
async fn whoever_lost_the_right_hears_only_that_it_is_committed() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }));
    let noted = ana.send(&note).await;
    server.change("acme", "ana", UserChange::Role(Role::Viewer)).await;
    let reply = ana.send(&create).await;
    reply.assert_problem(403, "replay-forbidden");
    assert_eq!(reply.json()["effect"], "committed");
    assert!(!reply.body.contains("feed_position"));
    let asked = ana.get(&format!("/v1/operations/{}?key={}", create.id(), create.key)).await.json();
    assert_eq!((&asked["state"], asked.get("result")), (&json!("committed"), None));
    let again = ana.send(&note).await;
    assert_eq!((again.status, &again.body), (201, &noted.body), "at intent: its actor always sees the receipt");
}

#[tokio::test]
async fn a_note_written_while_the_right_was_held_is_taken_later() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    server.turn_clock(Duration::from_mins(1));
    let held = server.now();
    server.turn_clock(Duration::from_mins(1));
    server.change("acme", "ana", UserChange::Role(Role::Viewer)).await;
    server.turn_clock(Duration::from_mins(1));
    let note = |issued_at: String| {
        command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }))
            .with("issued_at", json!(issued_at))
    };
    let then = note(held.to_string());
    assert_eq!(ana.send(&then).await.status, 201);
    assert_eq!(server.audit_of("acme", &then.id()).await[0].authority.as_deref(), Some("intent"));
    // A clock that is ahead is taken for now, when the right is gone.
    ana.send(&note("2099-01-01T00:00:00.000Z".to_owned())).await.assert_problem(403, "forbidden");
    ana.send(&note(server.now().to_string())).await.assert_problem(403, "forbidden");
    // `current` operations ask for the right of now, whenever they were decided.
    let tag = command("tag.add", &create.target(), json!({ "tag": "x" })).with("issued_at", json!(held.to_string()));
    ana.send(&tag).await.assert_problem(403, "forbidden");
}

#[tokio::test]
async fn a_clock_before_all_sessions_means_the_first_of_them() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let zoe = server.person("acme", "zoe", Role::Viewer).await;
    let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }))
        .with("issued_at", json!("1970-01-01T00:00:00.000Z"));
    zoe.send(&note).await.assert_problem(403, "forbidden");
    server.turn_clock(Duration::from_mins(1));
    server.change("acme", "zoe", UserChange::Role(Role::Officer)).await;
    assert_eq!(zoe.send(&note).await.status, 201, "else the rights of now");
    assert_eq!(server.audit_of("acme", &note.id()).await[1].authority.as_deref(), Some("current"));
}

#[tokio::test]
async fn the_audit_says_under_which_session_it_was_sent_and_meant() {
    let server = Server::start().await;
    server.person("acme", "ana", Role::Officer).await;
    server.change("acme", "ana", UserChange::Revoke).await;
    let ana = server.sign_in("acme", "ana").await;
    let mut create = a_case("t");
    create.body["session_version"] = json!(2);
    let reply = ana.send(&create).await;
    assert_eq!(reply.json()["fence"]["session_version"], 2);
    let row = &server.audit_of("acme", &create.id()).await[0];
    assert_eq!((row.session_version, row.issued_under), (2, 1));
    assert_eq!((row.previous_revision, row.next_revision), (None, Some(1)));
    assert_eq!(row.authority.as_deref(), Some("current"));
}

#[tokio::test]
async fn whoever_is_disabled_cannot_be_assigned() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let off = server.person("acme", "off", Role::Officer).await;
    let case = a_case("t");
    ana.send(&case).await;
    let assign = |from: Value, to: Value| command("case.assign", &case.target(), json!({ "from": from, "to": to }));
    assert_eq!(ana.send(&assign(Value::Null, json!(off.actor_id()))).await.status, 200);
    server.change("acme", "off", UserChange::Disabled(true)).await;
    // Who holds a case keeps it, and somebody else may take it.
    assert_eq!(ana.send(&assign(json!(off.actor_id()), json!(ana.actor_id()))).await.status, 200);
    let reply = ana.send(&assign(json!(ana.actor_id()), json!(off.actor_id()))).await;
    reply.assert_problem(422, "domain-rejected");
    assert_eq!(reply.json()["reason"], "unknown-assignee");
    server.change("acme", "off", UserChange::Disabled(false)).await;
    assert_eq!(ana.send(&assign(json!(ana.actor_id()), json!(off.actor_id()))).await.status, 200);
}

/// CASES G6 and its like: whatever happened to the account, each refusal says that nothing was applied and leaves no
/// record, so that nothing is lost: when the cause is gone, the same key goes through, once.
#[tokio::test]
async fn a_refusal_because_of_the_account_leaves_the_key_free() {
    let server = Server::start().await;
    let mut ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let causes = [
        (UserChange::Role(Role::Viewer), 403, "forbidden", UserChange::Role(Role::Officer)),
        (UserChange::Disabled(true), 401, "session-revoked", UserChange::Disabled(false)),
        (UserChange::Revoke, 401, "session-revoked", UserChange::Disabled(false)),
    ];
    for (cause, status, code, remedy) in causes {
        // An operation that asks for the right of now, so that what was held at intent does not help.
        let tag = command("tag.add", &case, json!({ "tag": id() }));
        server.change("acme", "ana", cause).await;
        for _ in 0..3 {
            let refused = ana.send(&tag).await;
            refused.assert_problem(status, code);
            assert_eq!(refused.json()["effect"], "none");
        }
        let asked = |person: crate::support::Person, key: String| async move {
            person.post("/v1/operations/lookup", &json!({ "keys": [key] })).await.json()["results"][0]["state"].clone()
        };
        assert_eq!(asked(bob.clone(), tag.key.clone()).await, "not_seen");
        server.change("acme", "ana", remedy).await;
        if status == 401 {
            ana = server.sign_in("acme", "ana").await;
        }
        assert_eq!(asked(ana.clone(), tag.key.clone()).await, "not_seen", "nothing was recorded: {code}");
        let sent = ana.send(&tag).await;
        assert_eq!((sent.status, sent.is_replayed()), (200, false), "{}", sent.body);
        assert!(ana.send(&tag).await.is_replayed());
        let rows = server.audit_of("acme", &tag.id()).await;
        assert_eq!(rows.iter().filter(|row| row.result == "committed").count(), 1);
    }
    // Another account of the same computer: neither applied nor told anything, and the key stays its owner's.
    let note = command("note.add", &case, json!({ "note_id": id(), "text": "mine" }));
    let first = ana.send(&note).await;
    bob.send(&note).await.assert_problem(422, "idempotency-key-reused");
    let again = ana.send(&note).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (201, &first.body, true));
    server.assert_whole().await;
}
