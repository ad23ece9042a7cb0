//! Asking what became of a command, and making sure that it never happens.

use domain::Role;
use serde_json::{Value, json};

use super::Server;
use crate::support::{Person, Sent, a_case, command, id};

async fn ask(person: &Person, sent: &Sent) -> Value {
    let reply = person.get(&format!("/v1/operations/{}?key={}", sent.id(), sent.key)).await;
    assert_eq!((reply.status, reply.header("cache-control")), (200, Some("no-store")), "{}", reply.body);
    reply.json()
}

async fn seal(person: &Person, sent: &Sent) -> Value {
    let reply = person.post(&format!("/v1/operations/{}/seal?key={}", sent.id(), sent.key), &json!({})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

#[tokio::test]
async fn an_operation_is_not_seen_then_committed_or_failed() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let before = ask(&ana, &create).await;
    assert_eq!((&before["state"], &before["final"]), (&json!("not_seen"), &json!(false)));
    assert_eq!(before["operation_id"], json!(create.id()));
    let receipt = ana.send(&create).await.json();
    let after = ask(&ana, &create).await;
    assert_eq!((&after["state"], &after["final"], &after["result"]), (&json!("committed"), &json!(true), &receipt));
    let stale = command("case.edit", &create.target(), json!({"changes":{"title":{"from":"x","to":"y"}}}));
    let problem = ana.send(&stale).await.json();
    let failed = ask(&ana, &stale).await;
    assert_eq!((&failed["state"], &failed["final"], &failed["problem"]), (&json!("failed"), &json!(true), &problem));
    // A refusal that is not recorded leaves nothing to be seen.
    let early = command("tag.add", &id(), json!({ "tag": "x" }));
    ana.send(&early).await.assert_problem(404, "target-not-found");
    assert_eq!(ask(&ana, &early).await["state"], "not_seen");
}

#[tokio::test]
async fn many_are_looked_up_in_order_and_only_ones_own() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let (mine, theirs, unseen) = (a_case("m"), a_case("t"), a_case("u"));
    ana.send(&mine).await;
    bob.send(&theirs).await;
    let states = async |person: &Person| {
        let keys = json!({ "keys": [unseen.key, theirs.key, mine.key, mine.key] });
        let reply = person.post("/v1/operations/lookup", &keys).await.json();
        let results = reply["results"].as_array().unwrap().clone();
        assert_eq!(results[1]["idempotency_key"], json!(theirs.key));
        results.iter().map(|result| result["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(&ana).await, ["not_seen", "not_seen", "committed", "committed"]);
    assert_eq!(states(&sue).await, ["not_seen", "committed", "committed", "committed"]);
    assert_eq!(ask(&ana, &theirs).await["state"], "not_seen");
}

#[tokio::test]
async fn a_look_up_needs_the_key_of_the_command() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let path = format!("/v1/operations/{}", create.id());
    ana.get(&path).await.assert_problem(400, "idempotency-key-missing");
    ana.get("/v1/operations/%ff?key=x").await.assert_problem(400, "malformed-request");
    ana.get(&format!("{path}?key=x")).await.assert_problem(400, "idempotency-key-invalid");
    ana.get(&format!("{path}?key={}", a_case("o").key)).await.assert_problem(400, "idempotency-key-invalid");
    ana.get(&format!("{path}?key={}&more=1", create.key)).await.assert_problem(400, "malformed-request");
    let keys: Vec<String> = (0..201).map(|_| create.key.clone()).collect();
    for (body, code) in [
        (json!({ "keys": keys }), "validation-failed"),
        (json!({}), "validation-failed"),
        (json!({ "keys": ["x"] }), "validation-failed"),
        (json!({ "keys": [1] }), "malformed-request"),
        (json!({ "keys": "x" }), "malformed-request"),
    ] {
        ana.post("/v1/operations/lookup", &body).await.assert_problem(400, code);
    }
}

#[tokio::test]
async fn a_sealed_key_never_takes_effect_for_anybody() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let create = a_case("t");
    let sealed = seal(&ana, &create).await;
    assert_eq!((&sealed["state"], &sealed["final"]), (&json!("failed"), &json!(true)));
    assert_eq!(sealed["problem"]["code"], "operation-sealed");
    assert_eq!(seal(&ana, &create).await["problem"], sealed["problem"]);
    for person in [&ana, &bob] {
        let reply = person.send(&create).await;
        reply.assert_problem(410, "operation-sealed");
        assert_eq!(reply.json(), sealed["problem"]);
    }
    assert_eq!(ask(&ana, &create).await["state"], "failed");
    assert!(ana.entity("case", &create.target()).await.is_none());
    // What builds on it has failed with it.
    let other = a_case("o");
    ana.send(&other).await;
    let edit = command("case.edit", &other.target(), json!({"changes":{"title":{"from":"o","to":"p"}}}));
    seal(&ana, &edit).await;
    let next =
        command("tag.add", &other.target(), json!({ "tag": "x" })).with("expected", json!({ "after": edit.id() }));
    ana.send(&next).await.assert_problem(422, "dependency-failed");
    server.assert_whole().await;
}

#[tokio::test]
async fn sealing_what_is_committed_says_so_and_a_foreign_key_stays_foreign() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let create = a_case("t");
    let receipt = ana.send(&create).await.json();
    let sealed = seal(&ana, &create).await;
    assert_eq!((&sealed["state"], &sealed["result"]), (&json!("committed"), &receipt));
    assert_eq!(seal(&bob, &create).await["state"], "not_seen");
    assert_eq!(ana.send(&create).await.status, 201);
}

#[tokio::test]
async fn a_key_whose_command_id_went_out_under_another_is_over_wherever_it_is_asked_about() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let case = a_case("t");
    ana.send(&case).await;
    let committed = command("tag.add", &case.target(), json!({ "tag": "x" }));
    assert_eq!(ana.send(&committed).await.status, 200);
    let sealed = command("tag.add", &case.target(), json!({ "tag": "y" }));
    seal(&ana, &sealed).await;
    for first in [&committed, &sealed] {
        let other = Sent { key: first.key.replacen("tag.add", "tag.remove", 1), ..first.clone() };
        let other = other.with("operation", json!("tag.remove"));
        for person in [&ana, &bob] {
            let executed = person.send(&other).await;
            executed.assert_problem(422, "idempotency-key-reused");
            let many = person.post("/v1/operations/lookup", &json!({ "keys": [other.key] })).await.json();
            for answer in [seal(person, &other).await, ask(person, &other).await, many["results"][0].clone()] {
                assert_eq!((&answer["state"], &answer["final"]), (&json!("failed"), &json!(true)), "{answer}");
                assert_eq!(answer["problem"], executed.json());
            }
        }
    }
    assert_eq!(ask(&ana, &committed).await["state"], "committed");
    server.assert_whole().await;
}
