//! What one tenant holds and does is told to no other one, and a notification to nobody but its recipient.

mod asks;
mod worlds;

use std::collections::BTreeMap;

use domain::Role;
use onceover_server::app::App;
use serde_json::json;

use super::Server;
use crate::support::stream::Stream;
use crate::support::{Person, Reply, Sent, a_case, command, id, soak, with_expected};
use asks::Asks;
use worlds::{Strangers, World};

/// Requests of one run; `ONCEOVER_SOAK` is the number of runs.
const ASKS: usize = 250;

/// CASES S16: the same requests, which name another tenant's ids, keys, cursors and names wherever a request has a
/// place for one, to a server where that tenant has much and goes on working, and to one where it is not: every answer
/// is the same, in status, headers and body.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_answer_depends_on_what_another_tenant_has() {
    for seed in 0..soak() {
        differ_by_nothing(0x0dd5_eed5 + seed).await;
    }
}

async fn differ_by_nothing(seed: u64) {
    let full = Server::start_with(worlds::unhurried()).await;
    let empty = full.restored(super::Place::new()).await;
    let strangers = Strangers::settle(&full).await;
    let (mut full, mut empty) = (World::with(full).await, World::with(empty).await);
    let mut asks = Asks::about(seed, &strangers);
    let mut statuses: BTreeMap<(&str, u16), usize> = BTreeMap::new();
    for n in 0..ASKS {
        let ask = asks.next(n);
        let ((), in_full, in_empty) = tokio::join!(strangers.act(n), full.ask(&ask), empty.ask(&ask));
        let (in_full, in_empty) = (full.canonical(&asks, &in_full), empty.canonical(&asks, &in_empty));
        assert_eq!(in_full, in_empty, "seed {seed:#x}, request {n}: {ask:?}");
        *statuses.entry((ask.route, in_full.status)).or_default() += 1;
        for world in [&full, &empty] {
            world.server.turn_clock(std::time::Duration::from_millis(500));
        }
    }
    // All that the two have come to, from the beginning.
    for who in 0..worlds::PEOPLE.len() {
        let ask = Asks::whole_feed(who);
        let (in_full, in_empty) = (full.ask(&ask).await, empty.ask(&ask).await);
        assert_eq!(full.canonical(&asks, &in_full), empty.canonical(&asks, &in_empty), "seed {seed:#x}");
    }
    assert_eq!(full.audit(&asks).await, empty.audit(&asks).await, "seed {seed:#x}");
    strangers.assert_unharmed().await;
    full.server.assert_whole().await;
    empty.server.assert_whole().await;
    // A run that is refused everything shows nothing.
    for path in App::paths() {
        let good: usize =
            statuses.iter().filter(|((route, status), _)| *route == path && *status < 300).map(|(_, n)| n).sum();
        assert!(good > 0 || path == "/metrics", "{path}: {statuses:?}");
    }
    for status in [200, 201, 400, 404, 412, 422] {
        assert!(statuses.contains_key(&("/v1/commands", status)), "{status}: {statuses:?}");
    }
}

/// CASES S16, in time: what another tenant has in hand is neither *processing* nor in the way.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_another_tenant_has_in_hand_is_not_seen() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "eve", Role::Supervisor).await;
    let create = a_case("secret");
    let held = server.place.hold("acme").await;
    let (running, asked) = (ana.clone(), create.clone());
    let first = tokio::spawn(async move { running.send(&asked).await });
    ana.until_processing(&create).await;
    let path = format!("/v1/operations/{}?key={}", create.id(), create.key);
    assert_eq!(eve.get(&path).await.json()["state"], "not_seen");
    let many = eve.post("/v1/operations/lookup", &json!({ "keys": [create.key] })).await.json();
    assert_eq!(many["results"][0]["state"], "not_seen");
    drop(held);
    let theirs = eve.send(&create).await;
    assert_eq!((theirs.status, theirs.is_replayed()), (201, false), "{}", theirs.body);
    first.await.unwrap();
    assert_eq!(ana.send(&create).await.status, 201);
    server.assert_whole().await;
}

