//! An officer and a supervisor do everything that can be done to a case, without a network, through the command line;
//! their programs and the server are killed while it is sent. Each command takes effect once, and what was taken away
//! is gone everywhere.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::collections::{BTreeMap, BTreeSet};

use domain::Operation;
use onceover_tests::cli::Cli;
use onceover_tests::server::{Server, TENANT};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What nobody but the supervisor's own outbox may hold in the end.
const SECRET: &str = "Mrs Abernathy-Quill of flat 7 told us";

/// One person's profile.
struct Desk {
    home: TempDir,
    /// Every command that was called saved.
    saved: BTreeSet<String>,
}

impl Desk {
    fn of(server: &Server, user: &str) -> Self {
        let desk = Self { home: tempfile::tempdir().unwrap(), saved: BTreeSet::new() };
        desk.cli().sign_in(&server.url(), user);
        desk
    }

    fn cli(&self) -> Cli {
        Cli::in_home(self.home.path())
    }

    /// Does something that must be saved. Returns the case it is about.
    fn does(&mut self, args: &[&str]) -> String {
        let said = self.cli().run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.errors);
        assert_eq!(said.json["state"], "queued", "{args:?}");
        self.saved.insert(text(&said.json["command_id"]));
        text(&said.json["case_id"])
    }

    fn opens(&mut self, title: &str) -> String {
        self.does(&["case", "create", "--title", title, "--kind", "complaint", "--set", "status=open"])
    }

    fn syncs(&self) {
        let said = self.cli().run(&["sync"]);
        assert_eq!(said.code, Some(0), "{} {}", said.json, said.errors);
    }

    fn shows(&self, case: &str) -> Value {
        self.cli().run(&["case", "show", case]).json
    }

    /// The operation of each row of the outbox.
    fn rows(&self) -> BTreeMap<String, Operation> {
        let rows = self.cli().run(&["outbox", "list", "--all"]).json;
        let operation = |row: &Value| Operation::named(row["operation"].as_str().unwrap()).unwrap();
        rows.as_array().unwrap().iter().map(|row| (text(&row["command_id"]), operation(row))).collect()
    }

    /// Whether any file of the profile has these bytes.
    fn holds(&self, secret: &str) -> bool {
        files_below(self.home.path()).iter().any(|file| contains(&std::fs::read(file).unwrap_or_default(), secret))
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn contains(bytes: &[u8], secret: &str) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text instead of {value}")).to_owned()
}

/// CASES C1, A2: every operation of version 1, saved without a network; senders and server killed in between; the
/// server's audit has each committed once, and nothing else.
#[test]
fn every_operation_of_a_day_without_a_network_is_committed_once() {
    let mut server = Server::started(&[("mara", "officer"), ("sven", "supervisor")]);
    let (mut mara, mut sven) = (Desk::of(&server, "mara"), Desk::of(&server, "sven"));

    // A day with a network, so that there is something to work on.
    let (leak, heap) = (mara.opens("Leaking roof"), mara.opens("Rubbish heap"));
    mara.does(&["tag", "add", &leak, "roof"]);
    mara.syncs();
    sven.syncs();
    sven.does(&["case", "assign", &leak, "--to", "mara"]);
    sven.does(&["note", "add", &leak, "--text", SECRET]);
    sven.syncs();
    mara.syncs();
    let note = text(&sven.shows(&leak)["notes"][0]["id"]);
    let told = mara.cli().run(&["notification", "list"]).json;
    assert_eq!(told.as_array().unwrap().len(), 2, "that it was assigned, and that there is a note: {told}");
    assert_eq!(
        (&told[0]["operation"], &told[0]["case_title"], &told[0]["read_at"]),
        (&json!("note.add"), &json!("Leaking roof"), &Value::Null)
    );
    assert_eq!(sven.cli().run(&["notification", "list"]).json, json!([]), "what mara was told is hers alone");
    assert!(mara.holds(SECRET) && server.file_holds(SECRET));

    // The network goes. Everything is done, and shown as done.
    server.kill();
    let fire = mara.opens("Fire door blocked");
    mara.does(&["case", "edit", &leak, "--set", "address=3 Mill Lane"]);
    mara.does(&["case", "transition", &leak, "--to", "under_review", "--reason", "field_visit"]);
    mara.does(&["case", "assign", &leak, "--to", "sven"]);
    mara.does(&["tag", "add", &leak, "urgent"]);
    mara.does(&["tag", "remove", &leak, "roof"]);
    mara.does(&["note", "add", &fire, "--text", "Nobody at home"]);
    mara.does(&["task", "add", &fire, "--title", "Call the landlord", "--due", "2026-12-24"]);
    let task = text(&mara.shows(&fire)["tasks"][0]["id"]);
    mara.does(&["task", "done", &task]);
    mara.does(&["time", "log", &fire, "--minutes", "90", "--on", "2026-11-30"]);
    let findings = ["--finding", "Cracked pipe", "--finding", "No light", "--severity", "major"];
    let record = ["inspection", "record", &fire, "--kind", "routine", "--on", "2026-11-30", "--outcome", "fail"];
    mara.does(&[&record[..], &findings[..]].concat());
    mara.does(&["notification", "read", &text(&told[1]["id"])]);
    sven.does(&["note", "redact", &note, "--reason", "names a neighbour"]);
    let issue = ["notice", "issue", &heap, "--kind", "order", "--recipient", "The owner", "--body", "Clear it away"];
    sven.does(&issue);
    sven.does(&["case", "archive", &heap, "--reason", "settled"]);
    sven.does(&["case", "restore", &heap, "--reason", "not settled after all"]);
    let shown = mara.shows(&fire);
    assert_eq!((&shown["tasks"][0]["done"], &shown["time_entries"][0]["minutes"]), (&json!(true), &json!(90)));
    assert_eq!(shown["inspections"][0]["findings"][1], json!({"text": "No light", "severity": "major"}));
    assert_eq!(shown["pending"].as_array().unwrap().len(), 6);
    assert_eq!(mara.cli().run(&["notification", "list"]).json[1]["read_at"].as_str().map(str::len), Some(24));
    let shown = sven.shows(&leak);
    assert_eq!((&shown["notes"][0]["text"], &shown["notes"][0]["redacted"]), (&json!(""), &json!(true)));
    assert_eq!(sven.shows(&heap)["notices"][0]["body"], "Clear it away");

    // It is back, and everybody who sends or receives is killed at one boundary after the other.
    server.start();
    for desk in [&mara, &sven] {
        for boundary in ["after-claim", "after-network-send-before-response", "after-response-before-ack"] {
            let mut dying = desk.cli();
            dying.fail_at(Some(boundary));
            assert_eq!(dying.run(&["sync"]).code, None, "{boundary} kills the sender");
        }
    }
    for boundary in ["before-commit", "after-commit-before-reply"] {
        server.kill();
        server.fail_at(Some(boundary));
        server.start();
        assert_ne!(mara.cli().run(&["sync", "--timeout-s", "5"]).code, Some(0));
        assert!(!server.is_running(), "{boundary} kills the server");
    }
    server.fail_at(None);
    server.restart();
    mara.syncs();
    sven.syncs();
    mara.syncs();

    let effects = server.effects();
    assert!(effects.values().all(|count| *count == 1), "{effects:?}");
    let saved: BTreeSet<&String> = mara.saved.iter().chain(&sven.saved).collect();
    assert_eq!(effects.keys().collect::<BTreeSet<_>>(), saved);
    let done: BTreeSet<Operation> = mara.rows().into_values().chain(sven.rows().into_values()).collect();
    assert_eq!(done, BTreeSet::from(Operation::ALL), "everything that can be done was done");

    let shown = mara.shows(&leak);
    assert_eq!((&shown["case"]["status"], &shown["case"]["tags"]), (&json!("under_review"), &json!(["urgent"])));
    assert_eq!(
        (&shown["notes"][0]["text"], &shown["notes"][0]["redaction_reason"]),
        (&json!(""), &json!("names a neighbour"))
    );
    let shown = sven.shows(&fire);
    for (what, count) in [("notes", 1), ("tasks", 1), ("time_entries", 1), ("inspections", 1), ("pending", 0)] {
        assert_eq!(shown[what].as_array().unwrap().len(), count, "{what}");
    }
    assert_eq!(shown["tasks"][0]["done"], true);
    let shown = mara.shows(&heap);
    assert_eq!((&shown["notices"][0]["recipient"], &shown["case"]["archived"]), (&json!("The owner"), &json!(false)));

    // What was taken away is in no file but the outbox of who had written it.
    assert!(!mara.holds(SECRET), "the other profile forgot it with its pull");
    server.kill();
    assert!(!server.file_holds(SECRET), "and the server's database has no trace of it");
}

