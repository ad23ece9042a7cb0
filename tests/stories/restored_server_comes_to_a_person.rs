//! An administrator puts yesterday's backup back, and the officers' computers hold more than the server.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use onceover_tests::cli::Cli;
use onceover_tests::server::Server;
use serde_json::Value;

/// Saves a note with this text and returns its command's number.
fn note(cli: &Cli, case: &str, text: &str) -> String {
    let said = cli.run(&["note", "add", case, "--text", text]);
    assert_eq!(said.code, Some(0), "{}", said.errors);
    said.json["command_id"].as_str().unwrap().to_owned()
}

/// Every row of the outbox by its command's number: state, hold, key.
fn row(cli: &Cli, command: &str) -> Value {
    let rows = cli.run(&["outbox", "list", "--all"]).json;
    rows.as_array().unwrap().iter().find(|row| row["command_id"] == command).unwrap().clone()
}

/// CASES B4: the server is restored to before five acknowledgements, under a new epoch. The five are listed for a
/// person; nothing is sent again by itself, nothing is forgotten; what is sent again keeps its key and takes effect once.
#[test]
fn five_answers_that_a_restore_forgot_are_listed_for_a_person() {
    let mut server = Server::started(&[("mara", "officer")]);
    let folder = tempfile::tempdir().unwrap();
    let cli = Cli::in_home(&folder.path().join("home"));
    cli.sign_in(&server.url(), "mara");
    let created = cli.run(&["case", "create", "--title", "Leak on garage ceiling", "--kind", "complaint"]);
    let case = created.json["case_id"].as_str().unwrap().to_owned();
    let kept = note(&cli, &case, "before the backup");
    assert_eq!(cli.run(&["sync"]).code, Some(0));
    let backup = folder.path().join("backup.db");
    let backup = backup.to_str().unwrap();
    server.admin(&["backup", backup], "");

    let lost: Vec<String> = (1..=5).map(|number| note(&cli, &case, &format!("note {number}"))).collect();
    assert_eq!(cli.run(&["sync"]).code, Some(0));
    let before: Vec<Value> = lost.iter().map(|command| row(&cli, command)).collect();
    assert!(before.iter().all(|row| row["state"] == "acked"), "{before:?}");

    server.kill();
    server.admin(&["restore", backup, "--force"], "");
    server.start();
    cli.sign_in(&server.url(), "mara");
    for _ in 0..2 {
        let synced = cli.run(&["sync"]);
        assert_eq!(synced.code, Some(2), "something needs a person: {}", synced.errors);
    }
    assert_eq!(row(&cli, &kept)["state"], "acked");
    for (command, before) in lost.iter().zip(&before) {
        let row = row(&cli, command);
        assert_eq!((&row["state"], &row["hold"]), (&"retryable_failed".into(), &"person".into()), "{row}");
        assert_eq!(row["last_error"]["code"], "missing-again");
        assert_eq!(row["idempotency_key"], before["idempotency_key"]);
        assert_eq!(server.effects().get(command), None, "nothing was sent again");
    }
    let status = cli.run(&["status"]);
    assert_eq!((&status.json["open"], &status.json["needs_attention"]), (&5.into(), &5.into()));
    assert!(status.errors.contains("put back to an earlier time"), "{}", status.errors);

    for command in &lost[..4] {
        cli.run(&["outbox", "retry", command]);
    }
    assert_eq!(cli.run(&["outbox", "discard", &lost[4], "--yes"]).code, Some(0));
    assert_eq!(cli.run(&["sync"]).code, Some(0));
    for (command, before) in lost[..4].iter().zip(&before) {
        let row = row(&cli, command);
        assert_eq!((&row["state"], &row["idempotency_key"]), (&"acked".into(), &before["idempotency_key"]));
        assert_eq!(server.effects().get(command), Some(&1));
    }
    assert_eq!(server.effects().get(&lost[4]), None);
    let notes = cli.run(&["case", "show", &case]).json["notes"].as_array().unwrap().len();
    assert_eq!(notes, 5, "the one before the backup and the four that were sent again");
}
