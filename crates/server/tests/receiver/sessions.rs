//! Signing in, staying signed in, and no longer being.

use std::time::Duration;

use domain::Role;
use onceover_server::storage::UserChange;
use serde_json::json;

use crate::support::server::PASSWORD;
use super::Server;
use crate::support::http;

#[tokio::test]
async fn a_sign_in_says_who_where_and_with_which_rights() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Viewer).await;
    assert_eq!(ana.session["session_version"], 1);
    assert_eq!(ana.session["tenant"]["slug"], "acme");
    assert_eq!(ana.session["actor"]["role"], "viewer");
    assert_eq!(ana.session["actor"]["rights"], json!(["notification.read"]));
    assert!(ana.session["access_expires_in_s"].as_u64().unwrap() <= 600);
    let me = ana.get("/v1/session").await;
    assert_eq!(me.status, 200);
    assert_eq!(me.json()["session_id"], ana.session["session_id"]);
    assert_eq!(me.header("cache-control"), Some("no-store"));
    assert!(me.json().get("access_token").is_none());
    // Rights are those of now, in the same session.
    server.change("acme", "ana", UserChange::Role(Role::Officer)).await;
    let rights = ana.get("/v1/session").await.json()["actor"]["rights"].clone();
    assert!(rights.as_array().unwrap().contains(&json!("case.edit")));
}

#[tokio::test]
async fn whatever_is_wrong_with_the_credentials_the_answer_is_the_same() {
    let server = Server::start().await;
    server.person("acme", "ana", Role::Officer).await;
    server.person("acme", "off", Role::Officer).await;
    server.change("acme", "off", UserChange::Disabled(true)).await;
    let mut bodies = Vec::new();
    for (tenant, username, password) in [
        ("acme", "ana", "wrong"),
        ("acme", "nobody", PASSWORD),
        ("nowhere", "ana", PASSWORD),
        ("acme", "off", PASSWORD),
    ] {
        let reply = server.try_sign_in(tenant, username, password).await;
        reply.assert_problem(401, "invalid-credentials");
        bodies.push(reply.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test]
async fn failed_sign_ins_are_throttled_and_the_right_password_always_gets_in() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    server.person("acme", "off", Role::Officer).await;
    server.change("acme", "off", UserChange::Disabled(true)).await;
    let mut wrong = Vec::new();
    for _ in 0..9 {
        wrong.push(server.try_sign_in("acme", "ana", "wrong").await);
    }
    wrong[0].assert_problem(401, "invalid-credentials");
    wrong[7].assert_problem(401, "invalid-credentials");
    wrong[8].assert_problem(429, "rate-limited");
    let wait: u64 = wrong[8].header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    // While a stranger goes on guessing, she gets in, again and again.
    let guesses: Vec<_> = (0..20).map(|_| server.try_sign_in("acme", "ana", "wrong")).collect();
    let strangers = futures_util::future::join_all(guesses);
    let entered = async {
        for _ in 0..3 {
            assert_eq!(server.try_sign_in("acme", "ana", PASSWORD).await.status, 201);
        }
    };
    let (replies, ()) = tokio::join!(strangers, entered);
    assert!(replies.iter().any(|reply| reply.status == 429));
    assert_eq!(ana.get("/v1/session").await.status, 200);
    // A right password of an account that may not sign in is told apart by nothing.
    let mut last = server.try_sign_in("acme", "off", PASSWORD).await.status;
    for _ in 0..8 {
        last = server.try_sign_in("acme", "off", PASSWORD).await.status;
    }
    assert_eq!(last, 429);
    server.turn_clock(Duration::from_mins(1));
    server.try_sign_in("acme", "ana", "wrong").await.assert_problem(401, "invalid-credentials");
}

#[tokio::test]
async fn a_sign_in_is_read_strictly() {
    let server = Server::start().await;
    for (body, code) in [
        ("{", "malformed-request"),
        ("[]", "malformed-request"),
        (r#"{"tenant":1}"#, "malformed-request"),
        (r#"{"more":"x"}"#, "malformed-request"),
        (r#"{"tenant":"a","tenant":"b"}"#, "malformed-request"),
        (r#"{"tenant":"acme","username":""}"#, "validation-failed"),
    ] {
        let reply = http::send(&server.address, "POST", "/v1/sessions", &[], body.as_bytes()).await.unwrap();
        reply.assert_problem(400, code);
    }
}

#[tokio::test]
async fn an_access_token_lives_for_its_time_only() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    server.turn_clock(Duration::from_secs(599));
    assert_eq!(ana.get("/v1/session").await.status, 200);
    server.turn_clock(Duration::from_secs(1));
    ana.get("/v1/session").await.assert_problem(401, "token-expired");
    let refreshed = server.refresh(&ana.refresh_token, "d1").await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.body);
    let ana = crate::support::Person::of(&server.address, &refreshed);
    assert_eq!(ana.get("/v1/session").await.status, 200);
}

#[tokio::test]
async fn what_is_no_token_of_ours_is_unauthenticated() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut forged = ana.token.clone();
    let other = if forged.pop() == Some('A') { 'B' } else { 'A' };
    for header in
        ["", "Bearer", "Bearer x", "Basic YTpi", &format!("Bearer {forged}{other}"), &format!("Bearer {}", ana.refresh_token)]
    {
        for (method, path) in [
            ("GET", "/v1/session"),
            ("GET", "/v1/changes"),
            ("GET", "/v1/events"),
            ("POST", "/v1/commands"),
            ("DELETE", "/v1/sessions/current"),
        ] {
            let reply = http::send(&server.address, method, path, &[("authorization", header)], b"{").await.unwrap();
            reply.assert_problem(401, "unauthenticated");
        }
    }
    server.refresh("ort_x", "d1").await.assert_problem(401, "unauthenticated");
}

/// CASES S18: the answer to a refresh is lost, and the client asks again.
#[tokio::test]
async fn the_same_refresh_token_gives_the_same_successor_for_a_minute() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let first = server.refresh(&ana.refresh_token, "d1").await;
    server.turn_clock(Duration::from_secs(59));
    let again = server.refresh(&ana.refresh_token, "d1").await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.json()["refresh_token"], again.json()["refresh_token"]);
    assert_ne!(first.json()["refresh_token"], ana.session["refresh_token"]);
    let next = server.refresh(first.json()["refresh_token"].as_str().unwrap(), "d1").await;
    assert_eq!(next.status, 200);
}

