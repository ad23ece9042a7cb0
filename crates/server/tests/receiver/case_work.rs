//! Tasks, time, inspections, notices, notifications and archiving, as a client of the interface sees them.

use std::time::Duration;

use domain::Role;
use onceover_server::storage::UserChange;
use serde_json::{Value, json};

use super::Server;
use crate::support::{a_case, command, id, with_expected};

const HOUR: Duration = Duration::from_hours(1);

fn minutes_of(feed: &[Value]) -> i64 {
    let entries = feed.iter().filter(|item| item["type"] == "time_entry");
    entries.map(|item| item["entity"]["minutes"].as_i64().unwrap()).sum()
}

#[tokio::test]
async fn what_belongs_to_a_case_is_in_the_feed_with_the_members_of_its_payload() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    let create = a_case("Broken fence");
    let case = create.target();
    ana.send(&create).await;
    let (task, entry, inspection, notice) = (id(), id(), id(), id());
    let finding = json!({ "code": "4.2", "text": "no exit sign", "severity": "major" });
    for (operation, payload, kind, child) in [
        ("task.add", json!({ "task_id": task, "title": "call", "due_on": "2026-12-01" }), "task", &task),
        ("time.log", json!({ "entry_id": entry, "minutes": 90, "worked_on": "2026-11-30" }), "time_entry", &entry),
        (
            "inspection.record",
            json!({ "inspection_id": inspection, "kind": "fire", "inspected_on": "2026-11-30", "outcome": "fail",
                    "findings": [finding] }),
            "inspection",
            &inspection,
        ),
    ] {
        let sent = command(operation, &case, payload.clone());
        let reply = ana.send(&sent).await;
        assert_eq!((reply.status, &reply.json()["result"]["type"]), (201, &json!(kind)), "{}", reply.body);
        assert_eq!(reply.json()["fence"]["entity_revision"], 1, "the case's own revision stays");
        let entity = ana.entity(kind, child).await.unwrap();
        assert_eq!((&entity["case_id"], &entity["created_by"]), (&json!(case), &json!(ana.actor_id())));
        for (member, value) in payload.as_object().unwrap().iter().filter(|(member, _)| !member.ends_with("_id")) {
            assert_eq!(&entity[member], value, "{operation}: {member}");
        }
        let again = ana.send(&sent).await;
        assert_eq!((again.status, &again.body, again.header("idempotent-replayed")), (201, &reply.body, Some("true")));
    }
    let done = ana.send(&command("task.set_done", &case, json!({ "task_id": task, "done": true }))).await;
    assert_eq!((done.status, &done.json()["result"]), (200, &json!({ "type": "task", "id": task, "revision": 2 })));
    let letter = json!({ "notice_id": notice, "kind": "order", "recipient": "R. Roe", "body": "Mend the fence." });
    ana.send(&command("notice.issue", &case, letter.clone())).await.assert_problem(400, "validation-failed");
    let issued = ana.send(&with_expected("notice.issue", &case, letter, json!({ "revision": 1 }))).await;
    assert_eq!(issued.status, 201, "{}", issued.body);
    assert_eq!(ana.entity("notice", &notice).await.unwrap()["recipient"], "R. Roe");
    server.assert_whole().await;
}

/// CASES A1, S22: two hours, delivered three times, are two hours.
#[tokio::test]
async fn time_that_is_delivered_again_is_logged_once() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let log = json!({ "entry_id": id(), "minutes": 120, "worked_on": "2026-11-30" });
    let log = command("time.log", &create.target(), log);
    for _ in 0..3 {
        assert_eq!(ana.send(&log).await.status, 201);
    }
    assert_eq!(minutes_of(&ana.feed().await), 120);
    let results: Vec<String> =
        server.audit_of("acme", &log.id()).await.into_iter().map(|row| row.result).collect();
    assert_eq!(results, ["committed", "duplicate_returned", "duplicate_returned"]);
}

/// CASES S29: a client's clock is data; it moves no cursor and no order.
#[tokio::test]
async fn a_client_whose_clock_is_far_ahead_moves_nothing_but_its_own_data() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let mut early = command("note.add", &create.target(), json!({ "note_id": id(), "text": "from 2099" }));
    early.body["issued_at"] = json!("2099-01-01T00:00:00.000Z");
    assert_eq!(ana.send(&early).await.status, 201);
    let late = command("note.add", &create.target(), json!({ "note_id": id(), "text": "now" }));
    let position = ana.send(&late).await.json()["feed_position"].as_u64().unwrap();
    let feed = ana.feed().await;
    assert_eq!(feed.last().unwrap()["seq"], position, "order is the order of commits");
    let line = feed.iter().find(|item| item["type"] == "activity" && item["command_id"] == json!(early.id())).unwrap();
    assert_eq!(line["entity"]["issued_at"], "2099-01-01T00:00:00.000Z");
    assert!(line["at"].as_str().unwrap() < "2099", "when it was committed is the server's to say");
}

