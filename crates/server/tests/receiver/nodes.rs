//! Several nodes on one PostgreSQL: processes that die under a command, and what one hears of what another did.

use domain::Role;
use onceover_server::storage::UserChange;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use crate::support::database::{Place, Postgres, Site as _};
use crate::support::process::{Process, run, set_up};
use crate::support::server::Server;
use crate::support::stream::Stream;
use crate::support::{Sent, a_case, command, id};

/// A server with two more nodes on its database.
async fn three() -> [Server<Postgres>; 3] {
    let first: Server<Postgres> = Server::start().await;
    let (second, third) = (first.another().await, first.another().await);
    [first, second, third]
}

/// CASES S20: a node is killed in the middle of a request, and the retry goes to another.
#[cfg(feature = "failpoints")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_command_whose_node_died_is_decided_by_the_next_one() {
    let place: Place<Postgres> = Place::new();
    set_up(&place);
    let stays = Process::start(&place);
    for (point, is_replay) in
        [("during-dedupe-read", false), ("before-commit", false), ("after-commit-before-reply", true)]
    {
        let dies = Process::try_start(&place, &[("ONCEOVER_FAILPOINT", point)]).unwrap();
        let ana = dies.sign_in().await;
        let create = a_case(point);
        assert!(ana.try_send(&create).await.is_none(), "{point}");
        assert!(!dies.wait().success(), "{point}");
        // The token is good at the other node as well: they share the key.
        let ana = crate::support::Person { address: stays.address.clone(), ..ana };
        let asked = ana.get(&format!("/v1/operations/{}?key={}", create.id(), create.key)).await.json();
        assert_eq!(asked["state"], if is_replay { "committed" } else { "not_seen" }, "{point}");
        let retry = ana.send(&create).await;
        assert_eq!((retry.status, retry.is_replayed()), (201, is_replay), "{point}: {}", retry.body);
    }
    assert!(run(&place, &["check"], "").status.success());
}

/// CASES S3: two nodes that run in different languages take the same payload for the same.
#[tokio::test]
async fn nodes_of_different_languages_answer_each_others_commands() {
    let place: Place<Postgres> = Place::new();
    set_up(&place);
    let nodes = ["tr_TR.UTF-8", "C"]
        .map(|language| Process::try_start(&place, &[("LANG", language), ("LC_ALL", language)]).unwrap());
    let ana = nodes[0].sign_in().await;
    let elsewhere = crate::support::Person { address: nodes[1].address.clone(), ..ana.clone() };
    let payload = json!({ "title": "ISTANBUL ı İ ß", "kind": "inspection", "priority": "low", "latitude": 1234.5e-2 });
    for there in [false, true] {
        let create = command("case.create", &id(), payload.clone());
        let (first, second) = if there { (&elsewhere, &ana) } else { (&ana, &elsewhere) };
        let (made, again) = (first.send(&create).await, second.send(&create).await);
        assert_eq!((made.status, again.status, again.is_replayed()), (201, 201, true), "{}", again.body);
        assert_eq!(made.body, again.body);
    }
}

/// CASES S8, S20: of three nodes under load two are killed, one after the other; each command has one effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_killed_under_load_leave_each_command_applied_once() {
    let place: Place<Postgres> = Place::new();
    set_up(&place);
    let mut nodes: Vec<Process> = (0..3).map(|_| Process::start(&place)).collect();
    let ana = nodes[0].sign_in().await;
    let create = a_case("t");
    assert_eq!(ana.send(&create).await.status, 201);
    let commands: Vec<Sent> = (0..90)
        .map(|n| command("note.add", &create.target(), json!({ "note_id": id(), "text": n.to_string() })))
        .collect();
    let mut answered = vec![false; commands.len()];
    while !answered.iter().all(|answered| *answered) {
        let mut tasks = JoinSet::new();
        for (index, note) in commands.iter().enumerate().filter(|(index, _)| !answered[*index]) {
            let address = nodes[index % nodes.len()].address.clone();
            let (ana, note) = (crate::support::Person { address, ..ana.clone() }, note.clone());
            tasks.spawn(async move { (index, ana.try_send(&note).await.map(|reply| reply.status)) });
        }
        let mut heard = 0;
        while let Some(done) = tasks.join_next().await {
            let (index, status) = done.unwrap();
            assert!(status.is_none_or(|status| matches!(status, 201 | 503)), "{status:?}");
            answered[index] |= status == Some(201);
            heard += 1;
            if heard == 10 && nodes.len() > 1 {
                nodes.remove(0).kill();
            }
        }
    }
    let output = run(&place, &["audit", "--tenant", "acme", "--target", &create.target(), "--json"], "");
    let audit: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    for note in &commands {
        let commits = audit.iter().filter(|row| row["command_id"] == note.id() && row["result"] == "committed");
        assert_eq!(commits.count(), 1);
    }
    let output = run(&place, &["check"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// CASES S41: what is committed at one node wakes the streams of another; so does the end of a session.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn wakes_and_ends_of_sessions_cross_nodes() {
    let [here, there, _] = three().await;
    let ana = here.person("acme", "ana", Role::Officer).await;
    let bob = here.person("acme", "bob", Role::Officer).await;
    let (mut stream, mut goes_on) = (Stream::open(&ana.at(&there)).await, Stream::open(&bob.at(&there)).await);
    stream.soon().await;
    goes_on.soon().await;
    assert_eq!(bob.send(&a_case("here")).await.status, 201);
    stream.until_head(4).await;
    here.change("acme", "ana", UserChange::Revoke).await;
    loop {
        let (name, data) = stream.soon().await;
        if name == "session" {
            assert_eq!(data["state"], "revoked");
            break;
        }
    }
    // Signing out ends a stream of the same session at another node too.
    let eve = here.person("acme", "eve", Role::Officer).await;
    let mut stream = Stream::open(&eve.at(&there)).await;
    stream.soon().await;
    assert_eq!(eve.request("DELETE", "/v1/sessions/current", &[], b"").await.status, 204);
    while stream.soon().await.0 != "session" {}
    eve.at(&there).get("/v1/session").await.assert_problem(401, "session-revoked");
    assert_eq!(bob.send(&a_case("goes on")).await.status, 201);
    let head = bob.get("/v1/changes").await.json()["head"].as_u64().unwrap();
    goes_on.until_head(head).await;
}

/// CASES S40: 200 writers over three nodes, with streams open at each: every command takes effect, every stream comes
/// to the last position, and hears of it a few times only.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_writers_wake_every_stream_a_few_times() {
    let nodes = three().await;
    let ana = nodes[0].person("acme", "ana", Role::Officer).await;
    let mut streams = Vec::new();
    for node in &nodes {
        let mut stream = Stream::open(&ana.at(node)).await;
        stream.soon().await;
        streams.push(stream);
    }
    let began = Instant::now();
    let mut writers = JoinSet::new();
    for n in 0..200 {
        let person = ana.at(&nodes[n % 3]);
        writers.spawn(async move { person.send(&a_case(&n.to_string())).await.status });
    }
    let statuses = writers.join_all().await;
    assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");
    let head = ana.get("/v1/changes").await.json()["head"].as_u64().unwrap();
    assert_eq!(head, 401, "one member, 200 cases and their activities, whatever node they came through");
    for stream in &mut streams {
        let mut wakes = 1;
        while stream.soon().await.1["head"] != head {
            wakes += 1;
        }
        let allowed = began.elapsed().as_millis() / 250 + 1;
        assert!(wakes <= allowed, "{wakes} wakes, {allowed} allowed");
    }
    nodes[0].assert_whole().await;
}

