//! The same command again, in every way it can arrive again.

use domain::Role;
use serde_json::{Value, json};

use super::Server;
use crate::support::{Reply, a_case, command, id, with_expected};

/// Headers that a replay must repeat as they were.
fn lasting(reply: &Reply) -> Vec<Option<&str>> {
    ["content-type", "cache-control"].into_iter().map(|name| reply.header(name)).collect()
}

/// CASES S10: a replay has the same status, headers and body, byte for byte.
#[tokio::test]
async fn a_replay_is_the_first_answer_byte_for_byte() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let first = ana.send(&create).await;
    server.turn_clock(std::time::Duration::from_mins(5));
    for _ in 0..10 {
        let again = ana.send(&create).await;
        assert_eq!((again.status, &again.body), (201, &first.body));
        assert_eq!(lasting(&again), lasting(&first));
        assert!(again.is_replayed() && !first.is_replayed());
    }
    assert_eq!(first.header("cache-control"), Some("no-store"));
    let audit: Vec<String> = server.audit_of("acme", &create.id()).await.into_iter().map(|row| row.result).collect();
    assert_eq!(audit.iter().filter(|result| *result == "committed").count(), 1);
    assert_eq!(audit.iter().filter(|result| *result == "duplicate_returned").count(), 10);
    server.assert_whole().await;
}

/// CASES S11: a rule's no is final under its key, and a repeat gets the same no.
#[tokio::test]
async fn every_final_refusal_is_replayed_byte_for_byte() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let to = json!({ "to": "closed", "reason_code": "x" });
    let supervisor = server.person("acme", "sue", Role::Supervisor).await;
    let illegal = with_expected("case.transition", &case, to, json!({ "revision": 1 }));
    let stale = command("case.edit", &case, json!({"changes":{"title":{"from":"never","to":"u"}}}));
    let after = with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": stale.id() }));
    let nobody = command("case.assign", &case, json!({ "from": null, "to": id() }));
    for (sent, status, code) in [
        (&illegal, 422, "domain-rejected"),
        (&stale, 412, "revision-conflict"),
        (&after, 422, "dependency-failed"),
        (&nobody, 422, "domain-rejected"),
    ] {
        let first = supervisor.send(sent).await;
        first.assert_problem(status, code);
        assert_eq!(first.json()["operation_id"], json!(sent.id()));
        let again = supervisor.send(sent).await;
        assert_eq!((again.status, &again.body, again.is_replayed()), (status, &first.body, true));
        assert_eq!(lasting(&again), lasting(&first));
    }
    // What made it fail is gone, and the answer stays.
    ana.send(&command("case.edit", &case, json!({"changes":{"title":{"from":"t","to":"never"}}}))).await;
    assert_eq!(supervisor.send(&stale).await.status, 412);
    let audit = server.audit_of("acme", &stale.id()).await;
    assert_eq!(audit[0].result, "conflict");
    server.assert_whole().await;
}

/// CASES S7: what is not hashed may differ: request id, token, send time.
#[tokio::test]
async fn a_new_request_id_token_and_send_time_is_still_the_same_command() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let first = ana.send(&create).await;
    let refreshed = server.refresh(&ana.refresh_token, "d1").await;
    let ana = crate::support::Person::of(&server.address, &refreshed);
    let mut later = create.clone();
    later.body["issued_at"] = json!("2026-11-30T09:59:59.999Z");
    later.body["confirmed_at"] = json!("2026-11-30T10:00:00.000Z");
    later.body["session_version"] = json!(1);
    later.body["issued_under"] = json!(0);
    let headers = [("idempotency-key", later.key.as_str()), ("x-request-id", "my-own-id")];
    let again = ana.request("POST", "/v1/commands", &headers, later.body.to_string().as_bytes()).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (201, &first.body, true));
    assert_eq!(again.header("x-request-id"), Some("my-own-id"));
}

