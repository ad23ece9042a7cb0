//! The feed: everything once, in commit order, by cursors that cannot be made up.

use std::time::Duration;

use domain::Role;
use onceover_server::storage::AuditFilter;
use serde_json::{Value, json};

use super::Server;
use crate::support::{a_case, command, id};

#[tokio::test]
async fn the_feed_shows_each_entity_once_at_its_newest_state() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let (first, second) = (a_case("a"), a_case("b"));
    ana.send(&first).await;
    ana.send(&second).await;
    let edit = command("case.edit", &first.target(), json!({"changes":{"title":{"from":"a","to":"z"}}}));
    let receipt = ana.send(&edit).await.json();
    let feed = ana.feed().await;
    let cases: Vec<&Value> = feed.iter().filter(|item| item["type"] == "case").collect();
    assert_eq!(cases.len(), 2);
    assert_eq!(cases[1]["id"], json!(first.target()), "the one that changed last comes last");
    assert_eq!((&cases[1]["revision"], &cases[1]["command_id"]), (&json!(2), &json!(edit.id())));
    assert_eq!((&cases[1]["deleted"], &cases[1]["entity"]["title"]), (&json!(false), &json!("z")));
    assert_eq!(feed.last().unwrap()["seq"], receipt["feed_position"]);
    assert_eq!(feed[0]["type"], "member");
    for item in feed {
        let read: wire::FeedItem = serde_json::from_value(item).unwrap();
        assert!(read.read().unwrap().is_some());
    }
}

#[tokio::test]
async fn pages_follow_each_other_and_end_at_the_head() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    for n in 0..5 {
        ana.send(&a_case(&n.to_string())).await;
    }
    let (mut cursor, mut seqs) = (String::new(), Vec::new());
    loop {
        let page = ana.get(&format!("/v1/changes?limit=2&cursor={cursor}")).await.json();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2);
        seqs.extend(items.iter().map(|item| item["seq"].as_u64().unwrap()));
        page["cursor"].as_str().unwrap().clone_into(&mut cursor);
        assert_eq!(page["head"], 11);
        if page["has_more"] == false {
            break;
        }
    }
    assert_eq!(seqs, (1..=11).collect::<Vec<u64>>());
    let empty = ana.get(&format!("/v1/changes?cursor={cursor}")).await.json();
    assert_eq!((&empty["items"], &empty["cursor"]), (&json!([]), &json!(cursor)));
    for bad in ["0", "1001", "-1", "x"] {
        ana.get(&format!("/v1/changes?limit={bad}")).await.assert_problem(400, "validation-failed");
    }
    ana.get("/v1/changes?since=1").await.assert_problem(400, "malformed-request");
}

#[tokio::test]
async fn a_cursor_is_ours_of_this_tenant_and_of_this_epoch() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let eve = server.person("other", "eve", Role::Officer).await;
    ana.send(&a_case("t")).await;
    let cursor = ana.get("/v1/changes").await.json()["cursor"].as_str().unwrap().to_owned();
    eve.get(&format!("/v1/changes?cursor={cursor}")).await.assert_problem(400, "cursor-invalid");
    let mut tampered = cursor.clone().into_bytes();
    let last = tampered.len() - 3;
    tampered[last] = if tampered[last] == b'A' { b'B' } else { b'A' };
    for bad in [String::from_utf8(tampered).unwrap(), "x".to_owned(), cursor[1..].to_owned(), "1".to_owned()] {
        ana.get(&format!("/v1/changes?cursor={bad}")).await.assert_problem(400, "cursor-invalid");
    }
}

