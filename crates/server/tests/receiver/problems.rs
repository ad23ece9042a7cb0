//! Every way to be refused, one by one, each without an effect (CONTRACT 1 and 4).

mod every;

use domain::Role;
use serde_json::{Value, json};

use super::Server;
use crate::support::{Person, Reply, Sent, a_case, command, http, id, with_expected};

async fn with_a_case() -> (Server, Person, String) {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    assert_eq!(ana.send(&create).await.status, 201);
    (server, ana, create.target())
}

async fn raw(person: &Person, key: &str, body: &str) -> Reply {
    person.request("POST", "/v1/commands", &[("idempotency-key", key)], body.as_bytes()).await
}

#[tokio::test]
async fn what_is_not_i_json_is_malformed() {
    let (_server, ana, case) = with_a_case().await;
    let tag = command("tag.add", &case, json!({ "tag": "x" }));
    let good = tag.body.to_string();
    let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    for bad in [
        String::new(),
        "{".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        format!("{good}{good}"),
        good.replacen("\"payload\":{", "\"payload\":{\"tag\":\"y\",", 1),
        good.replacen("\"x\"", "\"\\ud800\"", 1),
        good.replacen("\"x\"", "9007199254740993", 1),
        good.replacen("\"x\"", &deep, 1),
    ] {
        raw(&ana, &tag.key, &bad).await.assert_problem(400, "malformed-request");
    }
    let invalid_utf8 = [good.as_bytes(), b"\xff"].concat();
    let reply = ana.request("POST", "/v1/commands", &[("idempotency-key", &tag.key)], &invalid_utf8).await;
    reply.assert_problem(400, "malformed-request");
}

#[tokio::test]
async fn unknown_members_and_wrong_types_are_malformed() {
    let (server, ana, case) = with_a_case().await;
    let tag = command("tag.add", &case, json!({ "tag": "x" }));
    for (member, value) in [
        ("extra", json!(1)),
        ("command_id", json!(7)),
        ("operation", json!(["tag.add"])),
        ("schema_version", json!("1")),
        ("schema_version", json!(1.5)),
        ("target", json!("case")),
        ("target", json!({ "type": "case", "id": case, "more": 1 })),
        ("expected", json!("x")),
        ("expected", json!({ "revision": "1" })),
        ("expected", json!({ "rev": 1 })),
        ("payload", json!([])),
        ("payload", json!({ "tag": "x", "more": 1 })),
        ("payload", json!({ "tag": 1 })),
        ("issued_at", json!(0)),
    ] {
        let reply = ana.send(&tag.clone().with(member, value.clone())).await;
        reply.assert_problem(400, "malformed-request");
        assert!(
            server.audit_of("acme", &tag.id()).await.iter().all(|row| row.result == "rejected"),
            "{member} {value}"
        );
    }
}

#[tokio::test]
async fn members_missing_or_out_of_their_domain_are_named() {
    let (_server, ana, case) = with_a_case().await;
    let tag = command("tag.add", &case, json!({ "tag": "x" }));
    let fails = async |sent: Sent, pointer: &str| {
        let reply = ana.send(&sent).await;
        reply.assert_problem(400, "validation-failed");
        let errors = reply.json()["errors"].clone();
        let named = errors.as_array().unwrap().iter().any(|error| error["pointer"] == pointer);
        assert!(named, "{pointer} in {errors}");
    };
    for member in [
        "command_id",
        "operation",
        "schema_version",
        "target",
        "payload",
        "payload_hash",
        "issued_at",
        "session_version",
        "issued_under",
    ] {
        let mut sent = tag.clone();
        sent.body.as_object_mut().unwrap().remove(member);
        fails(sent, &format!("/{member}")).await;
    }
    fails(tag.clone().with("payload", json!({})), "/payload/tag").await;
    fails(tag.clone().with("payload", json!({ "tag": "a\u{0}b" })), "/payload/tag").await;
    fails(tag.clone().with("issued_at", json!("yesterday")), "/issued_at").await;
    fails(tag.clone().with("expected", json!({})), "/expected").await;
    fails(tag.clone().with("expected", json!({ "revision": 0 })), "/expected/revision").await;
    fails(tag.clone().with("expected", json!({ "revision": 1, "after": id() })), "/expected").await;
    fails(tag.clone().with("target", json!({ "type": "note", "id": case })), "/target/type").await;
    let mut unknown = command("case.explode", &case, json!({}));
    fails(unknown.clone(), "/operation").await;
    unknown.body["operation"] = json!("");
    let to = json!({ "to": "under_review", "reason_code": "x" });
    fails(command("case.transition", &case, to), "/expected").await;
    fails(
        with_expected(
            "case.create",
            &id(),
            json!({ "title": "t", "kind": "other", "priority": "low" }),
            json!({ "revision": 1 }),
        ),
        "/expected",
    )
    .await;
}

