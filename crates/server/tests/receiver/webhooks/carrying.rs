//! Deliveries by one and by several carriers: each event arrives, whatever fails on the way, with the same id and the
//! same bytes every time.

use std::collections::HashSet;
use std::time::Duration;

use domain::Role;
use onceover_server::storage::AuditFilter;
use onceover_server::storage::webhook::{DeliveryRow, EndpointChange, EndpointId, WhichEndpoint};
use onceover_server::webhooks::carry::KEPT_MS;

use super::Server;
use crate::support::mailbox::{Mailbox, Takes};
use crate::support::sink::{Does, Sink};
use crate::support::Person;

async fn a_server() -> (Server, Person) {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Supervisor).await;
    (server, ana)
}

fn is(state: &str) -> impl Fn(&DeliveryRow) -> bool {
    move |row| row.state == state
}

/// Whether so many attempts have been made, and the last one was written down.
fn attempted(count: u32) -> impl Fn(&DeliveryRow) -> bool {
    move |row| row.attempt == count && row.failure.is_some()
}

/// CASES S35: failures in between change neither the id nor a byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_delivery_is_tried_by_its_schedule_until_it_is_taken() {
    let (server, ana) = a_server().await;
    let sink = Sink::start(&[Does::Answer(500), Does::Answer(500)]).await;
    server.endpoint("acme", &sink.url()).await;
    let carrying = server.carry();
    let id = ana.event().await;
    for (attempt, pause) in [(1, 5), (2, 30)] {
        let row = server.deliveries_once("acme", attempted(attempt)).await.remove(0);
        assert_eq!(
            (row.failure.as_deref(), row.status, row.note.as_deref()),
            (Some("status"), Some(500), Some("nope"))
        );
        let now = server.now();
        assert_eq!(row.due_at.unwrap().0 - now.0, pause * 1000);
        server.turn_clock(Duration::from_secs(pause.unsigned_abs()));
    }
    let row = server.deliveries_once("acme", is("delivered")).await.remove(0);
    assert_eq!((row.webhook_id.as_str(), row.attempt, row.failure), (id.as_str(), 3, None));
    let hooks = sink.hooks(3).await;
    assert!(hooks.iter().all(|hook| hook.id() == id && hook.body == hooks[0].body));
    hooks.iter().for_each(crate::support::sink::Hook::assert_signed);
    assert_ne!(hooks[0].header("webhook-timestamp"), hooks[2].header("webhook-timestamp"));
    drop(carrying);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_receiver_that_asks_for_a_pause_gets_it() {
    let (server, ana) = a_server().await;
    let sink = Sink::start(&[Does::With(429, "retry-after: 3600")]).await;
    server.endpoint("acme", &sink.url()).await;
    ana.event().await;
    let _carrying = server.carry();
    let row = server.deliveries_once("acme", attempted(1)).await.remove(0);
    assert_eq!(row.due_at.unwrap().0 - server.now().0, 3_600_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn three_nodes_deliver_each_event_once() {
    let (server, ana) = a_server().await;
    let (second, third) = (server.another().await, server.another().await);
    let sink = Sink::start(&[]).await;
    server.endpoint("acme", &sink.url()).await;
    let _carrying = [server.carry(), second.carry(), third.carry()];
    let mut sent = HashSet::new();
    for _ in 0..40 {
        sent.insert(ana.event().await);
    }
    server.deliveries_once("acme", is("delivered")).await;
    let seen = sink.seen();
    assert_eq!(seen.len(), 40);
    assert_eq!(seen.iter().map(|hook| hook.id().to_owned()).collect::<HashSet<_>>(), sent);
}

/// A receiver that never answers keeps its own deliveries waiting, and nobody else's.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hanging_endpoint_delays_no_other() {
    let (server, ana) = a_server().await;
    let (hanging, healthy) = (Sink::start(&[Does::Hang; 100]).await, Sink::start(&[]).await);
    let slow = server.endpoint("acme", &hanging.url()).await;
    server.endpoint("acme", &healthy.url()).await;
    let _carrying = server.carry();
    for _ in 0..20 {
        ana.event().await;
    }
    server.deliveries_once("acme", |row| row.state == "delivered" || row.endpoint_id == slow).await;
    assert_eq!(healthy.seen().len(), 20);
    assert!((1..=8).contains(&hanging.seen().len()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn after_three_days_it_is_a_dead_letter_and_resending_sends_the_same() {
    let (server, ana) = a_server().await;
    let sink = Sink::start(&[Does::Answer(500); 3]).await;
    server.endpoint("acme", &sink.url()).await;
    let _carrying = server.carry();
    let id = ana.event().await;
    server.deliveries_once("acme", attempted(1)).await;
    server.turn_clock(Duration::from_hours(72) - Duration::from_secs(31));
    server.deliveries_once("acme", attempted(2)).await;
    server.turn_clock(Duration::from_secs(30));
    let row = server.deliveries_once("acme", is("dead")).await.remove(0);
    assert_eq!((row.attempt, row.failure.as_deref(), row.due_at), (3, Some("status"), None));
    let tenant = server.tenant("acme").await;
    assert_eq!(server.storage.endpoints(tenant).await.unwrap()[0].dead, 1);
    assert_eq!(server.storage.delivery_depth().await.unwrap().dead, 1);
    let report = server.storage.check().await.unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert!(report.warnings.iter().any(|warning| warning.contains("dead letter")), "{:?}", report.warnings);
    // A year later it is still there.
    server.turn_clock(Duration::from_hours(24 * 365));
    assert_eq!(server.storage.resend(tenant, &id, None, server.now()).await.unwrap(), 1);
    server.deliveries_once("acme", is("delivered")).await;
    // What was delivered can be sent again as well.
    assert_eq!(server.storage.resend(tenant, &id, None, server.now()).await.unwrap(), 1);
    let nobody = Some(EndpointId(uuid::Uuid::nil()));
    assert_eq!(server.storage.resend(tenant, &id, nobody, server.now()).await.unwrap(), 0, "to that endpoint only");
    let hooks = sink.hooks(5).await;
    assert!(hooks.iter().all(|hook| hook.id() == id && hook.body == hooks[0].body));
    assert_eq!(server.storage.resend(tenant, "msg_unknown", None, server.now()).await.unwrap(), 0);
}

/// 410 Gone: nothing is sent there any more until a person says so, and nothing is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_receiver_that_is_gone_is_disabled() {
    let (server, ana) = a_server().await;
    let sink = Sink::start(&[Does::Answer(500), Does::Answer(410)]).await;
    let endpoint = server.endpoint("acme", &sink.url()).await;
    let carrying = server.carry();
    let first = ana.event().await;
    server.deliveries_once("acme", attempted(1)).await;
    ana.event().await;
    let rows = server.deliveries_once("acme", is("dead")).await;
    assert_eq!((rows.len(), rows[1].failure.as_deref()), (2, Some("gone")));
    let tenant = server.tenant("acme").await;
    assert_eq!(server.storage.endpoints(tenant).await.unwrap()[0].disabled_at, Some(server.now()));
    assert_eq!(server.storage.resend(tenant, &first, None, server.now()).await.unwrap(), 0, "it takes nothing");
    let of_endpoint = AuditFilter { command: None, target: Some(endpoint.to_string()) };
    let told = server.storage.audit(tenant, of_endpoint).await.unwrap();
    let told: Vec<_> = told.iter().map(|row| (row.operation.as_str(), row.actor_id.as_str())).collect();
    assert_eq!(told, [("webhook.add", "administrator"), ("webhook.disable", "onceover-server")]);
    let which = WhichEndpoint::Id(endpoint);
    assert!(server.storage.change_endpoint(tenant, which, EndpointChange::Enable, server.now()).await.unwrap());
    assert_eq!(server.storage.resend(tenant, &first, None, server.now()).await.unwrap(), 1);
    assert_eq!(sink.hooks(3).await[2].id(), first);
    drop(carrying);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_goes_to_a_removed_endpoint() {
    let (server, ana) = a_server().await;
    let (removed, kept) = (Sink::start(&[Does::Answer(500)]).await, Sink::start(&[]).await);
    let endpoint = server.endpoint("acme", &removed.url()).await;
    let _carrying = server.carry();
    ana.event().await;
    server.deliveries_once("acme", attempted(1)).await;
    let (tenant, which) = (server.tenant("acme").await, WhichEndpoint::Id(endpoint));
    assert!(server.storage.change_endpoint(tenant, which, EndpointChange::Remove, server.now()).await.unwrap());
    server.endpoint("acme", &kept.url()).await;
    server.turn_clock(Duration::from_hours(1));
    server.sign_in("acme", "ana").await.event().await;
    kept.hooks(1).await;
    server.deliveries_once("acme", |row| row.state == "delivered" || row.state == "cancelled").await;
    assert_eq!(removed.seen().len(), 1);
    assert_eq!(
        server.storage.delivery_depth().await.unwrap(),
        onceover_server::storage::webhook::DeliveryDepth::default()
    );
    server.assert_whole().await;
}

/// A host beside the server: refused at each attempt, as its name might point elsewhere at the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_private_address_is_not_delivered_to() {
    let (server, ana) = a_server().await;
    let sink = Sink::start(&[]).await;
    let url = format!("https://localhost:{}/", sink.address.port());
    server.endpoint_at("acme", &url, false).await;
    ana.event().await;
    let _carrying = server.carry();
    let row = server.deliveries_once("acme", attempted(1)).await.remove(0);
    assert_eq!(row.failure.as_deref(), Some("private-address"));
    assert_eq!(sink.seen(), []);
}

/// What was delivered goes after thirty days; what waits or was given up stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn old_deliveries_are_forgotten_and_dead_letters_are_not() {
    let (server, ana) = a_server().await;
    let (healthy, gone) = (Sink::start(&[]).await, Sink::start(&[Does::Answer(410)]).await);
    server.endpoint("acme", &healthy.url()).await;
    server.endpoint("acme", &gone.url()).await;
    let _carrying = server.carry();
    ana.event().await;
    server.deliveries_once("acme", |row| row.settled_at.is_some()).await;
    server.turn_clock(Duration::from_millis(KEPT_MS.unsigned_abs() - 1000));
    server.sign_in("acme", "ana").await.event().await;
    server.deliveries_once("acme", |row| row.settled_at.is_some()).await;
    assert_eq!(server.deliveries("acme").await.len(), 3);
    server.turn_clock(Duration::from_mins(11));
    let rows =
        server.deliveries_once("acme", |row| row.state == "dead" || row.created_at.0 > server.now().0 - KEPT_MS).await;
    assert_eq!(rows.iter().map(|row| row.state.as_str()).collect::<Vec<_>>(), ["delivered", "dead"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mail_goes_by_the_same_rules() {
    let (server, ana) = a_server().await;
    let mailbox = Mailbox::start(&[Takes::Cut, Takes::Yes, Takes::NoSuchMailbox]).await;
    server.endpoint("acme", "mailto:clerk@example.org").await;
    let id = ana.event().await;
    // A node without a mail server leaves mail to one that has.
    let (_without, _with) = (server.another().await.carry(), server.carry_with(&mailbox.config()));
    server.deliveries_once("acme", attempted(1)).await;
    server.turn_clock(Duration::from_secs(5));
    server.deliveries_once("acme", is("delivered")).await;
    let messages = mailbox.messages(2).await;
    assert_eq!(messages[0], messages[1]);
    assert!(messages[0].text.contains(&format!("Message-ID: <{id}@example.org>\r\n")), "{}", messages[0].text);
    ana.event().await;
    let rows = server.deliveries_once("acme", |row| row.settled_at.is_some()).await;
    assert_eq!(
        (rows[0].state.as_str(), rows[0].failure.as_deref(), rows[0].attempt),
        ("dead", Some("mail-refused"), 1)
    );
}
