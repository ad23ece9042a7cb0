//! What is kept for how long: answers, notifications, sessions; and what is said once it is gone.

use std::time::Duration;

use domain::{Role, Timestamp};
use serde_json::{Value, json};
use uuid::{ContextV7, Uuid};

use super::Server;
use crate::support::{Person, Reply, http, Sent, a_case, command, id, with_expected};

const DAY: Duration = Duration::from_hours(24);
const SECOND: Duration = Duration::from_secs(1);
const RECEIPTS: Duration = Duration::from_hours(24 * 180);
const TOMBSTONES: Duration = Duration::from_hours(24 * 730);
const SESSIONS: Duration = Duration::from_hours(24 * 90);

/// How long it is until so much of a time is left.
fn before_the_end(time: Duration, left: Duration) -> Duration {
    time.checked_sub(left).unwrap()
}

/// The same command, made at `at`: its id says so.
fn made_at(at: Timestamp, mut sent: Sent) -> Sent {
    let (seconds, ms) = (at.0 / 1000, at.0 % 1000);
    let nanos = u32::try_from(ms * 1_000_000).unwrap();
    let time = uuid::Timestamp::from_unix(ContextV7::new(), u64::try_from(seconds).unwrap(), nanos);
    let id = Uuid::new_v7(time).to_string();
    sent.key = sent.key.replace(&sent.id(), &id);
    sent.with("command_id", json!(id))
}

async fn config(server: &Server) -> Value {
    http::send(&server.address, "GET", "/v1/config", &[], b"").await.unwrap().json()
}

async fn look_up(person: &Person, sent: &Sent) -> Value {
    person.get(&format!("/v1/operations/{}?key={}", sent.id(), sent.key)).await.json()
}

async fn seal(person: &Person, sent: &Sent) -> Value {
    person.post(&format!("/v1/operations/{}/seal?key={}", sent.id(), sent.key), &json!({})).await.json()
}

/// How often the audit says that a purge took away such a thing, and how many in all.
async fn traces(server: &Server, kind: &str) -> (usize, u64) {
    let tenant = server.storage.tenant_of("acme").await.unwrap().unwrap();
    let rows = server.storage.audit(tenant, onceover_server::storage::AuditFilter::default()).await.unwrap();
    let rows: Vec<_> = rows.into_iter().filter(|row| row.operation == "purge" && row.entity_type == kind).collect();
    assert!(rows.iter().all(|row| row.actor_id == "onceover-server" && row.result == "committed"));
    (rows.len(), rows.iter().map(|row| row.code.as_ref().unwrap().parse::<u64>().unwrap()).sum())
}

/// `reduced` answers as `full` did, with nothing to read in it.
#[track_caller]
fn assert_reduced(full: &Reply, reduced: &Reply) {
    let mut expected = full.json();
    expected["receipt_reduced"] = json!(true);
    let mut told = reduced.json();
    if full.status >= 400 {
        expected.as_object_mut().unwrap().remove("current");
        expected["detail"] = told["detail"].take();
        told["detail"] = expected["detail"].clone();
    }
    assert_eq!((reduced.status, told, reduced.is_replayed()), (full.status, expected, true));
    assert_eq!(reduced.header("content-type"), full.header("content-type"));
}

/// CASES S23: a full receipt until its lifetime is over, its tombstone after that; the same outcome either way.
#[tokio::test]
async fn an_answer_is_kept_in_full_and_then_reduced() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    server.person("acme", "bob", Role::Officer).await;
    let create = a_case("t");
    let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }));
    let outdated =
        command("case.edit", &create.target(), json!({"changes":{"title":{"from":"other","to":"another"}}}));
    let withdrawn = a_case("never");
    let (created, noted, refused) = (ana.send(&create).await, ana.send(&note).await, ana.send(&outdated).await);
    seal(&ana, &withdrawn).await;
    let never = ana.send(&withdrawn).await;
    assert_eq!((created.status, noted.status, refused.status, never.status), (201, 201, 412, 410));
    let all = [(&create, &created), (&note, &noted), (&outdated, &refused), (&withdrawn, &never)];

    server.turn_clock(before_the_end(RECEIPTS, SECOND));
    server.purge().await;
    let ana = server.sign_in("acme", "ana").await;
    for (sent, full) in all {
        let again = ana.send(sent).await;
        assert_eq!((again.status, &again.body, again.is_replayed()), (full.status, &full.body, true));
    }
    assert_eq!(traces(&server, "receipt").await, (0, 0));

    server.turn_clock(SECOND * 2);
    server.purge().await;
    server.purge().await;
    let ana = server.sign_in("acme", "ana").await;
    for (sent, full) in all {
        let again = ana.send(sent).await;
        assert_reduced(full, &again);
        assert_eq!(ana.send(sent).await.body, again.body, "and so it stays, byte for byte");
        let known = look_up(&ana, sent).await;
        let (state, member) = if full.status == 201 { ("committed", "result") } else { ("failed", "problem") };
        assert_eq!((&known["state"], &known["final"], &known[member]), (&json!(state), &json!(true), &again.json()));
        assert_eq!(seal(&ana, sent).await[member], again.json());
    }
    assert_eq!(traces(&server, "receipt").await.1, 4, "the one of the seal with them");
    assert_eq!(traces(&server, "record").await, (0, 0));
    // The key still belongs to one person and one payload, and what built on it still does.
    let other = create.clone().with("payload", json!({ "title": "u", "kind": "other", "priority": "low" }));
    ana.send(&other).await.assert_problem(422, "idempotency-key-reused");
    let bob = server.sign_in("acme", "bob").await;
    bob.send(&create).await.assert_problem(422, "idempotency-key-reused");
    let next = with_expected("tag.add", &create.target(), json!({ "tag": "x" }), json!({ "after": create.id() }));
    assert_eq!(ana.send(&next).await.status, 200);
    let after_failed =
        with_expected("tag.add", &create.target(), json!({ "tag": "x" }), json!({ "after": outdated.id() }));
    ana.send(&after_failed).await.assert_problem(422, "dependency-failed");
    server.assert_whole().await;
}

