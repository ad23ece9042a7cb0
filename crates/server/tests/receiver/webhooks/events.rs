//! Which commands make events, what is told of them, and that it is told once whatever the client sends.

use std::sync::Arc;

use domain::Role;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Server;
use crate::support::mailbox::Mailbox;
use crate::support::sink::Sink;
use crate::support::{Person, a_case, command, id, with_expected};

/// A case made, moved on, given to somebody and told of; the ids of those four commands.
async fn everything(ana: &Person) -> (String, [String; 4]) {
    let create = a_case("Broken\nrailing");
    let case = create.target();
    let expected = |revision: u32| json!({ "revision": revision });
    let payload = json!({ "to": "under_review", "reason_code": "inspected", "comment": "private words" });
    let transition = with_expected("case.transition", &case, payload, expected(1));
    let assign = command("case.assign", &case, json!({ "from": null, "to": ana.actor_id() }));
    let notice = json!({
        "notice_id": id(), "kind": "order", "recipient": "Main Street 5 LLC\r\nBcc: spy@example.org",
        "body": "the whole text of the notice",
    });
    let notice = with_expected("notice.issue", &case, notice, expected(3));
    for sent in [&create, &transition, &assign, &notice] {
        let reply = ana.send(sent).await;
        assert!(reply.status < 300, "{}", reply.body);
    }
    // Nobody is told of these.
    assert_eq!(ana.send(&command("tag.add", &case, json!({ "tag": "roof" }))).await.status, 200);
    assert_eq!(ana.send(&command("note.add", &case, json!({ "note_id": id(), "text": "x" }))).await.status, 201);
    (case, [create, transition, assign, notice].map(|sent| sent.id()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_kinds_of_events_are_posted_with_ids_and_little_else() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    server.person("other", "bob", Role::Supervisor).await;
    let (sink, elsewhere) = (Sink::start(&[]).await, Sink::start(&[]).await);
    server.endpoint("acme", &sink.url()).await;
    server.endpoint("other", &elsewhere.url()).await;
    let _carrying = server.carry();
    let (case, commands) = everything(&ana).await;
    let mut hooks = sink.hooks(4).await;
    hooks.sort_by_key(|hook| commands.iter().position(|command| hook.id() == format!("msg_{command}")));
    let kinds = ["case.created", "case.transitioned", "case.assigned", "notice.issued"];
    for ((hook, kind), command) in hooks.iter().zip(kinds).zip(&commands) {
        hook.assert_signed();
        let json = hook.json();
        let data = &json["data"];
        assert_eq!((hook.id(), json["type"].as_str().unwrap()), (format!("msg_{command}").as_str(), kind));
        assert_eq!(json["timestamp"], json!(server.now()));
        assert_eq!((&data["case_id"], &data["command_id"]), (&json!(case), &json!(command)));
        assert_eq!((&data["actor_id"], &data["number"]), (&json!(ana.actor_id()), &json!("2026-000001")));
        for private in ["Broken", "Main Street", "private words", "whole text", "ana\""] {
            assert!(!hook.body.contains(private), "{private} in {}", hook.body);
        }
    }
    assert_eq!(
        (&hooks[1].json()["data"]["from"], &hooks[1].json()["data"]["to"]),
        (&json!("open"), &json!("under_review"))
    );
    assert_eq!(hooks[2].json()["data"]["to"], json!(ana.actor_id()));
    assert_eq!(hooks[3].json()["data"]["kind"], "order");
    server.deliveries_once("acme", |row| row.state == "delivered").await;
    assert_eq!((sink.seen().len(), elsewhere.seen().len()), (4, 0));
}

/// Mail is for a person: it names the case and the recipient, and has nothing of the notice's text.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_mail_says_what_happened_to_which_case() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    let mailbox = Mailbox::start(&[]).await;
    server.endpoint("acme", "mailto:clerk@example.org").await;
    let (_, commands) = everything(&ana).await;
    let _carrying = server.carry_with(&mailbox.config());
    let messages = mailbox.messages(4).await;
    let of =
        |n: usize| messages.iter().find(|message| message.text.contains(&format!("<msg_{}@", commands[n]))).unwrap();
    let notice = &of(3).text;
    for line in [
        "Subject: A notice was issued: case 2026-000001\r\n",
        "\r\nCase:      2026-000001\r\n",
        "\r\nTitle:     Broken railing\r\n",
        "\r\nKind:      order\r\n",
        "\r\nRecipient: Main Street 5 LLC Bcc: spy@example.org\r\n",
    ] {
        assert!(notice.contains(line), "{line:?} in {notice}");
    }
    assert!(!notice.contains("whole text") && !notice.contains("\nBcc"), "{notice}");
    assert!(of(1).text.contains("Status:    open -> under_review\r\n"), "{}", of(1).text);
    assert!(messages.iter().all(|message| message.to == "<clerk@example.org>"));
}

/// CASES S14: 64 equal requests make one delivery; so does the repeat of each after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_requests_make_one_delivery() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sink = Sink::start(&[]).await;
    server.endpoint("acme", &sink.url()).await;
    let _carrying = server.carry();
    let (create, barrier) = (a_case("t"), Arc::new(Barrier::new(64)));
    let mut senders = JoinSet::new();
    for _ in 0..64 {
        let (ana, create, barrier) = (ana.clone(), create.clone(), Arc::clone(&barrier));
        senders.spawn(async move {
            barrier.wait().await;
            ana.send(&create).await.status
        });
    }
    assert!(senders.join_all().await.iter().all(|status| matches!(status, 201 | 409)));
    assert!(ana.send(&create).await.is_replayed());
    let rows = server.deliveries_once("acme", |row| row.state == "delivered").await;
    assert_eq!(rows.iter().map(|row| row.webhook_id.clone()).collect::<Vec<_>>(), [format!("msg_{}", create.id())]);
    assert_eq!(sink.seen().len(), 1);
}

/// A refused command is told to nobody, and what was not wanted or came before the endpoint is not either.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_effects_that_are_wanted_are_told() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    ana.event().await;
    server.endpoint("acme", "http://127.0.0.1:1/all").await;
    server.endpoint_for("acme", "http://127.0.0.1:1/notices", &["notice.issued"]).await;
    let refused =
        with_expected("case.transition", &id(), json!({ "from": "open", "to": "closed" }), json!({ "revision": 1 }));
    assert!(ana.send(&refused).await.status >= 400);
    assert_eq!(server.deliveries("acme").await, []);
    let event = ana.event().await;
    let rows = server.deliveries("acme").await;
    assert_eq!(
        rows.iter().map(|row| (row.webhook_id.as_str(), row.url.as_str())).collect::<Vec<_>>(),
        [(event.as_str(), "http://127.0.0.1:1/all")]
    );
}
