//! What is done without a command: by an administrator, by signing out, by the server.

use serde_json::{Value, json};

use super::super::Place;
use super::{COMMITTED, Told, administer, assert_whole, change_ana, rejected, started};
use crate::support::a_case;
use crate::support::http::send;
use crate::support::process::{run, set_up};
use crate::support::server::PASSWORD;
use crate::support::sink::SECRET;

/// A session that was ended by somebody else: revoked, by a new password, by a refresh token that came twice.
#[tokio::test]
async fn it_tells_who_ended_a_session_and_what_came_after() {
    let (place, server, ana) = started().await;
    let sent = a_case("a");
    assert_eq!(ana.send(&sent).await.status, 201);
    change_ana(&place, &["revoke"], "");
    ana.send(&sent).await.assert_problem(401, "session-revoked");
    let ana = server.sign_in().await;
    change_ana(&place, &["set-password", "--password-stdin"], PASSWORD);
    ana.send(&sent).await.assert_problem(401, "session-revoked");
    let ana = server.sign_in().await;
    let body = json!({ "refresh_token": ana.refresh_token, "device_id": "another" }).to_string();
    let stolen = send(&server.address, "POST", "/v1/sessions/refresh", &[], body.as_bytes()).await.unwrap();
    stolen.assert_problem(401, "session-revoked");
    let told = Told::by(&place);
    let refused = rejected("session-revoked");
    assert_eq!(told.results(&sent), [COMMITTED, refused, refused]);
    assert!(told.was_replayed_after_sign_out(&sent));
    for operation in ["user.revoke", "user.set-password"] {
        let deed = told.deed(operation);
        assert_eq!((&deed["actor_id"], &deed["entity_id"]), (&json!("administrator"), &json!(ana.actor_id())));
    }
    assert_eq!(told.deed("session.end")["code"], "session-revoked", "nobody signed out there");
    assert_whole(&place);
}

#[tokio::test]
async fn it_tells_what_an_administrator_did_to_people() {
    let place = Place::new();
    set_up(&place);
    for (change, input) in [
        (&["set-role", "--role", "officer"][..], ""),
        (&["set-role", "--role", "officer"], ""),
        (&["revoke"], ""),
        (&["disable"], ""),
        (&["enable"], ""),
        (&["set-password", "--password-stdin"], "another horse"),
    ] {
        change_ana(&place, change, input);
    }
    let told = Told::by(&place);
    let user = told.deed("user.add")["entity_id"].clone();
    let mut last = Value::Null;
    for (operation, code) in [
        ("user.add", json!("supervisor")),
        ("user.set-role", json!("officer")),
        ("user.revoke", Value::Null),
        ("user.disable", Value::Null),
        ("user.enable", Value::Null),
        ("user.set-password", Value::Null),
    ] {
        let row = told.deed(operation);
        assert_eq!((&row["actor_id"], &row["entity_type"]), (&json!("administrator"), &json!("member")));
        assert_eq!((&row["entity_id"], &row["code"]), (&user, &code), "{operation}");
        assert_eq!(row["previous_revision"], last, "{operation} follows what was before");
        last = row["next_revision"].clone();
    }
    assert_eq!(told.0.len(), 6, "what is so already is nothing that was done");
    assert!(!told.0.iter().any(|row| row.to_string().contains("horse")));
    assert_whole(&place);
}

/// Where events go is told by host alone: what else a URL says may be known to its receiver only.
#[tokio::test]
async fn it_tells_where_events_were_sent_from_when_on() {
    let place = Place::new();
    set_up(&place);
    let of = ["--tenant", "acme", "--url"];
    let hook = "https://example.org:8443/hook/5ecret-path";
    let add = [&["webhook", "add", "--secret-stdin"], &of[..], &[hook]].concat();
    let added = administer(&place, &add, SECRET);
    assert!(!run(&place, &add, SECRET).status.success(), "it is there already");
    administer(&place, &[&["webhook", "enable"], &of[..], &[hook]].concat(), "");
    administer(&place, &[&["webhook", "remove"], &of[..], &[hook]].concat(), "");
    let told = Told::by(&place);
    for operation in ["webhook.add", "webhook.enable", "webhook.remove"] {
        let row = told.deed(operation);
        assert_eq!((&row["actor_id"], &row["entity_type"]), (&json!("administrator"), &json!("endpoint")));
        assert_eq!((&row["entity_id"], &row["code"]), (&json!(added), &json!("https://example.org:8443")));
    }
    let mail = [&["webhook", "add"], &of[..], &["mailto:clerk@example.org"]].concat();
    let mailbox = administer(&place, &mail, "");
    let told = Told::by(&place);
    let row = told.0.last().unwrap();
    assert_eq!((&row["entity_id"], &row["code"]), (&json!(mailbox), &json!("mailto:@example.org")));
    let all = json!(told.0).to_string();
    assert!(!all.contains("5ecret") && !all.contains("clerk") && !all.contains(SECRET));
    assert_whole(&place);
}
