//! The description of the interface, held against the interface.

use std::collections::BTreeSet;

use domain::{EntityKind, Operation};
use onceover_server::app::App;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::Server;
use crate::support::http::send;
use crate::support::process::run;

#[tokio::test]
async fn every_route_is_described_with_its_methods_and_no_other_is() {
    let server = Server::start().await;
    let document = send(&server.address, "GET", "/openapi.json", &[], b"").await.unwrap().json();
    let described = document["paths"].as_object().unwrap();
    let paths: BTreeSet<&str> = App::paths().into_iter().collect();
    assert_eq!(described.keys().map(String::as_str).collect::<BTreeSet<_>>(), paths);
    for (path, item) in described {
        let path = path.replace("{command_id}", "0197f3c2-5a10-7000-8000-000000000001");
        let reply = send(&server.address, "MADEUP", &path, &[], b"").await.unwrap();
        reply.assert_problem(405, "method-not-allowed");
        let allowed: BTreeSet<String> =
            reply.header("allow").unwrap().split(',').map(str::to_lowercase).filter(|name| name != "head").collect();
        assert_eq!(item.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>(), allowed, "{path}");
    }
}

#[tokio::test]
async fn every_operation_and_every_type_of_the_feed_is_described() {
    let server = Server::start().await;
    let document = send(&server.address, "GET", "/openapi.json", &[], b"").await.unwrap().json();
    let schemas = &document["components"]["schemas"];
    let mapped = |name: &str| {
        let mapping = schemas[name]["discriminator"]["mapping"].as_object().unwrap();
        mapping.keys().map(String::as_str).collect::<BTreeSet<_>>()
    };
    assert_eq!(mapped("Command"), Operation::ALL.into_iter().map(Operation::name).collect());
    let kinds: BTreeSet<&str> = EntityKind::ALL.into_iter().map(EntityKind::name).chain(["member"]).collect();
    assert_eq!(mapped("FeedItem"), kinds);
    let examples = &document["paths"]["/v1/commands"]["post"]["requestBody"]["content"]["application/json"]["examples"];
    assert_eq!(examples.as_object().unwrap().len(), Operation::ALL.len());
    for (name, schema) in schemas.as_object().unwrap().iter().filter(|(name, _)| name.ends_with("Payload")) {
        assert_eq!(schema["additionalProperties"], Value::Bool(false), "{name}");
    }
}

#[tokio::test]
async fn what_is_printed_is_what_is_served() {
    let folder = TempDir::new().unwrap();
    // It needs no database, and makes none.
    let output = run(folder.path(), &["openapi", "--database", "nonsense"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let server = Server::start().await;
    let reply = send(&server.address, "GET", "/openapi.json", &[], b"").await.unwrap();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed, reply.json());
    assert_eq!(printed["openapi"], "3.1.0");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