/// CASES S23: what was forgotten is neither done again nor called undone.
#[tokio::test]
async fn beyond_the_horizon_nobody_says_what_became_of_it() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let (old, unseen) = (made_at(server.now(), a_case("old")), made_at(server.now(), a_case("unseen")));
    let began = server.now();
    assert_eq!(ana.send(&old).await.status, 201);
    server.turn_clock(before_the_end(TOMBSTONES, DAY));
    server.purge().await;
    let ana = server.sign_in("acme", "ana").await;
    // Nothing is forgotten yet, so what has no record was never done, however old it is.
    assert_eq!(look_up(&ana, &unseen).await["state"], "not_seen");
    let late = made_at(began, a_case("late"));
    let first = ana.send(&late).await;
    assert_eq!(first.status, 201);
    assert_eq!(config(&server).await["purge_horizon"], "1970-01-01T00:00:00.000Z");

    server.turn_clock(DAY + SECOND);
    server.purge().await;
    let ana = server.sign_in("acme", "ana").await;
    assert_eq!(config(&server).await["purge_horizon"], json!(Timestamp(began.0 + 1000).to_string()));
    assert_eq!(traces(&server, "record").await, (1, 1));
    let head = ana.get("/v1/changes?limit=1").await.json()["head"].clone();
    for sent in [&old, &unseen] {
        let reply = ana.send(sent).await;
        reply.assert_problem(410, "operation-window-expired");
        assert_eq!((&reply.json()["effect"], &reply.json()["retry"]), (&json!("unknown"), &json!("reconcile")));
        let many = ana.post("/v1/operations/lookup", &json!({ "keys": [sent.key] })).await.json();
        for known in [look_up(&ana, sent).await, many["results"][0].clone(), seal(&ana, sent).await] {
            assert_eq!((&known["state"], &known["final"]), (&json!("not_seen"), &json!(true)), "{known}");
            assert_eq!(known["problem"], reply.json(), "a resend hears the same");
        }
        ana.send(sent).await.assert_problem(410, "operation-window-expired");
    }
    assert_eq!(ana.get("/v1/changes?limit=1").await.json()["head"], head, "none of this had an effect");
    let again = ana.send(&late).await;
    assert_eq!((again.status, &again.body), (201, &first.body), "what was recorded late is kept as long as others");
    // What builds on something forgotten is for a person to look at, not to wait for.
    let build = |after: &Sent| {
        let tag = with_expected("tag.add", &old.target(), json!({ "tag": "x" }), json!({ "after": after.id() }));
        made_at(server.now(), tag)
    };
    ana.send(&build(&old)).await.assert_problem(412, "revision-conflict");
    ana.send(&build(&made_at(server.now(), a_case("n")))).await.assert_problem(424, "dependency-missing");
    assert_eq!(ana.send(&made_at(server.now(), a_case("new"))).await.status, 201);
    server.assert_whole().await;
}

/// A case that is Ana's, with `count` notes that Sue added: each tells Ana.
async fn told(server: &Server, ana: &Person, sue: &Person, count: usize) -> Vec<String> {
    let case = a_case("t");
    assert_eq!(ana.send(&case).await.status, 201);
    let assign = command("case.assign", &case.target(), json!({ "from": null, "to": ana.actor_id() }));
    assert_eq!(ana.send(&assign).await.status, 200);
    let mut notifications = Vec::new();
    for n in 0..count {
        let note = command("note.add", &case.target(), json!({ "note_id": id(), "text": n.to_string() }));
        assert_eq!(sue.send(&note).await.status, 201);
        notifications.push(note.id());
    }
    server.assert_whole().await;
    notifications
}