/// CASES A4: while some node is at work for the tenant, what it may be about to record is *processing* everywhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_another_node_may_have_in_hand_is_not_called_unseen() {
    let [here, there, _] = three().await;
    let ana = here.person("acme", "ana", Role::Officer).await;
    let (create, other) = (a_case("t"), a_case("u"));
    assert_eq!(ana.send(&other).await.status, 201);
    let held = here.place.hold("acme").await;
    let ask = |sent: &Sent| format!("/v1/operations/{}?key={}", sent.id(), sent.key);
    let asked = ana.at(&there).get(&ask(&create)).await.json();
    assert_eq!((&asked["state"], &asked["final"]), (&json!("processing"), &json!(false)));
    let known = ana.at(&there).get(&ask(&other)).await.json();
    assert_eq!(known["state"], "committed", "what is recorded is told at once");
    drop(held);
    assert_eq!(ana.at(&there).get(&ask(&create)).await.json()["state"], "not_seen");
}

/// A node with a key of its own would take nobody's token, and sign what the others do not take.
#[test]
fn a_node_with_another_key_does_not_serve() {
    let place: Place<Postgres> = Place::new();
    set_up(&place);
    let first = Process::start(&place);
    let mut command = crate::support::process::program(&place);
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("ONCEOVER_KEY_FILE", place.file("other.key"));
    let refused = command.output().unwrap();
    let says = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(73), "{says}");
    assert!(says.contains("copy that one from another node") && says.contains("other.key"), "{says}");
    std::fs::copy(place.folder().join("onceover.key"), place.file("other.key")).unwrap();
    assert!(Process::try_start(&place, &[("ONCEOVER_KEY_FILE", "other.key")]).is_some());
    drop(first);
}

/// A server that goes away and comes back is found again, without a restart of the node.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_that_were_ended_are_replaced() {
    let server: Server<Postgres> = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    assert_eq!(ana.send(&a_case("before")).await.status, 201);
    let end = "select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()";
    for round in 0..5 {
        server.place.sql(end).await;
        assert_eq!(ana.send(&a_case(&round.to_string())).await.status, 201);
        assert_eq!(ana.get("/v1/session").await.status, 200);
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while crate::support::http::send(&server.address, "GET", "/readyz", &[], b"").await.unwrap().status != 200 {
        assert!(Instant::now() < deadline);
    }
    server.assert_whole().await;
}

/// CASES S31: a node that is pointed at a copy which takes no writes, as a standby is, never says `not_seen` of what the
/// copy may not have yet: what it does not find it cannot answer for, and it takes no requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_copy_that_takes_no_writes_does_not_answer_for_the_primary() {
    let server: Server<Postgres> = Server::start().await;
    let ana = server.person("acme", "ana", domain::Role::Officer).await;
    let behind = server.place.copy(server.storage.as_ref()).await;
    let create = a_case("committed after the copy");
    assert_eq!(ana.send(&create).await.status, 201);
    let name = &behind.kind().0.name;
    behind.sql(&format!("alter database \"{name}\" set default_transaction_read_only = on")).await;
    let standby = server.restored(behind).await;
    let there = ana.at(&standby);
    for _ in 0..3 {
        let asked = there.get(&format!("/v1/operations/{}?key={}", create.id(), create.key)).await;
        assert!(asked.status == 503, "{} {}", asked.status, asked.body);
        let many = there.post("/v1/operations/lookup", &json!({ "keys": [create.key] })).await;
        assert!(many.status == 503, "{} {}", many.status, many.body);
        assert_eq!(there.get("/readyz").await.status, 503);
    }
    let asked = ana.get(&format!("/v1/operations/{}?key={}", create.id(), create.key)).await.json();
    assert_eq!(asked["state"], "committed");
}