/// CASES S16: a stream is silent whatever another tenant does, whose cases, people and sessions it names or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stream_is_not_woken_by_another_tenant() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "eve", Role::Officer).await;
    let shared = a_case("t");
    let mut stream = Stream::open(&eve).await;
    assert_eq!(stream.soon().await.1["head"], 1);
    for n in 0..20 {
        assert_eq!(ana.send(&a_case(&n.to_string())).await.status, 201);
    }
    ana.send(&shared).await;
    assert_eq!(ana.post("/v1/presence", &json!({ "case_id": shared.target() })).await.status, 204);
    assert_eq!(ana.request("DELETE", "/v1/sessions/current", &[], b"").await.status, 204);
    // Long enough for a node that looks for changes to have looked, by the stream of the tenant where they are.
    let bob = server.person("acme", "bob", Role::Officer).await;
    let mut theirs = Stream::open(&bob).await;
    let head = theirs.soon().await.1["head"].as_u64().unwrap();
    bob.send(&a_case("t")).await;
    while theirs.soon().await.1["head"] != head + 2 {}
    let receipt = eve.send(&shared).await.json();
    let (name, data) = stream.soon().await;
    assert_eq!((name.as_str(), &data["head"]), ("wake", &receipt["feed_position"]), "the first word since the beginning");
    assert_eq!(eve.post("/v1/presence", &json!({ "case_id": shared.target() })).await.status, 204);
    let (name, data) = stream.soon().await;
    assert_eq!((name.as_str(), &data["actors"]), ("presence", &json!([eve.actor_id()])));
}

fn read_notification(id: &str, expected: serde_json::Value) -> Sent {
    let payload = json!({ "notification_id": id, "read_at": "2026-11-30T09:00:00.000Z" });
    let mut read = command("notification.read", id, payload).with("expected", expected);
    read.body["target"] = json!({ "type": "notification", "id": id });
    read.with("schema_version", json!(1))
}

/// The notifications of `person`'s feed.
async fn notifications(person: &Person) -> Vec<String> {
    let feed = person.feed().await.into_iter();
    feed.filter(|item| item["type"] == "notification").map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// A notification is there for its recipient alone; to others, whatever their role, it is as one that never was.
#[tokio::test]
async fn somebody_elses_notification_is_as_good_as_none() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Admin).await;
    let create = a_case("t");
    sue.send(&create).await;
    let assign = command("case.assign", &create.target(), json!({ "from": null, "to": ana.actor_id() }));
    assert_eq!(sue.send(&assign).await.status, 200);
    let of_ana = notifications(&ana).await;
    assert_eq!(of_ana.len(), 1);
    for other in [&bob, &sue] {
        assert!(notifications(other).await.is_empty());
        for expected in [json!(null), json!({ "revision": 1 }), json!({ "revision": 9 }), json!({ "after": id() })] {
            let answers = [&of_ana[0], &id()].map(|id| read_notification(id, expected.clone()));
            let theirs = other.send(&answers[0]).await;
            let never = other.send(&answers[1]).await;
            theirs.assert_problem(404, "target-not-found");
            let told = |reply: &Reply| reply.body.replace(&reply.json()["operation_id"].to_string(), "");
            assert_eq!((theirs.status, told(&theirs)), (never.status, told(&never)));
        }
    }
    let read = read_notification(&of_ana[0], json!({ "revision": 1 }));
    assert_eq!(ana.send(&read).await.status, 200);
    // What she did with it is hers as well.
    let path = format!("/v1/operations/{}?key={}", read.id(), read.key);
    assert_eq!(bob.get(&path).await.json()["state"], "not_seen");
    assert_eq!(ana.get(&path).await.json()["state"], "committed");
    for other in [&bob, &sue] {
        let feed = other.feed().await;
        assert!(feed.iter().all(|item| item["type"] != "notification" && item["command_id"] != json!(read.id())));
    }
    let after = with_expected("tag.add", &create.target(), json!({ "tag": "x" }), json!({ "after": read.id() }));
    bob.send(&after).await.assert_problem(400, "validation-failed");
    server.assert_whole().await;
}
