//! Deliveries by real processes that are killed, with the machine's clock turned by a file.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::net::TcpListener;

use super::Place;
use crate::support::mailbox::{Mailbox, Takes};
use crate::support::process::{Process, run, set_up};
use crate::support::sink::{Does, SECRET, Sink};

fn start(place: &Place) -> Process {
    start_with(place, &[])
}

fn start_with(place: &Place, environment: &[(&str, &str)]) -> Process {
    let clock = place.file("clock").display().to_string();
    let environment: Vec<_> = environment.iter().copied().chain([("ONCEOVER_CLOCK_FILE", clock.as_str())]).collect();
    Process::try_start(place, &environment).unwrap()
}

/// So many seconds later than the machine's clock says.
fn turn_clock_to(place: &Place, seconds: i64) {
    std::fs::write(place.file("clock.new"), (seconds * 1000).to_string()).unwrap();
    std::fs::rename(place.file("clock.new"), place.file("clock")).unwrap();
}

fn add(place: &Place, url: &str) {
    let mut arguments = vec!["webhook", "add", "--tenant", "acme", "--url", url];
    if url.starts_with("http") {
        arguments.extend(["--secret-stdin", "--allow-private"]);
    }
    let added = run(place, &arguments, SECRET);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
}

fn deliveries(place: &Place) -> Vec<Value> {
    let output = run(place, &["webhook", "deliveries", "--tenant", "acme", "--json"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one delivery, once it is as wanted.
fn delivery_once(place: &Place, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let rows = deliveries(place);
        if let Some(row) = rows.iter().find(|row| is_wanted(row)) {
            return row.clone();
        }
        assert!(Instant::now() < deadline, "{rows:?}");
    }
}

fn failed(attempt: u32) -> impl Fn(&Value) -> bool {
    move |row| row["attempt"] == attempt && row["failure"].is_string()
}

/// CASES S35: the sink answers 500, 500, 200 with a restart between: the same id, the same bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_between_attempts_changes_neither_id_nor_body() {
    let place = Place::new();
    set_up(&place);
    let sink = Sink::start(&[Does::Answer(500), Does::Answer(500), Does::Answer(200)]).await;
    add(&place, &sink.url());
    let server = start(&place);
    let id = server.sign_in().await.event().await;
    delivery_once(&place, failed(1));
    server.kill();
    turn_clock_to(&place, 60);
    let server = start(&place);
    delivery_once(&place, failed(2));
    server.kill();
    turn_clock_to(&place, 600);
    let _server = start(&place);
    let row = delivery_once(&place, |row| row["state"] == "delivered");
    assert_eq!((&row["webhook_id"], &row["attempt"]), (&Value::from(id.as_str()), &Value::from(3)));
    let resent = run(&place, &["webhook", "resend", "--tenant", "acme", "--id", &id], "");
    assert!(resent.status.success(), "{}", String::from_utf8_lossy(&resent.stderr));
    let hooks = sink.hooks(4).await;
    for hook in &hooks {
        assert_eq!((hook.id(), &hook.body), (id.as_str(), &hooks[0].body));
        hook.assert_signed();
    }
}

/// CASES S27: killed between the commit and the first attempt, nothing is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_before_it_delivers_delivers_later() {
    let place = Place::new();
    set_up(&place);
    let reserved = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = reserved.local_addr().unwrap();
    add(&place, &format!("http://{address}/hook"));
    let server = start(&place);
    let ana = server.sign_in().await;
    let mut sent = Vec::new();
    for _ in 0..5 {
        sent.push(ana.event().await);
    }
    server.kill();
    drop(reserved);
    let sink = Sink::at(&address.to_string(), &[]).await;
    // What it had in hand is due again when its lease is over.
    turn_clock_to(&place, 600);
    let _server = start(&place);
    let mut seen: Vec<String> = sink.hooks(5).await.iter().map(|hook| hook.id().to_owned()).collect();
    seen.sort();
    sent.sort();
    assert_eq!(seen, sent);
}

/// Killed while the receiver has it: nobody else sends it before the lease is over, and then the same is sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_server_was_sending_is_sent_again_after_its_lease() {
    let place = Place::new();
    set_up(&place);
    let sink = Sink::start(&[Does::Hang]).await;
    add(&place, &sink.url());
    let server = start(&place);
    let id = server.sign_in().await.event().await;
    sink.hooks(1).await;
    server.kill();
    let server = start(&place);
    // Another event passes it by, so the new server has looked.
    let later = server.sign_in().await.event().await;
    let passed = sink.hooks(2).await;
    assert_eq!(passed[1].id(), later);
    turn_clock_to(&place, 91);
    let hooks = sink.hooks(3).await;
    assert_eq!((hooks[2].id(), &hooks[2].body), (id.as_str(), &hooks[0].body));
    delivery_once(&place, |row| row["webhook_id"] == id.as_str() && row["state"] == "delivered");
}

/// The settings of mail come from the environment; told to stop, a server finishes what it is sending.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_is_sent_by_a_real_process_and_dead_letters_are_shown() {
    let place = Place::new();
    set_up(&place);
    let mailbox = Mailbox::start(&[Takes::Cut, Takes::Yes, Takes::NoSuchMailbox]).await;
    add(&place, "mailto:clerk@example.org");
    let environment = [("ONCEOVER_SMTP_URL", mailbox.url()), ("ONCEOVER_SMTP_FROM", "onceover@example.org".to_owned())];
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let server = start_with(&place, &environment);
    let ana = server.sign_in().await;
    let id = ana.event().await;
    delivery_once(&place, failed(1));
    turn_clock_to(&place, 10);
    delivery_once(&place, |row| row["state"] == "delivered");
    let messages = mailbox.messages(2).await;
    assert_eq!(messages[0], messages[1]);
    assert!(messages[0].text.contains(&format!("Message-ID: <{id}@example.org>\r\n")), "{}", messages[0].text);
    let dead = ana.event().await;
    delivery_once(&place, |row| row["state"] == "dead");
    let listed = run(&place, &["webhook", "deliveries", "--tenant", "acme", "--state", "dead"], "");
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(&dead) && listed.contains("mail-refused 550 \"no such mailbox\""), "{listed}");
    let checked = run(&place, &["check"], "");
    assert!(checked.status.success());
    let warned = String::from_utf8(checked.stderr).unwrap();
    assert!(warned.contains("warning: tenant acme: 1 webhook dead letter(s) for mailto:clerk@example.org"), "{warned}");
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}
