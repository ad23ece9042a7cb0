//! What each operation does when all is well, and what the feed shows of it.

use domain::Role;
use serde_json::json;

use super::Server;
use crate::support::{a_case, command, id, with_expected};

#[tokio::test]
async fn a_case_lives_through_every_operation() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let create = a_case("Broken fence");
    let case = create.target();
    let created = ana.send(&create).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let receipt = created.json();
    assert_eq!(receipt["operation_id"], json!(create.id()));
    assert_eq!(receipt["state"], "committed");
    assert_eq!(receipt["result"], json!({ "type": "case", "id": case, "revision": 1 }));
    let fence = json!({
        "tenant_id": ana.session["tenant"]["id"], "actor_id": ana.actor_id(), "session_version": 1,
        "payload_hash": create.body["payload_hash"], "entity_type": "case", "entity_id": case, "entity_revision": 1,
    });
    assert_eq!(receipt["fence"], fence);

    let edit = command("case.edit", &case, json!({"changes":{"title":{"from":"Broken fence","to":"Fallen fence"}}}));
    let edited = ana.send(&edit).await;
    assert_eq!((edited.status, &edited.json()["fence"]["entity_revision"]), (200, &json!(2)));
    let to = json!({ "to": "under_review", "reason_code": "evidence_complete" });
    let moved = ana.send(&with_expected("case.transition", &case, to, json!({ "revision": 2 }))).await;
    assert_eq!((moved.status, &moved.json()["fence"]["entity_revision"]), (200, &json!(3)));
    let assigned = ana.send(&command("case.assign", &case, json!({ "from": null, "to": bob.actor_id() }))).await;
    assert_eq!((assigned.status, &assigned.json()["fence"]["entity_revision"]), (200, &json!(4)));
    let note_id = id();
    let noted = bob.send(&command("note.add", &case, json!({ "note_id": note_id, "text": " seen\n" }))).await;
    assert_eq!((noted.status, &noted.json()["fence"]["entity_revision"]), (201, &json!(4)));
    assert_eq!(noted.json()["result"], json!({ "type": "note", "id": note_id, "revision": 1 }));
    for (operation, tag) in [("tag.add", "fire"), ("tag.add", "b"), ("tag.remove", "fire"), ("tag.remove", "none")] {
        let tagged = bob.send(&command(operation, &case, json!({ "tag": tag }))).await;
        assert_eq!((tagged.status, &tagged.json()["fence"]["entity_revision"]), (200, &json!(4)), "{operation} {tag}");
    }

    let entity = ana.entity("case", &case).await.unwrap();
    assert_eq!(entity["title"], "Fallen fence");
    assert_eq!(entity["status"], "under_review");
    assert_eq!(entity["assignee_id"], json!(bob.actor_id()));
    assert_eq!(entity["tags"], json!(["b"]));
    assert_eq!(entity["number"], "2026-000001");
    assert_eq!(entity["revision"], 4);
    let note = ana.entity("note", &note_id).await.unwrap();
    assert_eq!(
        (&note["text"], &note["case_id"], &note["created_by"]),
        (&json!(" seen\n"), &json!(case), &json!(bob.actor_id()))
    );
    let activities = ana.feed().await.into_iter().filter(|item| item["type"] == "activity").count();
    assert_eq!(activities, 9, "one per committed command");
    server.assert_whole().await;
}

#[tokio::test]
async fn a_number_is_used_up_only_by_a_case_that_is_committed() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let first = a_case("one");
    ana.send(&first).await;
    let again = command("case.create", &first.target(), first.body["payload"].clone());
    ana.send(&again).await.assert_problem(422, "domain-rejected");
    let second = a_case("two");
    ana.send(&second).await;
    assert_eq!(ana.entity("case", &second.target()).await.unwrap()["number"], "2026-000002");
}

#[tokio::test]
async fn edits_of_different_fields_do_not_conflict_and_a_chain_made_offline_applies() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let title = command("case.edit", &case, json!({"changes":{"title":{"from":"t","to":"u"}}}));
    let kind = command("case.edit", &case, json!({"changes":{"kind":{"from":"complaint","to":"permit"}}}));
    assert_eq!(ana.send(&title).await.status, 200);
    assert_eq!(ana.send(&kind).await.status, 200);
    // Each names the one before, as an offline client does.
    let to = |status: &str| json!({ "to": status, "reason_code": "go" });
    let one = with_expected("case.transition", &case, to("under_review"), json!({ "after": kind.id() }));
    let two = with_expected("case.transition", &case, to("resolved"), json!({ "after": one.id() }));
    ana.send(&two).await.assert_problem(424, "dependency-missing");
    assert_eq!(ana.send(&one).await.status, 200);
    assert_eq!(ana.send(&two).await.status, 200, "a 424 is not recorded");
}

/// CASES S6: the same note wanted twice is two notes.
#[tokio::test]
async fn two_equal_notes_with_different_keys_are_two_notes() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    for _ in 0..2 {
        let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "same" }));
        assert_eq!(ana.send(&note).await.status, 201);
    }
    let notes = ana.feed().await.into_iter().filter(|item| item["type"] == "note").count();
    assert_eq!(notes, 2);
    let keyless = command("note.add", &create.target(), json!({ "note_id": id(), "text": "same" }));
    let reply = ana.post("/v1/commands", &keyless.body).await;
    reply.assert_problem(400, "idempotency-key-missing");
}
