//! Many at once: one effect a key, nothing lost, nothing doubled, whatever meets whatever.

use std::sync::Arc;

use domain::Role;
use onceover_server::storage::AuditFilter;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Server;
use crate::support::{Person, Reply, Sent, a_case, command, id, soak};

async fn all_at_once(senders: Vec<(Person, Sent)>) -> Vec<Reply> {
    let barrier = Arc::new(Barrier::new(senders.len()));
    let mut tasks = JoinSet::new();
    for (person, sent) in senders {
        let barrier = Arc::clone(&barrier);
        tasks.spawn(async move {
            barrier.wait().await;
            person.send(&sent).await
        });
    }
    tasks.join_all().await
}

/// CASES S12: 64 equal requests at a barrier, on one node and on three; A4: one that meets a running one waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_equal_requests_have_one_effect() {
    for nodes in [1, 3] {
        let server = Server::start().await;
        let ana = server.person("acme", "ana", Role::Officer).await;
        let mut others = Vec::new();
        while others.len() + 1 < nodes {
            others.push(server.another().await);
        }
        let people: Vec<Person> = std::iter::once(ana.clone()).chain(others.iter().map(|node| ana.at(node))).collect();
        let create = a_case("t");
        let senders = (0..64).map(|n| (people[n % nodes].clone(), create.clone())).collect();
        let replies = all_at_once(senders).await;
        let first = replies.iter().find(|reply| reply.status == 201 && !reply.is_replayed()).unwrap().clone();
        assert_eq!(replies.iter().filter(|reply| reply.status == 201 && !reply.is_replayed()).count(), 1);
        for reply in &replies {
            if reply.status == 409 {
                reply.assert_problem(409, "operation-in-progress");
            } else {
                assert_eq!((reply.status, &reply.body), (201, &first.body));
            }
        }
        let committed = server.audit_of("acme", &create.id()).await.into_iter().filter(|row| row.result == "committed");
        assert_eq!(committed.count(), 1);
        server.assert_whole().await;
    }
}

/// CASES A13: two deliveries on two nodes over the same database.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_requests_on_two_nodes_have_one_effect() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let other = server.another().await;
    for round in 0..10 {
        let create = a_case(&round.to_string());
        let senders = (0..8).map(|n| (if n % 2 == 0 { ana.clone() } else { ana.at(&other) }, create.clone())).collect();
        let replies = all_at_once(senders).await;
        assert_eq!(replies.iter().filter(|reply| !reply.is_replayed()).count(), 1);
        assert!(replies.iter().all(|reply| reply.status == 201 && reply.body == replies[0].body));
    }
    server.assert_whole().await;
}

/// CASES S25: two writers, a reader that polls between; S39: no writer hears that the database is locked.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_that_polls_while_two_nodes_write_misses_nothing() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let other = server.another().await;
    let create = a_case("t");
    ana.send(&create).await;
    let notes: Vec<Sent> = (0..200)
        .map(|n| command("note.add", &create.target(), json!({ "note_id": id(), "text": n.to_string() })))
        .collect();
    let mut writers = JoinSet::new();
    for (n, chunk) in notes.chunks(13).enumerate() {
        let person = if n % 2 == 0 { ana.clone() } else { ana.at(&other) };
        let chunk = chunk.to_vec();
        writers.spawn(async move {
            for note in chunk {
                let reply = person.send(&note).await;
                assert_eq!(reply.status, 201, "{}", reply.body);
            }
        });
    }
    let (mut seen, mut cursor, mut last) = (Vec::new(), String::new(), 0);
    loop {
        let is_done = writers.is_empty();
        let page = ana.get(&format!("/v1/changes?limit=7&cursor={cursor}")).await.json();
        for item in page["items"].as_array().unwrap() {
            let seq = item["seq"].as_u64().unwrap();
            assert!(seq > last, "positions rise");
            last = seq;
            if item["type"] == "note" {
                seen.push(item["command_id"].as_str().unwrap().to_owned());
            }
        }
        page["cursor"].as_str().unwrap().clone_into(&mut cursor);
        if is_done && page["has_more"] == false {
            break;
        }
        while let Some(written) = writers.try_join_next() {
            written.unwrap();
        }
    }
    seen.sort();
    let mut sent: Vec<String> = notes.iter().map(Sent::id).collect();
    sent.sort();
    assert_eq!(seen, sent);
    server.assert_whole().await;
}

/// A burst of different commands is written in groups; a bad one among them fails alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_burst_of_different_commands_has_each_effect() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let senders: Vec<(Person, Sent)> = (0..150)
        .map(|n| {
            let target = if n % 10 == 0 { id() } else { create.target() };
            (ana.clone(), command("tag.add", &target, json!({ "tag": format!("t{n:03}") })))
        })
        .collect();
    let replies = all_at_once(senders).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 135);
    assert_eq!(replies.iter().filter(|reply| reply.status == 404).count(), 15);
    let tags = ana.entity("case", &create.target()).await.unwrap()["tags"].as_array().unwrap().len();
    assert_eq!(tags, 135);
    server.assert_whole().await;
}

