//! Wake-ups: on connect, after commits, coalesced, of one's own tenant, and the end of a session.

use std::time::Duration;

use domain::Role;
use onceover_server::storage::UserChange;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::Server;
use crate::support::a_case;
use crate::support::stream::Stream;

/// CASES S41: on connect the newest head is shown, so what happened before is pulled.
#[tokio::test]
async fn a_stream_wakes_on_connect_and_after_each_commit() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    ana.send(&a_case("before")).await;
    let mut stream = Stream::open(&ana).await;
    let (name, data) = stream.soon().await;
    assert_eq!((name.as_str(), &data["head"]), ("wake", &Value::from(3)));
    assert_eq!(data["epoch"], ana.get("/v1/changes").await.json()["epoch"]);
    ana.send(&a_case("after")).await;
    stream.until_head(5).await;
}

#[tokio::test]
async fn wakes_are_coalesced() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut stream = Stream::open(&ana).await;
    stream.soon().await;
    let began = Instant::now();
    for n in 0..40 {
        ana.send(&a_case(&n.to_string())).await;
    }
    let mut wakes: u128 = 0;
    loop {
        wakes += 1;
        if stream.soon().await.1["head"] == 81 {
            break;
        }
    }
    let allowed = began.elapsed().as_millis() / 250 + 1;
    assert!(wakes <= allowed, "{wakes} wakes, {allowed} allowed");
}

#[tokio::test]
async fn another_tenants_commits_wake_nobody_here() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "eve", Role::Officer).await;
    let mut stream = Stream::open(&eve).await;
    assert_eq!(stream.soon().await.1["head"], 1);
    for n in 0..5 {
        ana.send(&a_case(&n.to_string())).await;
    }
    eve.send(&a_case("mine")).await;
    assert_eq!(stream.soon().await.1["head"], 3, "the next wake is the own one");
}

#[tokio::test]
async fn a_revoked_session_hears_it_and_its_stream_ends() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let (mut stream, mut other) = (Stream::open(&ana).await, Stream::open(&bob).await);
    stream.soon().await;
    other.soon().await;
    server.change("acme", "ana", UserChange::Revoke).await;
    loop {
        let (name, data) = stream.soon().await;
        if name == "session" {
            assert_eq!(data["state"], "revoked");
            break;
        }
    }
    assert!(timeout(Duration::from_secs(10), stream.next()).await.unwrap().is_none());
    let head = bob.get("/v1/changes").await.json()["head"].as_u64().unwrap();
    bob.send(&a_case("goes on")).await;
    other.until_head(head + 2).await;
}

#[tokio::test]
async fn streams_end_when_the_server_drains() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut stream = Stream::open(&ana).await;
    stream.soon().await;
    server.drain();
    assert!(timeout(Duration::from_secs(10), stream.next()).await.unwrap().is_none());
}