#[tokio::test]
async fn a_key_must_be_there_once_and_fit_the_body() {
    let (_server, ana, case) = with_a_case().await;
    let tag = command("tag.add", &case, json!({ "tag": "x" }));
    let body = tag.body.to_string();
    ana.post("/v1/commands", &tag.body).await.assert_problem(400, "idempotency-key-missing");
    let upper = tag.key.to_uppercase();
    for key in [
        "",
        "short",
        "with space in the middle of it",
        "\"unclosed-quotation-mark",
        &upper,
        &"x".repeat(129),
        &tag.key[1..],
    ] {
        raw(&ana, key, &body).await.assert_problem(400, "idempotency-key-invalid");
    }
    let twice = [("idempotency-key", tag.key.as_str()), ("Idempotency-Key", tag.key.as_str())];
    ana.request("POST", "/v1/commands", &twice, body.as_bytes()).await.assert_problem(400, "idempotency-key-invalid");
    assert_eq!(ana.send(&tag).await.status, 200, "nothing of this was recorded");
}

#[tokio::test]
async fn another_version_and_a_wrong_hash_are_told_apart() {
    let (_server, ana, case) = with_a_case().await;
    let mut tag = command("tag.add", &case, json!({ "tag": "x" }));
    tag.body["schema_version"] = json!(2);
    ana.send(&tag).await.assert_problem(400, "unsupported-version");
    tag.body["schema_version"] = json!(1);
    let hash = tag.body["payload_hash"].clone();
    for wrong in ["cmd-v1:AAAA", "cmd-v2:x", "x"] {
        tag.body["payload_hash"] = json!(wrong);
        ana.send(&tag).await.assert_problem(400, "payload-hash-mismatch");
    }
    tag.body["payload_hash"] = hash;
    assert_eq!(ana.send(&tag).await.status, 200);
}

#[tokio::test]
async fn a_conflict_says_what_moved_and_what_it_holds_now() {
    let (_server, ana, case) = with_a_case().await;
    let changes = json!({"changes":{"title":{"from":"old","to":"new"},"kind":{"from":"complaint","to":"permit"}}});
    let reply = ana.send(&command("case.edit", &case, changes)).await;
    reply.assert_problem(412, "revision-conflict");
    assert_eq!(reply.json()["current_revision"], 1);
    assert_eq!(reply.json()["conflicting_fields"], json!(["title"]));
    assert_eq!(reply.json()["current"], json!({ "title": "t" }));
    let to = json!({ "to": "under_review", "reason_code": "x" });
    let stale = with_expected("case.transition", &case, to.clone(), json!({ "revision": 7 }));
    ana.send(&stale).await.assert_problem(412, "revision-conflict");
    let illegal = json!({ "to": "resolved", "reason_code": "x" });
    let reply = ana.send(&with_expected("case.transition", &case, illegal, json!({ "revision": 1 }))).await;
    reply.assert_problem(422, "domain-rejected");
    assert_eq!(reply.json()["reason"], "illegal-transition");
}

#[tokio::test]
async fn what_it_depends_on_must_be_there_and_be_the_same_targets() {
    let (server, ana, case) = with_a_case().await;
    let missing = command("tag.add", &id(), json!({ "tag": "x" }));
    ana.send(&missing).await.assert_problem(404, "target-not-found");
    let unseen = with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": id() }));
    ana.send(&unseen).await.assert_problem(424, "dependency-missing");
    let other = a_case("other");
    ana.send(&other).await;
    let elsewhere = with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": other.id() }));
    ana.send(&elsewhere).await.assert_problem(400, "validation-failed");
    let bob = server.person("acme", "bob", Role::Officer).await;
    let theirs = command("tag.add", &case, json!({ "tag": "b" }));
    bob.send(&theirs).await;
    let of_bob = with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": theirs.id() }));
    ana.send(&of_bob).await.assert_problem(400, "validation-failed");
}

/// CASES E4: a child that comes before its parent is not recorded, and goes through after it.
#[tokio::test]
async fn refusals_that_can_pass_are_not_recorded() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let note = command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }));
    ana.send(&note).await.assert_problem(404, "target-not-found");
    ana.send(&create).await;
    let reply = ana.send(&note).await;
    assert_eq!((reply.status, reply.is_replayed()), (201, false));
    let audit: Vec<_> =
        server.audit_of("acme", &note.id()).await.into_iter().map(|row| (row.result, row.code)).collect();
    assert_eq!(audit, [("rejected".to_owned(), Some("target-not-found".to_owned())), ("committed".to_owned(), None)]);
}

