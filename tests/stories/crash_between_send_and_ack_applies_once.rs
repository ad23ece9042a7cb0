//! The server commits, the answer is lost, and the client asks and sends again: one effect.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::sync::atomic::{AtomicUsize, Ordering};

use onceover_tests::cli::Cli;
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::server::{PASSWORD, Server, TENANT};
use onceover_tests::tls::choose_provider;
use serde_json::{Value, json};

/// How many answers are lost, and how often the command is replayed afterwards.
const TIMES: usize = 10;

/// CASES A1, A2: the server commits, ten answers about the command are cut, the client restarts meanwhile (every call
/// of the command line is a process of its own), and the command is replayed ten more times → one effect, one audit
/// row that says so, and the first result each time.
#[tokio::test]
async fn ten_lost_answers_and_ten_replays_have_one_effect() {
    let server = Server::started(&[("mara", "officer")]);
    let lost = AtomicUsize::new(0);
    let proxy = Proxy::before(server.port(), move |_, line| {
        let is_command = line.starts_with("POST /v1/commands");
        // The feed and a look-up would tell as well what became of it; they are as lost as the answers.
        let could_tell = is_command || line.contains("/v1/changes") || line.contains("/v1/operations/");
        let already_lost = lost.fetch_add(usize::from(is_command), Ordering::SeqCst);
        if could_tell && already_lost < TIMES { Fault::CutAnswer } else { Fault::None }
    })
    .await;
    let home = tempfile::tempdir().unwrap();
    let (url, path) = (proxy.url(), home.path().to_owned());
    let (row, states) = tokio::task::spawn_blocking(move || until_acked(&Cli::in_home(&path), &url)).await.unwrap();

    let (final_state, before) = states.split_last().unwrap();
    assert_eq!(final_state, "acked");
    // A sync goes on while it has time: some of them lose more than one answer.
    assert!(row["attempt"].as_u64().is_some_and(|attempt| attempt >= TIMES as u64), "{row}");
    // A machine that has much else to do may not come to send it within the first second.
    let sent: Vec<&String> = before.iter().skip_while(|state| *state == "queued").collect();
    assert!(
        !sent.is_empty() && sent.iter().all(|state| *state == "unknown"),
        "never failed, never done before it is known: {states:?}"
    );

    let answers = replay(&server.url(), &row).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "byte for byte the first result: {answers:?}");
    let command_id = row["command_id"].as_str().unwrap();
    assert_eq!(server.effects().get(command_id), Some(&1));
    let audit = server.audit();
    let results = audit.iter().filter(|row| row["command_id"] == command_id).map(|row| &row["result"]);
    let (committed, repeats): (Vec<&Value>, Vec<&Value>) = results.partition(|result| *result == "committed");
    assert_eq!(committed.len(), 1);
    assert!(repeats.len() >= TIMES && repeats.iter().all(|result| *result == "duplicate_returned"), "{repeats:?}");
}

/// Creates a case and syncs, a process at a time, until it is received. Returns the row and the states seen.
fn until_acked(cli: &Cli, server: &str) -> (Value, Vec<String>) {
    cli.sign_in(server, "mara");
    let created = cli.run(&["case", "create", "--title", "Two hours on site", "--kind", "inspection"]);
    let command_id = created.json["command_id"].as_str().unwrap().to_owned();
    let mut states = Vec::new();
    for _ in 0..3 * TIMES {
        cli.run(&["sync", "--timeout-s", "1"]);
        let row = cli.run(&["outbox", "show", &command_id]).json;
        states.push(row["state"].as_str().unwrap_or_default().to_owned());
        if row["state"] == "acked" {
            return (row, states);
        }
    }
    panic!("never received: {states:?}");
}

/// Sends the row's command again and again, as a network that doubles requests would. Returns status, whether the
/// answer says that it is a stored one, and the body.
async fn replay(server: &str, row: &Value) -> Vec<(u16, bool, String)> {
    choose_provider();
    let http = reqwest::Client::new();
    let session =
        json!({"tenant": TENANT, "username": "mara", "password": PASSWORD, "device_id": "d", "device_name": "d"});
    let session = http.post(format!("{server}/v1/sessions")).json(&session).send().await.unwrap();
    let session: Value = session.json().await.unwrap();
    let command = json!({
        "command_id": row["command_id"], "operation": row["operation"], "schema_version": 1, "target": row["target"],
        "expected": null, "payload": row["payload"], "payload_hash": row["payload_hash"],
        "issued_at": "2026-11-30T09:12:00.000Z", "confirmed_at": null,
        "session_version": session["session_version"], "issued_under": row["session_version"],
    });
    let mut answers = Vec::new();
    for _ in 0..TIMES {
        let request = http
            .post(format!("{server}/v1/commands"))
            .bearer_auth(session["access_token"].as_str().unwrap())
            .header("Idempotency-Key", row["idempotency_key"].as_str().unwrap())
            .json(&command);
        let answer = request.send().await.unwrap();
        let replayed = answer.headers().get(wire::REPLAYED_HEADER).is_some_and(|value| value == "true");
        answers.push((answer.status().as_u16(), replayed, answer.text().await.unwrap()));
        assert!(replayed && answers[0].0 == 201, "{answers:?}");
    }
    answers
}
