//! Many commands in one request: each stands alone, and what depends on a failed one does not run.

use domain::Role;
use serde_json::{Value, json};

use super::Server;
use crate::support::{a_case, command, id};

fn statuses(reply: &Value) -> Vec<u64> {
    reply["results"].as_array().unwrap().iter().map(|result| result["status"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn each_item_has_its_own_answer_in_order() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let case = create.target();
    let note = command("note.add", &case, json!({ "note_id": id(), "text": "x" }));
    let edit = command("case.edit", &case, json!({"changes":{"title":{"from":"t","to":"u"}}}));
    let reply = ana.batch(&[&create, &note, &edit, &create]).await;
    assert_eq!(reply.status, 200);
    let reply = reply.json();
    assert_eq!(statuses(&reply), [201, 201, 200, 201]);
    assert_eq!(reply["results"][0]["idempotency_key"], json!(create.key));
    assert_eq!(reply["results"][0]["body"], reply["results"][3]["body"], "a repeat in the group gets the first answer");
    let alone = ana.send(&create).await;
    assert_eq!(alone.json(), reply["results"][0]["body"]);
    assert!(alone.is_replayed());
    server.assert_whole().await;
}

#[tokio::test]
async fn what_follows_a_failed_item_on_its_target_does_not_run_unless_it_commutes() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let other = a_case("o");
    ana.batch(&[&create, &other]).await;
    let case = create.target();
    let edit = |from: &str, to: &str| command("case.edit", &case, json!({"changes":{"title":{"from":from,"to":to}}}));
    let (stale, fine) = (edit("never", "x"), edit("t", "u"));
    let note = command("note.add", &case, json!({ "note_id": id(), "text": "x" }));
    let elsewhere = command("case.edit", &other.target(), json!({"changes":{"title":{"from":"o","to":"p"}}}));
    let reply = ana.batch(&[&stale, &fine, &note, &elsewhere, &create]).await.json();
    assert_eq!(statuses(&reply), [412, 424, 201, 200, 201], "what is committed already is still replayed");
    assert_eq!(reply["results"][1]["body"]["code"], "dependency-missing");
    assert_eq!(ana.send(&fine).await.status, 200, "a 424 is not recorded");
}

#[tokio::test]
async fn a_bad_item_is_its_own_problem_and_blocks_its_target() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let case = create.target();
    ana.send(&create).await;
    let bad = command("case.edit", &case, json!({ "changes": {} }));
    let good = command("case.edit", &case, json!({"changes":{"title":{"from":"t","to":"u"}}}));
    let keyless = command("tag.add", &case, json!({ "tag": "x" }));
    let fresh = a_case("f");
    let items = json!([bad.item(), good.item(), keyless.body, "nonsense", 7, fresh.item()]);
    let reply = ana.post("/v1/commands/batch", &json!({ "commands": items })).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let reply = reply.json();
    assert_eq!(statuses(&reply), [400, 424, 400, 400, 400, 201]);
    assert_eq!(reply["results"][0]["body"]["code"], "validation-failed");
    assert_eq!(reply["results"][2]["body"]["code"], "idempotency-key-missing");
}

#[tokio::test]
async fn a_batch_has_limits() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let many: Vec<Value> = (0..101).map(|_| create.item()).collect();
    ana.post("/v1/commands/batch", &json!({ "commands": many })).await.assert_problem(400, "validation-failed");
    ana.post("/v1/commands/batch", &json!({})).await.assert_problem(400, "validation-failed");
    ana.post("/v1/commands/batch", &json!({ "commands": 1 })).await.assert_problem(400, "malformed-request");
    ana.post("/v1/commands/batch", &json!({ "commands": [], "x": 1 })).await.assert_problem(400, "malformed-request");
    let empty = ana.post("/v1/commands/batch", &json!({ "commands": [] })).await;
    assert_eq!((empty.status, empty.json()), (200, json!({ "results": [] })));
    let hundred: Vec<_> = (0..100).map(|n| a_case(&n.to_string())).collect();
    let reply = ana.batch(&hundred.iter().collect::<Vec<_>>()).await.json();
    assert_eq!(statuses(&reply), vec![201; 100]);
    server.assert_whole().await;
}