fn reversed(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().rev().map(|(name, value)| format!("{}:{}", json!(name), reversed(value))).collect();
            format!("{{ {} }}", members.join(" ,\n"))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// CASES S1: members permuted at every depth, other white space, a number in another form.
#[tokio::test]
async fn the_same_json_written_otherwise_is_the_same_command() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut payload =
        json!({ "title": "t", "kind": "other", "priority": "low", "latitude": 33.5, "address": "ä\u{1f600}" });
    let create = command("case.create", &id(), payload.take());
    let first = ana.send(&create).await;
    assert_eq!(first.status, 201);
    let text =
        reversed(&create.body).replace("33.5", "3.35e1").replace('ä', "\\u00e4").replace('\u{1f600}', "\\ud83d\\ude00");
    let headers = [("idempotency-key", create.key.as_str())];
    let again = ana.request("POST", "/v1/commands", &headers, text.as_bytes()).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (201, &first.body, true));
}

#[tokio::test]
async fn a_quoted_key_is_the_same_key() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let quoted = format!("\"{}\"", create.key);
    let headers = [("idempotency-key", quoted.as_str())];
    let again = ana.request("POST", "/v1/commands", &headers, create.body.to_string().as_bytes()).await;
    assert_eq!((again.status, again.is_replayed()), (201, true));
}

/// CASES S15, S43: one key cannot mean two things, nor belong to two people.
#[tokio::test]
async fn a_key_used_for_something_else_is_refused_and_the_original_kept() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let create = a_case("t");
    let first = ana.send(&create).await;
    // Another payload under the key.
    let other = create.clone().with("payload", json!({ "title": "u", "kind": "other", "priority": "low" }));
    ana.send(&other).await.assert_problem(422, "idempotency-key-reused");
    // Another person.
    bob.send(&create).await.assert_problem(422, "idempotency-key-reused");
    // The same command id under the key of another target: key and body agree, the id was used.
    let mut moved = create.clone();
    moved.body["target"]["id"] = json!(id());
    moved.key = format!("case.create:{}:{}", moved.target(), moved.id());
    let moved = moved.with("expected", Value::Null);
    ana.send(&moved).await.assert_problem(422, "idempotency-key-reused");
    // Another operation or target in the body than in the key.
    let mut tag = command("tag.add", &create.target(), json!({ "tag": "x" }));
    tag.key.clone_from(&create.key);
    ana.send(&tag).await.assert_problem(400, "idempotency-key-invalid");
    let mut elsewhere = create.clone();
    elsewhere.body["target"]["id"] = json!(id());
    ana.send(&elsewhere.with("expected", Value::Null)).await.assert_problem(400, "idempotency-key-invalid");

    let again = ana.send(&create).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let cases = ana.feed().await.into_iter().filter(|item| item["type"] == "case").count();
    assert_eq!(cases, 1);
}

/// CASES S16: tenants do not meet, whatever ids they use.
#[tokio::test]
async fn another_tenants_key_and_ids_are_as_good_as_unused() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "ana", Role::Admin).await;
    let create = a_case("secret");
    let case = create.target();
    ana.send(&create).await;
    let note = command("note.add", &case, json!({ "note_id": id(), "text": "secret" }));
    ana.send(&note).await;

    eve.send(&note).await.assert_problem(404, "target-not-found");
    let after = with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": create.id() }));
    eve.send(&after).await.assert_problem(404, "target-not-found");
    let path = format!("/v1/operations/{}?key={}", create.id(), create.key);
    assert_eq!(eve.get(&path).await.json()["state"], "not_seen");
    assert!(eve.feed().await.iter().all(|item| item["type"] == "member"));

    let theirs = eve.send(&create).await;
    assert_eq!((theirs.status, theirs.is_replayed()), (201, false), "{}", theirs.body);
    assert_eq!(theirs.json()["feed_position"], 3, "their own counter: one member, one case, one activity");
    assert!(!theirs.body.contains(&ana.actor_id()));
    // Now that the target is theirs too, a command of another tenant is still as good as absent.
    eve.send(&with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": note.id() })))
        .await
        .assert_problem(424, "dependency-missing");
    server.assert_whole().await;
}
