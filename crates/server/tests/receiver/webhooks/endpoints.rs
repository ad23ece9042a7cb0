//! `webhook add | list | remove`: what is taken, what is refused, and what is never shown again.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::{run, set_up};
use crate::support::sink::SECRET;

fn webhook(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let arguments: Vec<&str> = ["webhook"].into_iter().chain(arguments.iter().copied()).collect();
    run(folder, &arguments, input)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn list(folder: &Path) -> Vec<Value> {
    let output = webhook(folder, &["list", "--tenant", "acme", "--json"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_endpoint_is_added_listed_and_removed() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let add = ["add", "--tenant", "acme", "--url", "https://example.org/hook", "--secret-stdin"];
    let only_notices: Vec<&str> = add.into_iter().chain(["--event", "notice.issued"]).collect();
    let added = webhook(folder, &only_notices, &format!("{SECRET}\n"));
    assert!(added.status.success(), "{}", text(&added.stderr));
    let again = webhook(folder, &add, SECRET);
    assert_eq!(again.status.code(), Some(65));
    assert!(text(&again.stderr).contains("exists already"));
    let mail = webhook(folder, &["add", "--tenant", "acme", "--url", "mailto:clerk@example.org"], "");
    assert!(mail.status.success(), "{}", text(&mail.stderr));
    let rows = list(folder);
    assert_eq!(rows[0]["endpoint_id"], text(&added.stdout).trim());
    assert_eq!((&rows[0]["url"], &rows[0]["events"]), (&json!("https://example.org/hook"), &json!(["notice.issued"])));
    assert_eq!((&rows[0]["waiting"], &rows[0]["dead"], &rows[0]["disabled_at"]), (&json!(0), &json!(0), &Value::Null));
    assert_eq!(rows[1]["url"], "mailto:clerk@example.org");
    assert_eq!(rows[1]["events"].as_array().unwrap().len(), 4);
    let removed = webhook(folder, &["remove", "--tenant", "acme", "--url", "HTTPS://example.org/hook"], "");
    assert!(removed.status.success(), "{}", text(&removed.stderr));
    let id = rows[1]["endpoint_id"].as_str().unwrap();
    assert!(webhook(folder, &["remove", "--tenant", "acme", "--id", id], "").status.success());
    assert_eq!(webhook(folder, &["remove", "--tenant", "acme", "--id", id], "").status.code(), Some(65));
    assert_eq!(list(folder), Vec::<Value>::new());
    assert!(webhook(folder, &add, SECRET).status.success(), "a URL is free again once its endpoint is removed");
    assert!(run(folder, &["check"], "").status.success());
}

/// R22: a secret is neither listed nor readable in the database.
#[test]
fn a_secret_is_shown_nowhere() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let add = ["add", "--tenant", "acme", "--url", "https://example.org/hook", "--secret-stdin"];
    let added = webhook(folder, &add, SECRET);
    let listed = webhook(folder, &["list", "--tenant", "acme"], "");
    let kept: Vec<u8> =
        ["server.db", "server.db-wal"].map(|name| std::fs::read(folder.join(name)).unwrap_or_default()).concat();
    let inside = SECRET.strip_prefix("whsec_").unwrap();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, inside).unwrap();
    for secret in [inside.as_bytes(), bytes.as_slice()] {
        for place in [&added.stdout, &added.stderr, &listed.stdout, &listed.stderr, &kept] {
            assert!(!place.windows(secret.len()).any(|window| window == secret));
        }
    }
    let wrong =
        webhook(folder, &["add", "--tenant", "acme", "--url", "https://example.com/", "--secret-stdin"], "hunter2");
    assert_eq!(wrong.status.code(), Some(65));
    assert!(text(&wrong.stderr).contains("whsec_") && !text(&wrong.stderr).contains("hunter2"));
}

#[test]
fn what_cannot_be_an_endpoint_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    for (url, words) in [
        ("http://example.org/", "https://"),
        ("https://user:pass@example.org/", "user name or password"),
        ("https://example.org/#x", "fragment"),
        ("https://example.org:0/", "port"),
        ("https://example.org/\r\nwebhook-id: x", "line breaks"),
        ("https://127.0.0.1/", "public internet"),
        ("gopher://example.org/", "must begin with"),
        ("mailto:a@example.org,b@example.org", "one plain address"),
    ] {
        let refused = webhook(folder, &["add", "--tenant", "acme", "--url", url, "--secret-stdin"], SECRET);
        assert_eq!(refused.status.code(), Some(65), "{url}");
        assert!(text(&refused.stderr).contains(words), "{url}: {}", text(&refused.stderr));
    }
    let usage = ["add", "--tenant", "acme", "--url", "https://example.org/"];
    assert_eq!(webhook(folder, &usage, "").status.code(), Some(64), "no secret");
    let unknown: Vec<&str> = usage.into_iter().chain(["--secret-stdin", "--event", "case.deleted"]).collect();
    assert_eq!(webhook(folder, &unknown, SECRET).status.code(), Some(64));
    let mail = ["add", "--tenant", "acme", "--url", "mailto:a@example.org", "--secret-stdin"];
    assert_eq!(webhook(folder, &mail, SECRET).status.code(), Some(64));
    assert_eq!(webhook(folder, &["list", "--tenant", "nobody"], "").status.code(), Some(65));
    assert_eq!(webhook(folder, &["resend", "--tenant", "acme", "--id", "msg_x"], "").status.code(), Some(65));
    assert_eq!(list(folder), Vec::<Value>::new());
}