/// A notice that was decided in a session that was ended since is not sent before it is confirmed; then it goes under
/// its own number, and the audit says that it was confirmed.
#[test]
fn a_notice_of_an_ended_session_goes_after_its_confirmation() {
    let mut server = Server::started(&[("sven", "supervisor")]);
    let mut sven = Desk::of(&server, "sven");
    let case = sven.opens("Rubbish heap");
    sven.syncs();
    server.kill();
    let issue = ["notice", "issue", &case, "--kind", "order", "--recipient", "The owner", "--body", "Clear it away"];
    sven.does(&issue);
    let row = sven.cli().run(&["outbox", "list"]).json[0].clone();
    let command = text(&row["command_id"]);
    server.start();
    server.admin(&["user", "revoke", "--tenant", TENANT, "--username", "sven"], "");
    assert_eq!(sven.cli().run(&["sync"]).code, Some(77), "first he signs in again");
    sven.cli().sign_in(&server.url(), "sven");

    let held = sven.cli().run(&["sync"]);
    assert_eq!((held.code, &held.json["needs_attention"]), (Some(2), &json!(1)), "{}", held.errors);
    let held = sven.cli().run(&["outbox", "list"]).json[0].clone();
    assert_eq!((&held["hold"], &held["last_error"]["code"]), (&json!("confirmation"), &json!("confirmation-required")));
    assert_eq!(server.effects().get(&command), None);

    let confirmed = sven.cli().run(&["outbox", "confirm", &command]);
    assert_eq!((confirmed.code, &confirmed.json["state"]), (Some(0), &json!("acked")), "{}", confirmed.errors);
    let same = |member: &str| assert_eq!(confirmed.json[member], row[member], "{member}");
    same("idempotency_key");
    same("payload_hash");
    let events = sven.cli().run(&["outbox", "show", &command]).json["history"].clone();
    assert!(events.as_array().unwrap().iter().any(|entry| entry["event"] == "confirmed"), "{events}");
    let audit = server.audit();
    let of_command: Vec<_> = audit.iter().filter(|entry| entry["command_id"] == command.as_str()).collect();
    let said: Vec<_> = of_command.iter().map(|entry| (text(&entry["result"]), entry["authority"].clone())).collect();
    assert_eq!(said.last(), Some(&("committed".to_owned(), json!("confirmed"))), "{said:?}");
    assert_eq!(sven.cli().run(&["outbox", "confirm", &command]).code, Some(65), "there is nothing more to confirm");
}