/// Only its recipient sees a notification, by whatever way; reading it twice changes nothing the second time.
#[tokio::test]
async fn a_notification_is_its_recipients_alone() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Viewer).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let assign = command("case.assign", &case, json!({ "from": null, "to": bob.actor_id() }));
    ana.send(&assign).await;
    let is_notification = |item: &&Value| item["type"] == "notification";
    assert_eq!(ana.feed().await.iter().filter(is_notification).count(), 0);
    let told = bob.feed().await.iter().find(is_notification).unwrap()["entity"].clone();
    assert_eq!((&told["id"], &told["operation"], &told["read_at"]), (&json!(assign.id()), &json!("case.assign"), &Value::Null));
    let read = |payload: Value| {
        let mut read = command("notification.read", told["id"].as_str().unwrap(), payload);
        read.body["target"]["type"] = json!("notification");
        let target = read.body["target"].clone();
        read.with("target", target)
    };
    let payload = json!({ "notification_id": told["id"], "read_at": "2026-11-30T09:00:00.000Z" });
    ana.send(&read(payload.clone())).await.assert_problem(404, "target-not-found");
    let first = bob.send(&read(payload)).await;
    assert_eq!((first.status, &first.json()["fence"]["entity_revision"]), (200, &json!(2)), "{}", first.body);
    let later = json!({ "notification_id": told["id"], "read_at": "2026-11-30T10:00:00.000Z" });
    let second = bob.send(&read(later)).await;
    assert_eq!((second.status, &second.json()["fence"]["entity_revision"]), (200, &json!(2)));
    let held = bob.entity("notification", told["id"].as_str().unwrap()).await.unwrap();
    assert_eq!(held["read_at"], "2026-11-30T09:00:00.000Z");
    let lines = |feed: Vec<Value>| {
        feed.iter().filter(|item| item["entity"]["operation"] == "notification.read" && item["type"] == "activity").count()
    };
    assert_eq!((lines(ana.feed().await), lines(bob.feed().await)), (0, 2), "who has read what is nobody else's");
}

/// CASES J5: what comes late for an archived case is told so, and does not bring it back.
#[tokio::test]
async fn an_archived_case_takes_only_its_return() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let reason = json!({ "reason": "a double" });
    let archive = with_expected("case.archive", &case, reason.clone(), json!({ "revision": 1 }));
    assert_eq!(ana.send(&archive).await.status, 200);
    let late = command("note.add", &case, json!({ "note_id": id(), "text": "late" }));
    for _ in 0..2 {
        ana.send(&late).await.assert_problem(410, "target-deleted");
    }
    assert_eq!(ana.entity("case", &case).await.unwrap()["archived"], true);
    let restore = with_expected("case.restore", &case, reason.clone(), json!({ "revision": 2 }));
    assert_eq!(ana.send(&restore).await.status, 200);
    ana.send(&late).await.assert_problem(410, "target-deleted");
    let anew = command("note.add", &case, json!({ "note_id": id(), "text": "anew" }));
    assert_eq!(ana.send(&anew).await.status, 201);
    let twice = with_expected("case.restore", &case, reason, json!({ "revision": 3 }));
    assert_eq!(ana.send(&twice).await.json()["reason"], "not-archived");
}

/// A notice that was decided more than a day ago, or in an older session, has to be confirmed; the key stays the same.
#[tokio::test]
async fn an_old_notice_is_issued_once_it_is_confirmed() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let notice = |now: String, revision: u32| {
        let letter = json!({ "notice_id": id(), "kind": "order", "recipient": "R", "body": "B" });
        let mut sent = with_expected("notice.issue", &case, letter, json!({ "revision": revision }));
        sent.body["issued_at"] = json!(now);
        sent
    };
    let mut old = notice(server.now().to_string(), 1);
    server.turn_clock(24 * HOUR + Duration::from_secs(1));
    let ana = server.sign_in("acme", "ana").await;
    let refused = ana.send(&old).await;
    refused.assert_problem(403, "confirmation-required");
    assert_eq!(refused.json()["retry"], "same_key_after_confirmation");
    // A clock that is ahead makes nothing younger than now.
    old.body["confirmed_at"] = json!("2099-01-01T00:00:00.000Z");
    assert_eq!(ana.send(&old).await.status, 201);
    let authorities: Vec<_> = server.audit_of("acme", &old.id()).await.into_iter().map(|row| row.authority).collect();
    assert_eq!(authorities, [None, Some("confirmed".to_owned())]);

    // Issued in a session that was ended since.
    server.change("acme", "ana", UserChange::Revoke).await;
    let ana = server.sign_in("acme", "ana").await;
    let mut before = notice(server.now().to_string(), 1);
    before.body["session_version"] = json!(2);
    ana.send(&before).await.assert_problem(403, "confirmation-required");
    before.body["confirmed_at"] = json!(domain::Timestamp(server.now().0 + 1000).to_string());
    assert_eq!(ana.send(&before).await.status, 201);
}

/// CASES D8: a command from a device whose session was ended gets an answer that says so, and none that says to go on.
#[tokio::test]
async fn a_device_that_was_signed_out_is_told_so() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    server.change("acme", "ana", UserChange::Disabled(true)).await;
    let refused = ana.send(&create).await;
    refused.assert_problem(401, "session-revoked");
    assert_eq!((&refused.json()["effect"], &refused.json()["retry"]), (&json!("none"), &json!("same_key_after_login")));
}