#[tokio::test]
async fn late_reuse_of_a_refresh_token_ends_the_family() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let other = server.sign_in("acme", "ana").await;
    let successor = server.refresh(&ana.refresh_token, "d1").await.json();
    server.turn_clock(Duration::from_secs(61));
    server.refresh(&ana.refresh_token, "d1").await.assert_problem(401, "session-revoked");
    server.refresh(successor["refresh_token"].as_str().unwrap(), "d1").await.assert_problem(401, "session-revoked");
    ana.get("/v1/session").await.assert_problem(401, "session-revoked");
    assert_eq!(other.get("/v1/session").await.status, 200, "another sign-in is another family");
}

#[tokio::test]
async fn a_refresh_token_from_another_device_ends_the_family() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    server.refresh(&ana.refresh_token, "thief").await.assert_problem(401, "session-revoked");
    server.refresh(&ana.refresh_token, "d1").await.assert_problem(401, "session-revoked");
}

#[tokio::test]
async fn signing_out_twice_is_fine_and_ends_this_session_only() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let other = server.sign_in("acme", "ana").await;
    for _ in 0..2 {
        let reply = ana.request("DELETE", "/v1/sessions/current", &[], b"").await;
        assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    }
    ana.get("/v1/session").await.assert_problem(401, "session-revoked");
    assert_eq!(other.get("/v1/session").await.status, 200);
    assert_eq!(other.session["session_version"], 1);
    server.turn_clock(Duration::from_secs(700));
    assert_eq!(other.request("DELETE", "/v1/sessions/current", &[], b"").await.status, 204, "also when expired");
}

