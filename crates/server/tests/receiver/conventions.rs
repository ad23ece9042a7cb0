//! What standard HTTP tools expect of a server, and a generic client of the Idempotency-Key draft of this one.

use domain::Role;
use serde_json::json;

use crate::support::http::{raw, send};
use crate::support::{Person, Reply, Server, a_case, command};

async fn someone() -> (Server, Person) {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    (server, ana)
}

/// Sends a new case with these headers beside its key.
async fn create_with(ana: &Person, headers: &[(&str, &str)]) -> Reply {
    let create = a_case("t");
    let mut all = vec![("idempotency-key", create.key.as_str())];
    all.extend_from_slice(headers);
    ana.request("POST", "/v1/commands", &all, create.body.to_string().as_bytes()).await
}

/// draft-ietf-httpapi-idempotency-key-header-07: the key is a structured-field string, and is the same key bare.
#[tokio::test]
async fn a_generic_client_of_the_draft_gets_its_first_answer_again() {
    let (_server, ana) = someone().await;
    let create = a_case("t");
    let body = create.body.to_string();
    let mut replies = Vec::new();
    for key in [format!("\"{}\"", create.key), create.key.clone(), format!("  \"{}\" ", create.key)] {
        replies.push(ana.request("POST", "/v1/commands", &[("Idempotency-Key", &key)], body.as_bytes()).await);
    }
    for (index, reply) in replies.iter().enumerate() {
        assert_eq!((reply.status, reply.is_replayed()), (201, index > 0), "{}", reply.body);
        assert_eq!(reply.body, replies[0].body);
    }
    // The draft's own errors: no key 400, the same key with another body 422. (A key still in use is 409, see A4.)
    ana.post("/v1/commands", &create.body).await.assert_problem(400, "idempotency-key-missing");
    let other = create.clone().with("payload", json!({ "title": "u", "kind": "other", "priority": "low" }));
    ana.send(&other).await.assert_problem(422, "idempotency-key-reused");
    let twice = [("idempotency-key", create.key.as_str()); 2];
    ana.request("POST", "/v1/commands", &twice, body.as_bytes()).await.assert_problem(400, "idempotency-key-invalid");
    let listed = format!("\"{0}\", \"{0}\"", create.key);
    let reply = ana.request("POST", "/v1/commands", &[("idempotency-key", &listed)], body.as_bytes()).await;
    reply.assert_problem(400, "idempotency-key-invalid");
}

#[tokio::test]
async fn a_body_is_json_by_its_headers_too() {
    let (_server, ana) = someone().await;
    for fine in ["application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"] {
        assert_eq!(create_with(&ana, &[("content-type", fine)]).await.status, 201, "{fine}");
    }
    assert_eq!(create_with(&ana, &[]).await.status, 201);
    assert_eq!(create_with(&ana, &[("content-encoding", "identity")]).await.status, 201);
    for wrong in [
        ("content-type", "text/plain"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-type", "application/xml"),
        ("content-type", ""),
        ("content-encoding", "gzip"),
    ] {
        create_with(&ana, &[wrong]).await.assert_problem(415, "unsupported-media-type");
        let reply = send(&ana.address, "POST", "/v1/sessions", &[wrong], b"{}").await.unwrap();
        reply.assert_problem(415, "unsupported-media-type");
    }
}

/// A method that a route does not have is answered with those that it has.
#[tokio::test]
async fn wrong_methods_are_told_the_right_ones() {
    let (_server, ana) = someone().await;
    for (path, allowed) in [
        ("/v1/sessions", "POST"),
        ("/v1/sessions/current", "DELETE"),
        ("/v1/commands", "POST"),
        ("/v1/changes", "GET,HEAD"),
        ("/v1/events", "GET,HEAD"),
        ("/v1/presence", "POST"),
        ("/healthz", "GET,HEAD"),
    ] {
        for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "MADEUP"] {
            let reply = ana.request(method, path, &[], b"").await;
            reply.assert_problem(405, "method-not-allowed");
            assert_eq!(reply.header("allow"), Some(allowed), "{method} {path}");
        }
        // No session is needed to hear so.
        let reply = send(&ana.address, "PUT", path, &[], b"").await.unwrap();
        reply.assert_problem(405, "method-not-allowed");
    }
    ana.get("/v1/changes/").await.assert_problem(404, "not-found");
    ana.request("OPTIONS", "*", &[], b"").await.assert_problem(404, "not-found");
}

