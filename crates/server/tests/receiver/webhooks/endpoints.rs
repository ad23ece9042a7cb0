//! `webhook add | list | remove`: what is taken, what is refused, and what is never shown again.

use std::process::Output;

use serde_json::{Value, json};

use super::Place;
use crate::support::process::{run, set_up};
use crate::support::sink::SECRET;

fn webhook(place: &Place, arguments: &[&str], input: &str) -> Output {
    let arguments: Vec<&str> = ["webhook"].into_iter().chain(arguments.iter().copied()).collect();
    run(place, &arguments, input)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn list(place: &Place) -> Vec<Value> {
    let output = webhook(place, &["list", "--tenant", "acme", "--json"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_endpoint_is_added_listed_and_removed() {
    let place = Place::new();
    set_up(&place);
    let add = ["add", "--tenant", "acme", "--url", "https://example.org/hook", "--secret-stdin"];
    let only_notices: Vec<&str> = add.into_iter().chain(["--event", "notice.issued"]).collect();
    let added = webhook(&place, &only_notices, &format!("{SECRET}\n"));
    assert!(added.status.success(), "{}", text(&added.stderr));
    let again = webhook(&place, &add, SECRET);
    assert_eq!(again.status.code(), Some(65));
    assert!(text(&again.stderr).contains("exists already"));
    let mail = webhook(&place, &["add", "--tenant", "acme", "--url", "mailto:clerk@example.org"], "");
    assert!(mail.status.success(), "{}", text(&mail.stderr));
    let rows = list(&place);
    assert_eq!(rows[0]["endpoint_id"], text(&added.stdout).trim());
    assert_eq!((&rows[0]["url"], &rows[0]["events"]), (&json!("https://example.org/hook"), &json!(["notice.issued"])));
    assert_eq!((&rows[0]["waiting"], &rows[0]["dead"], &rows[0]["disabled_at"]), (&json!(0), &json!(0), &Value::Null));
    assert_eq!(rows[1]["url"], "mailto:clerk@example.org");
    assert_eq!(rows[1]["events"].as_array().unwrap().len(), 4);
    let removed = webhook(&place, &["remove", "--tenant", "acme", "--url", "HTTPS://example.org/hook"], "");
    assert!(removed.status.success(), "{}", text(&removed.stderr));
    let id = rows[1]["endpoint_id"].as_str().unwrap();
    assert!(webhook(&place, &["remove", "--tenant", "acme", "--id", id], "").status.success());
    assert_eq!(webhook(&place, &["remove", "--tenant", "acme", "--id", id], "").status.code(), Some(65));
    assert_eq!(list(&place), Vec::<Value>::new());
    assert!(webhook(&place, &add, SECRET).status.success(), "a URL is free again once its endpoint is removed");
    assert!(run(&place, &["check"], "").status.success());
}

/// R22: a secret is neither listed nor readable in the database.
#[test]
fn a_secret_is_shown_nowhere() {
    let place = Place::new();
    set_up(&place);
    let add = ["add", "--tenant", "acme", "--url", "https://example.org/hook", "--secret-stdin"];
    let added = webhook(&place, &add, SECRET);
    let listed = webhook(&place, &["list", "--tenant", "acme"], "");
    let kept = place.bytes();
    let inside = SECRET.strip_prefix("whsec_").unwrap();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, inside).unwrap();
    let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    for secret in [inside.as_bytes(), bytes.as_slice(), hex.as_bytes()] {
        for place in [&added.stdout, &added.stderr, &listed.stdout, &listed.stderr, &kept] {
            assert!(!place.windows(secret.len()).any(|window| window == secret));
        }
    }
    let wrong =
        webhook(&place, &["add", "--tenant", "acme", "--url", "https://example.com/", "--secret-stdin"], "hunter2");
    assert_eq!(wrong.status.code(), Some(65));
    assert!(text(&wrong.stderr).contains("whsec_") && !text(&wrong.stderr).contains("hunter2"));
}

#[test]
fn what_cannot_be_an_endpoint_is_refused_with_a_reason() {
    let place = Place::new();
    set_up(&place);
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
        let refused = webhook(&place, &["add", "--tenant", "acme", "--url", url, "--secret-stdin"], SECRET);
        assert_eq!(refused.status.code(), Some(65), "{url}");
        assert!(text(&refused.stderr).contains(words), "{url}: {}", text(&refused.stderr));
    }
    let usage = ["add", "--tenant", "acme", "--url", "https://example.org/"];
    assert_eq!(webhook(&place, &usage, "").status.code(), Some(64), "no secret");
    let unknown: Vec<&str> = usage.into_iter().chain(["--secret-stdin", "--event", "case.deleted"]).collect();
    assert_eq!(webhook(&place, &unknown, SECRET).status.code(), Some(64));
    let mail = ["add", "--tenant", "acme", "--url", "mailto:a@example.org", "--secret-stdin"];
    assert_eq!(webhook(&place, &mail, SECRET).status.code(), Some(64));
    assert_eq!(webhook(&place, &["list", "--tenant", "nobody"], "").status.code(), Some(65));
    assert_eq!(webhook(&place, &["resend", "--tenant", "acme", "--id", "msg_x"], "").status.code(), Some(65));
    assert_eq!(list(&place), Vec::<Value>::new());
}