#[tokio::test]
async fn a_body_too_large_is_refused_whatever_it_says() {
    let (_server, ana, case) = with_a_case().await;
    let note = |length| command("note.add", &case, json!({ "note_id": id(), "text": "x".repeat(length) }));
    let fits = note((1 << 20) - 1000);
    assert_eq!(ana.send(&fits).await.status, 201);
    let large = note(1 << 20);
    ana.send(&large).await.assert_problem(413, "payload-too-large");
    let larger = vec![b' '; (4 << 20) + 1];
    ana.request("POST", "/v1/commands/batch", &[], &larger).await.assert_problem(413, "payload-too-large");
    // Whoever is not signed in hears that first.
    let reply = http::send(&ana.address, "POST", "/v1/commands", &[], &vec![b' '; 2 << 20]).await.unwrap();
    reply.assert_problem(401, "unauthenticated");
}

#[tokio::test]
async fn unknown_routes_and_methods_are_problems_too() {
    let (_server, ana, _case) = with_a_case().await;
    for path in ["/", "/v1", "/v1/nothing", "/v1/commands/x/y", "/favicon.ico"] {
        ana.get(path).await.assert_problem(404, "not-found");
    }
    for (method, path) in
        [("GET", "/v1/commands"), ("DELETE", "/v1/changes"), ("PUT", "/v1/session"), ("POST", "/healthz")]
    {
        ana.request(method, path, &[], b"").await.assert_problem(405, "method-not-allowed");
    }
    let reply = http::send(&ana.address, "GET", "/healthz", &[("x-request-id", "caller-7")], b"").await.unwrap();
    assert_eq!((reply.status, reply.header("x-request-id")), (200, Some("caller-7")));
    assert_eq!(ana.get("/readyz").await.status, 200);
    let config: Value = ana.get("/v1/config").await.json();
    assert_eq!(config["receipt_lifetime"], "P180D");
    assert_eq!(config["limits"]["batch_commands"], 100);
    for member in ["purge_horizon", "feed_epoch", "server_time"] {
        assert!(config[member].is_string(), "{member}");
    }
}

#[tokio::test]
async fn ids_made_by_the_sender_are_of_version_7() {
    let (server, ana, case) = with_a_case().await;
    let nil = "00000000-0000-0000-0000-000000000000";
    let random = "936da01f-9abd-4d9d-80c7-02af85c822a8";
    let wrong_variant = "0197f3c2-5a10-7000-c000-000000000001";
    let with_id = |mut sent: Sent, command_id: &str| {
        sent.key = sent.key.replace(&sent.id(), command_id);
        sent.with("command_id", json!(command_id))
    };
    let head = ana.feed().await.len();
    for bad in [nil, random, wrong_variant] {
        let create = json!({ "title": "t", "kind": "other", "priority": "low" });
        for (sent, pointer) in [
            (with_id(command("tag.add", &case, json!({ "tag": "x" })), bad), "/command_id"),
            (command("case.create", bad, create), "/target/id"),
            (command("note.add", &case, json!({ "note_id": bad, "text": "x" })), "/payload/note_id"),
        ] {
            let reply = ana.send(&sent).await;
            reply.assert_problem(400, "validation-failed");
            let errors = json!([{ "pointer": pointer, "detail": "must be a lower-case UUIDv7" }]);
            assert_eq!(reply.json()["errors"], errors, "{bad}");
            let item = ana.batch(&[&sent]).await.json()["results"][0].clone();
            assert_eq!((&item["status"], &item["body"]["errors"]), (&json!(400), &errors));
        }
    }
    assert_eq!(ana.feed().await.len(), head);
    // What exists is only named here, by whatever id it has.
    let of_nobody = command("tag.add", random, json!({ "tag": "x" }));
    ana.send(&of_nobody).await.assert_problem(404, "target-not-found");
    server.assert_whole().await;
}

/// Whoever writes all before reading anything hears it too.
#[tokio::test]
async fn an_answer_to_a_body_far_too_large_arrives() {
    let (server, ana, _case) = with_a_case().await;
    let body = vec![b' '; 20 << 20];
    for path in ["/v1/commands", "/v1/commands/batch"] {
        ana.request("POST", path, &[], &body).await.assert_problem(413, "payload-too-large");
    }
    http::send(&server.address, "POST", "/v1/sessions", &[], &body)
        .await
        .unwrap()
        .assert_problem(413, "payload-too-large");
    // Nobody reads these bodies at all.
    let reply = http::send(&server.address, "POST", "/v1/commands", &[], &body).await.unwrap();
    reply.assert_problem(401, "unauthenticated");
    ana.request("POST", "/v1/nothing", &[], &body).await.assert_problem(404, "not-found");
}
