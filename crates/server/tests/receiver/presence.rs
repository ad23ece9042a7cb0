//! Who is at which case: told to the own tenant, for a while, and never anything about anybody else's.

use domain::Role;
use onceover_server::config::{Config, Whole};
use serde_json::{Value, json};

use crate::support::http::send;
use crate::support::stream::Stream;
use super::Server;
use crate::support::{Person, a_case, id};

async fn be_at(person: &Person, case: &str) {
    let reply = person.post("/v1/presence", &json!({ "case_id": case })).await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
}

/// The next presence that `stream` tells, wakes left out.
async fn next(stream: &mut Stream) -> Value {
    loop {
        let (name, data) = stream.soon().await;
        if name == "presence" {
            return data;
        }
        assert_eq!(name, "wake");
    }
}

#[tokio::test]
async fn whoever_comes_and_goes_is_told_to_the_tenant() {
    let server = Server::start_with(Config { presence_s: Whole(1), ..Config::default() }).await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Viewer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let case = create.target();
    let mut stream = Stream::open(&ana).await;
    be_at(&bob, &case).await;
    assert_eq!(next(&mut stream).await, json!({ "case_id": case, "actors": [bob.actor_id()] }));
    // Whoever opens a stream later hears who is there, as long as he is.
    let mut later = Stream::open(&bob).await;
    let (name, _) = later.soon().await;
    assert_eq!(name, "wake", "the feed comes first");
    let gone = json!({ "case_id": case, "actors": [] });
    assert_eq!(next(&mut stream).await, gone, "it ends by itself");
    be_at(&ana, &case).await;
    assert_eq!(next(&mut stream).await["actors"], json!([ana.actor_id()]));
    assert_eq!(next(&mut stream).await, gone);
}

#[tokio::test]
async fn saying_it_again_lasts_and_is_not_told_again() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let mut stream = Stream::open(&ana).await;
    let case = id();
    for _ in 0..3 {
        be_at(&ana, &case).await;
    }
    assert_eq!(next(&mut stream).await, json!({ "case_id": case, "actors": [ana.actor_id()] }));
    be_at(&bob, &case).await;
    assert_eq!(next(&mut stream).await, json!({ "case_id": case, "actors": [ana.actor_id(), bob.actor_id()] }));
    let mut later = Stream::open(&bob).await;
    assert_eq!(next(&mut later).await["actors"], json!([ana.actor_id(), bob.actor_id()]));
}

/// The case of another tenant is as one that does not exist: the answer is the same, and nobody over there hears it.
#[tokio::test]
async fn another_tenants_case_is_as_good_as_none() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "eve", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let mut stream = Stream::open(&ana).await;
    let mut evil = Stream::open(&eve).await;
    for case in [create.target(), id()] {
        be_at(&eve, &case).await;
        assert_eq!(next(&mut evil).await, json!({ "case_id": case, "actors": [eve.actor_id()] }));
    }
    be_at(&ana, &create.target()).await;
    let told = next(&mut stream).await;
    assert_eq!(told["actors"], json!([ana.actor_id()]), "the first that her tenant hears is hers");
}

#[tokio::test]
async fn presence_is_read_strictly_and_stored_nowhere() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let head = ana.get("/v1/changes").await.json()["head"].clone();
    for (body, code) in [
        (json!([]), "malformed-request"),
        (json!({ "case_id": 1 }), "malformed-request"),
        (json!({ "case_id": id(), "more": "x" }), "malformed-request"),
        (json!({}), "validation-failed"),
        (json!({ "case_id": id().to_uppercase() }), "validation-failed"),
    ] {
        ana.post("/v1/presence", &body).await.assert_problem(400, code);
    }
    let reply = send(&server.address, "POST", "/v1/presence", &[], b"{}").await.unwrap();
    reply.assert_problem(401, "unauthenticated");
    be_at(&ana, &id()).await;
    assert_eq!(ana.get("/v1/changes").await.json()["head"], head);
}
