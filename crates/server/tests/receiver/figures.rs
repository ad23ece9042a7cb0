//! The server's figures: what happened is counted, whoever may ask is told, and nobody is named.

use tempfile::TempDir;

use crate::support::http::send;
use crate::support::process::{Process, set_up};
use crate::support::{Person, a_case, command, id};

/// The value of the line that begins so.
fn value(figures: &str, line: &str) -> Option<f64> {
    figures.lines().find_map(|found| found.strip_prefix(line)?.trim().parse().ok())
}

async fn figures(address: &str) -> String {
    let reply = send(address, "GET", "/metrics", &[], b"").await.unwrap();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/plain; version=0.0.4; charset=utf-8")));
    reply.body
}

#[tokio::test]
async fn what_happened_is_counted_and_nobody_is_named() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::start(folder);
    let ana = server.sign_in().await;
    let create = a_case("t");
    for _ in 0..3 {
        ana.send(&create).await;
    }
    let changes = serde_json::json!({ "changes": { "title": { "from": "other", "to": "new" } } });
    ana.send(&command("case.edit", &create.target(), changes)).await.assert_problem(412, "revision-conflict");
    let tag = command("tag.add", &id(), serde_json::json!({ "tag": "x" }));
    ana.batch(&[&tag]).await;
    let wrong = command("case.explode", &create.target(), serde_json::json!({}));
    ana.send(&wrong).await.assert_problem(400, "validation-failed");
    server.try_sign_in("wrong").await.assert_problem(401, "invalid-credentials");
    ana.get("/v1/nothing").await.assert_problem(404, "not-found");
    let head = ana.get("/v1/changes").await.json()["head"].as_f64();

    let figures = figures(&server.address).await;
    for (line, expected) in [
        (r#"onceover_attempts_total{operation="case.create",result="committed"}"#, 1.0),
        (r#"onceover_attempts_total{operation="case.create",result="duplicate_returned"}"#, 2.0),
        (r#"onceover_attempts_total{operation="case.edit",result="conflict"}"#, 1.0),
        (r#"onceover_attempts_total{operation="tag.add",result="rejected"}"#, 1.0),
        (r#"onceover_attempts_total{operation="unknown",result="rejected"}"#, 1.0),
        (r#"onceover_problems_total{code="revision-conflict"}"#, 1.0),
        (r#"onceover_problems_total{code="target-not-found"}"#, 1.0),
        (r#"onceover_problems_total{code="not-found"}"#, 1.0),
        (r#"onceover_sign_in_failures_total{code="invalid-credentials"}"#, 1.0),
        (r#"onceover_request_seconds_count{method="POST",route="/v1/commands",status="2xx"}"#, 3.0),
        (r#"onceover_request_seconds_count{method="GET",route="none",status="4xx"}"#, 1.0),
        ("onceover_group_commands_sum", 5.0),
        ("onceover_event_streams", 0.0),
        ("onceover_connections_refused_total", 0.0),
    ] {
        assert_eq!(value(&figures, line), Some(expected), "{line}\n{figures}");
    }
    assert_eq!(value(&figures, "onceover_feed_head"), head);
    assert!(value(&figures, "onceover_connections").unwrap() >= 1.0);
    assert!(value(&figures, r#"onceover_pool_connections{pool="readers",state="idle"}"#).is_some());
    for pool in ["readers", "writer"] {
        let waits = value(&figures, &format!(r#"onceover_pool_wait_seconds_count{{pool="{pool}"}}"#));
        assert!(waits.is_some_and(|waits| waits > 0.0), "{pool}");
    }
    assert!(figures.contains("# TYPE onceover_request_seconds histogram"));
    for name in ["acme", "ana", create.target().as_str(), ana.actor_id().as_str()] {
        assert!(!figures.contains(&format!("\"{name}\"")), "{name}");
    }
    figures.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).for_each(|line| {
        assert!(line.starts_with("onceover_"), "{line}");
    });
}

#[tokio::test]
async fn only_this_machine_may_ask_unless_there_is_an_address_for_it() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::start(folder);
    for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        let reply = send(&server.address, "GET", "/metrics", &[(header, "198.51.100.1")], b"").await.unwrap();
        reply.assert_problem(404, "not-found");
    }
    server.kill();
    let server = Process::try_start(folder, &[("ONCEOVER_METRICS_LISTEN", "127.0.0.1:0")]).unwrap();
    let apart = server.metrics_url.clone().unwrap();
    let apart = apart.strip_prefix("http://").unwrap();
    let reply = send(&server.address, "GET", "/metrics", &[], b"").await.unwrap();
    reply.assert_problem(404, "not-found");
    assert!(figures(apart).await.contains("onceover_build_info"));
    let reply = send(apart, "GET", "/v1/config", &[], b"").await.unwrap();
    reply.assert_problem(404, "not-found");
    let reply = send(apart, "POST", "/metrics", &[], b"").await.unwrap();
    reply.assert_problem(405, "method-not-allowed");
    let _: Person = server.sign_in().await;
}