fn read(server: &Server, notification: &str) -> Sent {
    let payload = json!({ "notification_id": notification, "read_at": server.now().to_string() });
    let target = json!({ "type": "notification", "id": notification });
    command("notification.read", notification, payload).with("target", target)
}

async fn changes(person: &Person, cursor: &Value) -> Vec<Value> {
    let page = person.get(&format!("/v1/changes?cursor={}", cursor.as_str().unwrap())).await.json();
    page["items"].as_array().unwrap().clone()
}

/// CASES J5: a notification that was read expires; a late word about it has a named answer and brings nothing back.
#[tokio::test]
async fn a_notification_that_was_read_expires_for_its_reader_alone() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let told = told(&server, &ana, &sue, 2).await;
    assert_eq!(ana.send(&read(&server, &told[0])).await.status, 200);
    server.turn_clock(before_the_end(RECEIPTS, SECOND));
    server.purge().await;
    let (ana, sue) = (server.sign_in("acme", "ana").await, server.sign_in("acme", "sue").await);
    let cursors = [&ana, &sue].map(|person| person.get("/v1/changes?limit=1000"));
    let [anas, sues] = cursors;
    let (anas, sues) = (anas.await.json()["cursor"].clone(), sues.await.json()["cursor"].clone());
    server.turn_clock(SECOND * 2);
    server.purge().await;
    assert_eq!(traces(&server, "notification").await, (1, 1));
    let items = changes(&ana, &anas).await;
    assert_eq!(items.len(), 1, "{items:?}");
    let item = &items[0];
    assert_eq!((&item["type"], &item["id"]), (&json!("notification"), &json!(told[0])));
    assert_eq!((&item["deleted"], &item["entity"], &item["revision"]), (&json!(true), &Value::Null, &json!(3)));
    assert_eq!(changes(&sue, &sues).await, Vec::<Value>::new());
    assert!(ana.entity("notification", &told[1]).await.is_some(), "what was not read is kept");
    // Read again on another device that heard nothing of it.
    let late = read(&server, &told[0]);
    let reply = ana.send(&late).await;
    reply.assert_problem(410, "target-deleted");
    let again = ana.send(&late).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (410, &reply.body, true));
    sue.send(&read(&server, &told[0])).await.assert_problem(404, "target-not-found");
    assert_eq!(changes(&ana, &anas).await.len(), 1);
    server.assert_whole().await;
}

/// Tombstones go after their time; whoever may have missed one reads everything anew, and whoever just did need not.
#[tokio::test]
async fn a_cursor_from_before_a_removed_tombstone_has_expired() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let told = told(&server, &ana, &sue, 3).await;
    for notification in &told[..2] {
        assert_eq!(ana.send(&read(&server, notification)).await.status, 200);
    }
    let cursor = async |person: &Person| person.get("/v1/changes?limit=1000").await.json()["cursor"].clone();
    let before = cursor(&ana).await;
    server.turn_clock(RECEIPTS + SECOND);
    server.purge().await;
    let ana = server.sign_in("acme", "ana").await;
    let after = cursor(&ana).await;
    assert_eq!(ana.feed().await.iter().filter(|item| item["deleted"] == true).count(), 2);
    server.turn_clock(TOMBSTONES + SECOND);
    server.purge().await;
    assert_eq!(traces(&server, "tombstone").await, (1, 2));
    let ana = server.sign_in("acme", "ana").await;
    let at = |cursor: &Value| format!("/v1/changes?limit=1&cursor={}", cursor.as_str().unwrap());
    ana.get(&at(&before)).await.assert_problem(410, "cursor-expired");
    assert_eq!(ana.get(&at(&after)).await.status, 200);
    // Reading anew, one by one, passes positions below the floor and comes to the end.
    let (mut cursor, mut items) = (json!(""), Vec::new());
    loop {
        let reply = ana.get(&at(&cursor)).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let page = reply.json();
        items.extend(page["items"].as_array().unwrap().clone());
        cursor = page["cursor"].clone();
        if page["has_more"] == false {
            break;
        }
    }
    assert!(items.iter().all(|item| item["deleted"] == false));
    assert_eq!(items.iter().filter(|item| item["type"] == "notification").count(), 1);
    assert_eq!(ana.get(&at(&cursor)).await.status, 200);
    server.assert_whole().await;
}