/// CASES A4: while the first still runs, the second hears so after three seconds, and a look-up says *processing*.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_running_command_is_told_from_an_unseen_one() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let held = server.place.hold("acme").await;
    let (running, asked) = (ana.clone(), create.clone());
    let first = tokio::spawn(async move { running.send(&asked).await });
    ana.until_processing(&create).await;
    // Unless the first has given up waiting meanwhile; then this one has waited too.
    let second = ana.send(&create).await;
    let code = if second.status == 409 { "operation-in-progress" } else { "temporarily-unavailable" };
    second.assert_problem(if second.status == 409 { 409 } else { 503 }, code);
    drop(held);
    // On a machine so slow that its own wait for the lock is over too, the first is told to come again.
    let first = first.await.unwrap();
    assert!(matches!(first.status, 201 | 503), "{}", first.body);
    let again = ana.send(&create).await;
    assert_eq!((again.status, again.is_replayed()), (201, first.status == 201));
}

/// CASES S19: what the database could not do is not recorded, and the retry executes.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lock_that_lasts_is_unavailable_and_the_retry_executes() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let held = server.place.hold("acme").await;
    let reply = ana.send(&create).await;
    reply.assert_problem(503, "temporarily-unavailable");
    assert!(reply.header("retry-after").is_some());
    drop(held);
    let retry = ana.send(&create).await;
    assert_eq!((retry.status, retry.is_replayed()), (201, false));
    server.assert_whole().await;
}

/// Sends each of `notes` at the same time and goes away from each at another microsecond, asking for other things in
/// between.
async fn go_away(person: Person, notes: Vec<Sent>) {
    let mut tasks = JoinSet::new();
    for (n, note) in (0_u64..).zip(notes) {
        let person = person.clone();
        tasks.spawn(async move {
            let patience = std::time::Duration::from_micros(n * 7919 % 20_000);
            let asking = async {
                match n % 6 {
                    0 => drop(person.try_request("GET", "/v1/changes?limit=9", &[], b"").await),
                    1 => drop(person.try_request("DELETE", "/v1/sessions/never", &[], b"").await),
                    _ => {}
                }
                person.try_send(&note).await
            };
            let _ = tokio::time::timeout(patience, asking).await;
        });
    }
    tasks.join_all().await;
}

/// CASES S37: clients of two tenants that go away at any moment leave whole transactions behind, each with the effect
/// and the audit of its own tenant and actor, no connection inside one, and all connections at rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_that_go_away_leave_nothing_half_done() {
    let server = Server::start().await;
    let mut sent = Vec::new();
    for tenant in ["acme", "other"] {
        let person = server.person(tenant, "ana", Role::Officer).await;
        let create = a_case("t");
        assert_eq!(person.send(&create).await.status, 201);
        let note = || command("note.add", &create.target(), json!({ "note_id": id(), "text": tenant }));
        let notes: Vec<Sent> = (0..100 * soak()).map(|_| note()).collect();
        sent.push((tenant, person, create, notes));
    }
    let all = sent.iter().map(|(_, person, _, notes)| go_away(person.clone(), notes.clone()));
    futures_util::future::join_all(all).await;
    for (tenant, person, create, notes) in &sent {
        for note in notes {
            assert_eq!(person.send(note).await.status, 201);
        }
        let id = server.storage.tenant_of(tenant).await.unwrap().unwrap();
        let mut audit = server.storage.audit(id, AuditFilter { command: None, target: None }).await.unwrap();
        audit.retain(|row| !row.idempotency_key.is_empty());
        assert!(audit.iter().all(|row| row.actor_id == person.actor_id()));
        let committed = audit.into_iter().filter(|row| row.result == "committed").map(|row| row.command_id);
        let (mut committed, mut own) = (committed.collect::<Vec<_>>(), vec![create.id()]);
        own.extend(notes.iter().map(Sent::id));
        committed.sort();
        own.sort();
        assert_eq!(committed, own);
        let feed = person.feed().await.into_iter().filter(|item| item["type"] == "note");
        let texts: Vec<_> = feed.map(|item| item["entity"]["text"].clone()).collect();
        assert_eq!(texts, vec![json!(tenant); notes.len()]);
    }
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(10);
    while server.storage.pools().iter().any(|pool| pool.idle != pool.connections as usize) {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", server.storage.pools());
        tokio::task::yield_now().await;
    }
    assert_eq!(server.place.open_transactions().await, 0);
    server.assert_whole().await;
}