/// CASES G7: what an administrator does to an account reaches its sessions at their next request.
#[tokio::test]
async fn revoking_a_new_password_and_disabling_end_all_sessions() {
    let server = Server::start().await;
    let mut ana = server.person("acme", "ana", Role::Officer).await;
    let new_password = onceover_server::password::hash(PASSWORD).unwrap();
    let changes = [UserChange::Revoke, UserChange::Password(new_password), UserChange::Disabled(true)];
    for (version, change) in (2..).zip(changes) {
        server.change("acme", "ana", change).await;
        ana.get("/v1/session").await.assert_problem(401, "session-revoked");
        server.refresh(&ana.refresh_token, "d1").await.assert_problem(401, "session-revoked");
        server.change("acme", "ana", UserChange::Disabled(false)).await;
        ana = server.sign_in("acme", "ana").await;
        assert_eq!(ana.session["session_version"], version);
    }
}

#[tokio::test]
async fn no_token_is_in_the_database() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let successor = server.refresh(&ana.refresh_token, "d1").await.json();
    let bytes = server.place.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(&ana.actor_id()), "this is what is stored");
    for secret in [&ana.token, &ana.refresh_token, &successor["refresh_token"].as_str().unwrap().to_owned()] {
        assert!(!text.contains(secret.as_str()));
    }
    assert!(!text.contains(PASSWORD));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(server.place.file("server.db.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// CASES S18: two answers are lost, or two programs of a device refresh at once.
#[tokio::test]
async fn a_refresh_token_gives_its_successor_for_a_minute_also_when_that_one_was_used() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut tokens = vec![ana.refresh_token.clone()];
    for _ in 0..3 {
        let next = server.refresh(tokens.last().unwrap(), "d1").await.json();
        tokens.push(next["refresh_token"].as_str().unwrap().to_owned());
        server.turn_clock(Duration::from_secs(20));
    }
    // Now the first was used 60 s ago, the second 40 s, the third 20 s.
    for (token, successor) in tokens.iter().zip(&tokens[1..]) {
        let again = server.refresh(token, "d1").await;
        assert_eq!(again.status, 200, "{}", again.body);
        assert_eq!(again.json()["refresh_token"], json!(successor));
        assert_eq!(crate::support::Person::of(&server.address, &again).get("/v1/session").await.status, 200);
    }
    // Giving one again does not make its minute begin again.
    server.turn_clock(Duration::from_secs(1));
    assert_eq!(server.refresh(&tokens[1], "d1").await.status, 200);
    server.refresh(&tokens[0], "d1").await.assert_problem(401, "session-revoked");
    server.refresh(&tokens[3], "d1").await.assert_problem(401, "session-revoked");

    // Another device ends the family within the minute too.
    let ana = server.sign_in("acme", "ana").await;
    let second = server.refresh(&ana.refresh_token, "d1").await.json()["refresh_token"].clone();
    let third = server.refresh(second.as_str().unwrap(), "d1").await.json()["refresh_token"].clone();
    server.refresh(&ana.refresh_token, "thief").await.assert_problem(401, "session-revoked");
    server.refresh(third.as_str().unwrap(), "d1").await.assert_problem(401, "session-revoked");
}

#[tokio::test]
async fn two_authorization_headers_name_nobody() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let (ana, bob) = (format!("Bearer {}", ana.token), format!("Bearer {}", bob.token));
    for twice in [[("authorization", ana.as_str()), ("Authorization", &bob)], [("authorization", ana.as_str()); 2]] {
        for (method, path) in [("GET", "/v1/session"), ("POST", "/v1/commands"), ("DELETE", "/v1/sessions/current")] {
            let reply = http::send(&server.address, method, path, &twice, b"{").await.unwrap();
            reply.assert_problem(401, "unauthenticated");
        }
    }
}
