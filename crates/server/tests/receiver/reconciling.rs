//! What a look-up answers is what the database that takes the writes holds.

use domain::Role;
use serde_json::{Value, json};

use super::Server;
use crate::support::{Person, Sent, a_case, command, id};

async fn look_up(person: &Person, sent: &Sent) -> Value {
    person.get(&format!("/v1/operations/{}?key={}", sent.id(), sent.key)).await.json()
}

/// CASES S31: what was just committed at one node is committed in the answer of every other, alone and in a list, each
/// time: no answer comes from a copy that is behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_look_up_knows_what_was_answered_before_it() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let beside = server.another().await;
    let there = ana.at(&beside);
    let create = a_case("t");
    ana.send(&create).await;
    for number in 0..100 {
        let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": number.to_string() }));
        assert_eq!(look_up(&there, &note).await["state"], "not_seen");
        assert_eq!(ana.send(&note).await.status, 201);
        assert_eq!(look_up(&there, &note).await["state"], "committed", "note {number}");
        let many = there.post("/v1/operations/lookup", &json!({ "keys": [note.key, create.key] })).await.json();
        assert!(many["results"].as_array().unwrap().iter().all(|result| result["state"] == "committed"), "{many}");
    }
}