/// CASES J5: whatever comes late for a case that is gone, it stays gone, under whatever id it is asked to come back.
#[tokio::test]
async fn nothing_brings_back_a_case_that_is_gone() {
    let server = Server::start().await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let (case, note) = (a_case("t"), id());
    assert_eq!(sue.send(&case).await.status, 201);
    let add = command("note.add", &case.target(), json!({ "note_id": note, "text": "x" }));
    assert_eq!(sue.send(&add).await.status, 201);
    let gone = format!("update entity set deleted = true, body = 'null' where entity_id = '{}'", case.target());
    server.place.sql(&gone).await;
    let again = Sent { key: String::new(), ..a_case("again") };
    let again = command("case.create", &case.target(), again.body["payload"].clone());
    let head = sue.get("/v1/changes?limit=1").await.json()["head"].clone();
    for late in [
        command("note.add", &case.target(), json!({ "note_id": id(), "text": "late" })),
        command("case.edit", &case.target(), json!({"changes":{"title":{"from":"t","to":"u"}}})),
        with_expected("case.restore", &case.target(), json!({ "reason": "x" }), json!({ "revision": 1 })),
        again,
    ] {
        let reply = sue.send(&late).await;
        reply.assert_problem(410, "target-deleted");
        let repeat = sue.send(&late).await;
        assert_eq!((repeat.status, &repeat.body, repeat.is_replayed()), (410, &reply.body, true));
    }
    assert_eq!(sue.get("/v1/changes?limit=1").await.json()["head"], head);
    // The same for what lies beside a case that is there.
    let other = a_case("o");
    sue.send(&other).await;
    let mine = id();
    let add = command("note.add", &other.target(), json!({ "note_id": mine, "text": "x" }));
    assert_eq!(sue.send(&add).await.status, 201);
    server.place.sql(&format!("update entity set deleted = true, body = 'null' where entity_id = '{mine}'")).await;
    let redact = command("note.redact", &other.target(), json!({ "note_id": mine, "reason": "x" }));
    sue.send(&redact).await.assert_problem(410, "target-deleted");
    let anew = command("note.add", &other.target(), json!({ "note_id": mine, "text": "y" }));
    let reply = sue.send(&anew).await;
    reply.assert_problem(422, "domain-rejected");
    assert_eq!(reply.json()["reason"], "already-exists");
}

/// Sessions that are long over go; since when an actor has had any stays known.
#[tokio::test]
async fn sessions_that_are_over_are_removed_but_for_the_first() {
    let server = Server::start().await;
    let first = server.person("acme", "ana", Role::Officer).await;
    let case = a_case("t");
    first.send(&case).await;
    let began = server.now();
    server.turn_clock(SECOND);
    let second = server.sign_in("acme", "ana").await;
    assert_eq!(server.refresh(&second.refresh_token, "d1").await.status, 200);
    let third = server.sign_in("acme", "ana").await;
    assert_eq!(third.request("DELETE", "/v1/sessions/current", &[], b"").await.status, 204);
    let count = async || {
        let counts = server.storage.check().await.unwrap().counts;
        counts.iter().find(|(what, _)| what == "sessions").unwrap().1
    };
    assert_eq!(count().await, 3);
    server.turn_clock(before_the_end(SESSIONS, SECOND));
    server.purge().await;
    assert_eq!(count().await, 3);
    server.turn_clock(SECOND * 2);
    server.purge().await;
    assert_eq!(count().await, 1);
    assert_eq!(traces(&server, "session").await, (1, 2));
    for gone in [&second, &third] {
        server.refresh(&gone.refresh_token, "d1").await.assert_problem(401, "session-revoked");
    }
    // The rights that Ana held at her first session are still those that a note of then was written with.
    let ana = server.sign_in("acme", "ana").await;
    server.change("acme", "ana", onceover_server::storage::UserChange::Role(Role::Viewer)).await;
    let note = command("note.add", &case.target(), json!({ "note_id": id(), "text": "x" }))
        .with("issued_at", json!(began.to_string()));
    assert_eq!(ana.send(&note).await.status, 201);
    server.assert_whole().await;
}

/// A purge takes many small steps, each traced; one after it finds nothing.
#[tokio::test]
async fn a_purge_of_many_is_done_in_parts() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let case = a_case("t");
    ana.send(&case).await;
    let tags: Vec<Sent> = (0..450).map(|n| command("tag.add", &case.target(), json!({ "tag": format!("t{n}") }))).collect();
    for batch in tags.chunks(100) {
        let batch: Vec<&Sent> = batch.iter().collect();
        assert_eq!(ana.batch(&batch).await.status, 200);
    }
    server.turn_clock(RECEIPTS + SECOND);
    server.purge().await;
    assert_eq!(traces(&server, "receipt").await, (3, 451));
    server.purge().await;
    assert_eq!(traces(&server, "receipt").await, (3, 451));
    let ana = server.sign_in("acme", "ana").await;
    assert_eq!(ana.send(&tags[449]).await.json()["receipt_reduced"], true);
    server.assert_whole().await;
}
