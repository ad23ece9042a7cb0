//! What is refused without being decided, and what is sealed: it leaves its row, and fills no disk.

use domain::Role;
use serde_json::json;

use super::super::Server;
use super::{COMMITTED, Told, assert_whole, rejected, started};
use crate::support::{Person, Sent, a_case, command};

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

/// A second delivery while the first still runs. Nobody waits for its entry, so it may come after the answer.
#[tokio::test]
async fn it_tells_that_a_delivery_came_while_another_ran() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let running = server.app.gatherer.in_hand().hold(server.tenant("acme").await, &create.key);
    ana.send(&create).await.assert_problem(409, "operation-in-progress");
    drop(running);
    assert_eq!(ana.send(&create).await.status, 201);
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    let mut rows = server.audit_of("acme", &create.id()).await;
    while rows.len() < 2 {
        assert!(tokio::time::Instant::now() < deadline, "{rows:?}");
        tokio::task::yield_now().await;
        rows = server.audit_of("acme", &create.id()).await;
    }
    let mut told: Vec<_> = rows.iter().map(|row| (row.result.as_str(), row.code.as_deref())).collect();
    told.sort_unstable();
    assert_eq!(told, [COMMITTED, rejected("operation-in-progress")]);
    assert!(rows.iter().all(|row| row.idempotency_key == create.key));
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