/// CASES S30: after yesterday's backup is back, cursors of today are told to start over.
#[tokio::test]
async fn a_cursor_from_before_a_restore_has_expired() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    ana.send(&a_case("kept")).await;
    let (backup, later) = (server.backup().await, server.backup().await);
    let kept = ana.get("/v1/changes").await.json()["cursor"].as_str().unwrap().to_owned();
    let lost = a_case("lost");
    ana.send(&lost).await;
    let beyond = ana.get("/v1/changes").await.json()["cursor"].as_str().unwrap().to_owned();

    let restored = server.restored(backup).await;
    let ana = ana.at(&restored);
    ana.get(&format!("/v1/changes?cursor={beyond}")).await.assert_problem(410, "cursor-expired");
    assert_eq!(ana.get(&format!("/v1/changes?cursor={kept}")).await.status, 200);
    let asked = ana.get(&format!("/v1/operations/{}?key={}", lost.id(), lost.key)).await.json();
    assert_eq!(asked["state"], "not_seen");
    assert_eq!(ana.send(&lost).await.status, 201);

    let restored = server.restored(later).await;
    let epoch = restored.storage.new_epoch(server.now()).await.unwrap();
    assert_eq!(restored.storage.feed_epoch().await.unwrap(), epoch);
    let tenant = restored.storage.tenant_of("acme").await.unwrap().unwrap();
    let filter = AuditFilter { command: None, target: Some(epoch) };
    let traces = restored.storage.audit(tenant, filter).await.unwrap();
    assert_eq!((traces.len(), traces[0].operation.as_str()), (1, "new-epoch"));
    restored.assert_whole().await;
    // Who was revoked since is not known here any more: everybody signs in again.
    ana.at(&restored).get("/v1/session").await.assert_problem(401, "session-revoked");
    restored.refresh(&ana.refresh_token, "d1").await.assert_problem(401, "session-revoked");
    let again = restored.sign_in("acme", "ana").await;
    assert_eq!((&ana.session["session_version"], &again.session["session_version"]), (&json!(1), &json!(2)));
    again.get(&format!("/v1/changes?cursor={kept}")).await.assert_problem(410, "cursor-expired");
    // Numbers that may have been given since are not given again.
    let create = a_case("after");
    assert_eq!(again.send(&create).await.status, 201);
    assert_eq!(again.entity("case", &create.target()).await.unwrap()["number"], "2026-001002");
    restored.turn_clock(Duration::from_hours(24 * 40));
    restored.storage.new_epoch(restored.now()).await.unwrap();
    let again = restored.sign_in("acme", "ana").await;
    let create = a_case("next year");
    assert_eq!(again.send(&create).await.status, 201);
    assert_eq!(again.entity("case", &create.target()).await.unwrap()["number"], "2027-001001");
    restored.assert_whole().await;
}

#[tokio::test]
async fn a_page_is_bounded_by_its_bytes_too_and_never_empty_before_the_head() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let case = a_case("t");
    ana.send(&case).await;
    for (n, length) in [300_000, 300_000, 300_000, 300_000, 1_040_000, 1_040_000, 10].into_iter().enumerate() {
        let note = json!({ "note_id": id(), "text": format!("{n}{}", "x".repeat(length)) });
        assert_eq!(ana.send(&command("note.add", &case.target(), note)).await.status, 201);
    }
    let (mut cursor, mut seqs, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        let reply = ana.get(&format!("/v1/changes?limit=1000&cursor={cursor}")).await;
        let page = reply.json();
        let items = page["items"].as_array().unwrap();
        assert!(!items.is_empty(), "a page before the head brings something");
        assert!(reply.body.len() < (1 << 20) + 20_000, "{} bytes", reply.body.len());
        seqs.extend(items.iter().map(|item| item["seq"].as_u64().unwrap()));
        page["cursor"].as_str().unwrap().clone_into(&mut cursor);
        pages += 1;
        assert_eq!(page["has_more"], seqs.last() != page["head"].as_u64().as_ref(), "{seqs:?}");
        if page["has_more"] == false {
            break;
        }
    }
    assert!(seqs.is_sorted(), "{seqs:?}");
    let notes = ana.feed().await.iter().filter(|item| item["type"] == "note").count();
    assert_eq!((pages, notes), (4, 7), "{seqs:?}");
}