#[tokio::test]
async fn head_is_get_without_its_body() {
    let (_server, ana) = someone().await;
    for path in ["/healthz", "/v1/config", "/v1/session", "/v1/changes", "/v1/nothing"] {
        let (get, head) = (ana.get(path).await, ana.request("HEAD", path, &[], b"").await);
        assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
        for name in ["content-type", "content-length", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn nothing_is_kept_by_whoever_stands_between() {
    let (_server, ana) = someone().await;
    let create = a_case("t");
    let fresh = ana.send(&create).await;
    let status = format!("/v1/operations/{}?key={}", create.id(), create.key);
    for reply in [
        fresh,
        ana.send(&create).await,
        ana.get(&status).await,
        ana.get("/v1/changes").await,
        ana.get("/v1/session").await,
        ana.get("/v1/config").await,
        ana.get("/healthz").await,
        ana.get("/v1/nothing").await,
        ana.post("/v1/presence", &json!({ "case_id": create.target() })).await,
        ana.request("PUT", "/v1/session", &[], b"").await,
        ana.request("DELETE", "/v1/sessions/current", &[], b"").await,
    ] {
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{}", reply.body);
    }
}

#[tokio::test]
async fn a_request_keeps_the_id_it_came_with() {
    let (server, ana) = someone().await;
    let long = "x".repeat(129);
    for (given, is_kept) in [("caller-7", true), (&long[..128], true), (&long[..], false), ("two words", false)] {
        for path in ["/healthz", "/v1/nothing", "/v1/changes"] {
            let reply = ana.request("GET", path, &[("x-request-id", given)], b"").await;
            let id = reply.header("x-request-id").unwrap();
            assert_eq!(id == given, is_kept, "{path} {id}");
            assert!(!id.is_empty());
        }
    }
    let create = a_case("t");
    let headers = [("idempotency-key", create.key.as_str()), ("x-request-id", "caller-8")];
    let reply = ana.request("POST", "/v1/commands", &headers, create.body.to_string().as_bytes()).await;
    assert_eq!(reply.header("x-request-id"), Some("caller-8"));
    let rows = server.audit_of("acme", &create.id()).await;
    assert!(rows.iter().all(|row| row.request_id == "caller-8") && rows.len() == 1);
    // A repeat is a request of its own.
    let reply = ana.send(&create).await;
    assert!(reply.is_replayed() && reply.header("x-request-id") != Some("caller-8"));
}

/// Paths and queries that cannot be read are answered, and harm nothing.
#[tokio::test]
async fn what_cannot_be_read_is_a_problem_like_others() {
    let (_server, ana) = someone().await;
    for (path, status, code) in [
        ("/v1/operations/%ff?key=x", 400, "malformed-request"),
        ("/v1/operations/x?key=%ff", 400, "idempotency-key-invalid"),
        ("/v1/operations/x", 400, "idempotency-key-missing"),
        ("/v1/operations/x?key=a&key=b", 400, "malformed-request"),
        ("/v1/changes?limit=1&limit=2", 400, "malformed-request"),
        ("/v1/changes?limti=1", 400, "malformed-request"),
        ("/v1/changes?limit=0", 400, "validation-failed"),
        ("/v1/changes?cursor=x", 400, "cursor-invalid"),
        ("/v1/%00", 404, "not-found"),
    ] {
        ana.get(path).await.assert_problem(status, code);
    }
    let tag = command("tag.add", "x", json!({ "tag": "x" }));
    ana.send(&tag).await.assert_problem(400, "validation-failed");
}

/// RFC 9112: a request names its host, once, and a body is not read as if it were not coded.
#[tokio::test]
async fn a_request_that_can_be_read_in_two_ways_is_refused() {
    let server = Server::start().await;
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\nhost: a\r\n", 200),
        ("GET http://b/healthz HTTP/1.1\r\nhost: a\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET http://b/healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\nhost: a\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n", 400),
    ] {
        let reply = raw(&server.address, head).await;
        assert_eq!(reply.status, status, "{head}");
        if status == 400 {
            reply.assert_problem(400, "malformed-request");
        }
    }
}

/// A client that asks whether to go on is told no, and one that announces more than anybody would read is not waited for.
#[tokio::test]
async fn a_body_that_is_announced_too_large_is_refused_before_it_comes() {
    let (server, ana) = someone().await;
    for (length, more) in [(2_000_000_u64, "expect: 100-continue\r\n"), (3_000_000_000, "")] {
        let head = format!(
            "POST /v1/commands HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-length: {length}\r\n{more}",
            ana.token
        );
        let reply = tokio::time::timeout(std::time::Duration::from_secs(20), raw(&server.address, &head)).await;
        reply.unwrap().assert_problem(413, "payload-too-large");
    }
}
