//! Another secret for an endpoint: for a while both sign, so that no delivery is refused while its receiver changes.

use std::process::Output;
use std::time::Duration;

use domain::Role;
use serde_json::{Value, json};

use super::super::{Place, Server};
use crate::support::process::{run, set_up};
use crate::support::sink::{NEXT_SECRET, SECRET, Sink};

const HOUR: Duration = Duration::from_hours(1);

/// Standard Webhooks: the signatures stand beside one another, and one that verifies is enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_secrets_sign_until_the_grace_is_over() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sink = Sink::start(&[]).await;
    let endpoint = server.endpoint("acme", &sink.url()).await;
    let _carrying = server.carry();
    ana.event().await;
    sink.hooks(1).await[0].assert_signed();

    let until = server.now().plus_ms(3_600_000);
    assert!(server.rotate("acme", endpoint, NEXT_SECRET, Some(until)).await);
    ana.event().await;
    let hook = sink.hooks(2).await.remove(1);
    let both = format!("{} {}", hook.signature_by(NEXT_SECRET), hook.signature_by(SECRET));
    assert_eq!(hook.header("webhook-signature"), both);
    assert!(!server.rotate("acme", endpoint, SECRET, Some(until)).await, "the former one is not lost on the way");
    let tenant = server.tenant("acme").await;
    let listed = server.storage.endpoints(tenant).await.unwrap();
    assert_eq!(listed[0].former_secret_until, Some(until));

    server.turn_clock(HOUR);
    let ana = server.sign_in("acme", "ana").await;
    ana.event().await;
    let hook = sink.hooks(3).await.remove(2);
    assert_eq!(hook.header("webhook-signature"), hook.signature_by(NEXT_SECRET));
    let listed = server.storage.endpoints(tenant).await.unwrap();
    assert_eq!(listed[0].former_secret_until, None, "it is thrown away when it has had its time");
    server.assert_whole().await;
}

/// A secret that became known signs nothing more, also while it was the former one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_grace_the_new_secret_signs_alone() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sink = Sink::start(&[]).await;
    let endpoint = server.endpoint("acme", &sink.url()).await;
    let _carrying = server.carry();
    assert!(server.rotate("acme", endpoint, NEXT_SECRET, Some(server.now().plus_ms(3_600_000))).await);
    assert!(server.rotate("acme", endpoint, SECRET, None).await);
    ana.event().await;
    sink.hooks(1).await[0].assert_signed();
    server.assert_whole().await;
}

fn rotate(place: &Place, arguments: &[&str], input: &str) -> Output {
    run(place, &[&["webhook", "rotate", "--tenant", "acme"], arguments].concat(), input)
}

#[track_caller]
fn assert_refused(output: &Output, code: i32, words: &str) {
    let says = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{says}");
    assert!(says.contains(words), "{says}");
}

#[test]
fn an_administrator_rotates_and_is_told_until_when_both_sign() {
    let place = Place::new();
    set_up(&place);
    let url = ["--url", "https://example.org/hook"];
    let add = [&["webhook", "add", "--tenant", "acme", "--secret-stdin"], &url[..]].concat();
    assert!(run(&place, &add, SECRET).status.success());
    let mail = ["webhook", "add", "--tenant", "acme", "--url", "mailto:clerk@example.org"];
    assert!(run(&place, &mail, "").status.success());
    let stdin = [&url[..], &["--secret-stdin"]].concat();

    let rotated = rotate(&place, &stdin, NEXT_SECRET);
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    let said = String::from_utf8(rotated.stdout).unwrap();
    let until = said.trim().strip_prefix("both secrets sign until ").unwrap();
    let listed = run(&place, &["webhook", "list", "--tenant", "acme", "--json"], "");
    let listed: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((&listed[0]["former_secret_until"], &listed[1]["former_secret_until"]), (&json!(until), &Value::Null));
    let lines = String::from_utf8(run(&place, &["webhook", "list", "--tenant", "acme"], "").stdout).unwrap();
    assert_eq!(lines.matches(&format!("signed with its former secret too until {until}")).count(), 1, "{lines}");

    assert_refused(&rotate(&place, &stdin, SECRET), 65, &format!("still signs until {until}; --grace-h 0"));
    let at_once = [&stdin[..], &["--grace-h", "0"]].concat();
    let rotated = rotate(&place, &at_once, SECRET);
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    assert_eq!(rotated.stdout, b"the new secret signs alone\n");

    let mailbox = ["--url", "mailto:clerk@example.org", "--secret-stdin"];
    assert_refused(&rotate(&place, &mailbox, SECRET), 64, "mail is not signed");
    assert_refused(&rotate(&place, &["--url", "https://example.com/", "--secret-stdin"], SECRET), 65, "endpoint");
    assert_refused(&rotate(&place, &url, SECRET), 64, "--secret-stdin");
    assert_refused(&rotate(&place, &stdin, "hunter2"), 65, "whsec_");
    assert_refused(&rotate(&place, &[&stdin[..], &["--grace-h", "721"]].concat(), SECRET), 64, "720");

    let audit = run(&place, &["audit", "--tenant", "acme", "--json"], "");
    let audit: Vec<Value> = serde_json::from_slice(&audit.stdout).unwrap();
    let deeds: Vec<_> = audit.iter().filter(|row| row["operation"] == "webhook.rotate").collect();
    assert_eq!(deeds.len(), 2, "only what was done");
    assert!(deeds.iter().all(|row| row["entity_id"] == listed[0]["endpoint_id"]));
    // R22
    let kept = place.bytes();
    for secret in [SECRET, NEXT_SECRET].map(|secret| secret.strip_prefix("whsec_").unwrap().as_bytes()) {
        assert!(!kept.windows(secret.len()).any(|window| window == secret));
    }
    let remove = [&["webhook", "remove", "--tenant", "acme"], &url[..]].concat();
    assert!(run(&place, &remove, "").status.success());
    assert!(run(&place, &["check"], "").status.success());
}
