//! Kill the real process at each named boundary and start it again: nothing lost, nothing doubled.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::collections::BTreeSet;

use onceover_tests::cli::Cli;
use onceover_tests::server::Server;
use onceover_tests::soak;
use serde_json::Value;

/// How often each boundary is hit; a soak multiplies it.
const RUNS: usize = 10;

/// One officer's profile against one server, with a case that is known on both sides.
struct Story {
    server: Server,
    home: tempfile::TempDir,
    case: String,
    /// Every command the officer was told is saved.
    saved: BTreeSet<String>,
}

impl Story {
    fn begins() -> Self {
        let server = Server::started(&[("mara", "officer")]);
        let home = tempfile::tempdir().unwrap();
        let cli = Cli::in_home(home.path());
        cli.sign_in(&server.url(), "mara");
        let created = cli.run(&[
            "case",
            "create",
            "--title",
            "Heaters do not work",
            "--kind",
            "complaint",
            "--set",
            "status=open",
        ]);
        assert_eq!(created.code, Some(0), "{}", created.errors);
        let case = text(&created.json["case_id"]);
        let saved = BTreeSet::from([text(&created.json["command_id"])]);
        assert_eq!(cli.run(&["sync"]).code, Some(0));
        Self { server, home, case, saved }
    }

    fn cli(&self, failpoint: Option<&str>) -> Cli {
        let mut cli = Cli::in_home(self.home.path());
        cli.fail_at(failpoint);
        cli
    }

    /// One intent, another kind each time. Returns whether the officer was told "saved".
    fn acts(&mut self, run: usize, failpoint: Option<&str>) -> bool {
        let text_of_run = format!("visit {run}");
        let case = self.case.clone();
        let transition = |to| vec!["case", "transition", case.as_str(), "--to", to, "--reason", "field_visit"];
        let title = format!("title=Heaters do not work, visit {run}");
        let args = match run % 4 {
            0 => vec!["note", "add", case.as_str(), "--text", text_of_run.as_str()],
            1 => vec!["case", "edit", case.as_str(), "--set", title.as_str()],
            2 => transition(if self.status() == "under_review" { "pending_info" } else { "under_review" }),
            _ => vec!["tag", "add", case.as_str(), text_of_run.as_str()],
        };
        let said = self.cli(failpoint).run(&args);
        if said.code == Some(0) {
            self.saved.insert(text(&said.json["command_id"]));
        } else {
            assert_eq!(said.code, None, "only the failpoint ends it: {}", said.errors);
        }
        said.code == Some(0)
    }

    fn status(&self) -> String {
        text(&self.cli(None).run(&["case", "show", &self.case]).json["case"]["status"])
    }

    fn open_rows(&self) -> Vec<Value> {
        self.cli(None).run(&["outbox", "list"]).json.as_array().cloned().unwrap_or_default()
    }

    /// Everything the officer was told is saved took effect once; nothing else did.
    fn ends(&self) {
        let cli = self.cli(None);
        let synced = cli.run(&["sync"]);
        assert_eq!(synced.code, Some(0), "{}", synced.errors);
        assert_eq!(self.open_rows(), Vec::<Value>::new());
        let effects = self.server.effects();
        assert!(effects.values().all(|count| *count == 1), "{effects:?}");
        let every_row = cli.run(&["outbox", "list", "--all"]).json;
        let rows: BTreeSet<String> = every_row.as_array().unwrap().iter().map(|row| text(&row["command_id"])).collect();
        let effects: BTreeSet<String> = effects.into_keys().collect();
        assert_eq!(rows, effects, "each effect has one row here, each row one effect");
        assert!(self.saved.is_subset(&effects), "what was called saved is there");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text instead of {value}")).to_owned()
}

/// CASES C1 (accepting): killed around the outbox write, the intent is either saved whole or was never called saved.
#[test]
fn killed_around_the_outbox_write() {
    let mut story = Story::begins();
    for run in 0..RUNS * soak() {
        let before = story.open_rows().len();
        assert!(!story.acts(run, Some("before-outbox-write")));
        assert_eq!(story.open_rows().len(), before, "nothing was written");
        assert!(!story.acts(run, Some("after-outbox-write")), "it dies before it can say saved");
        assert_eq!(story.open_rows().len(), before + 1, "what was written is there");
        story.ends();
    }
}

/// CASES C1 (sending), D4: killed at a boundary of the sender, the next start finds the row and finishes it.
fn killed_while_sending(boundary: &str, state_left: &str) {
    let mut story = Story::begins();
    for run in 0..RUNS * soak() {
        assert!(story.acts(run, None));
        let killed = story.cli(Some(boundary)).run(&["sync"]);
        assert_eq!(killed.code, None, "the failpoint {boundary} kills the sender: {}", killed.errors);
        let rows = story.open_rows();
        let states: Vec<&str> = rows.iter().filter_map(|row| row["state"].as_str()).collect();
        let expected: &[&str] = if state_left == "acked" { &[] } else { &[state_left] };
        assert_eq!(states, expected, "what {boundary} leaves");
        story.ends();
    }
}

#[test]
fn killed_after_the_claim() {
    killed_while_sending("after-claim", "claimed");
}

#[test]
fn killed_before_the_network_send() {
    killed_while_sending("before-network-send", "sending");
}

#[test]
fn killed_after_the_network_send_before_the_response() {
    killed_while_sending("after-network-send-before-response", "sending");
}

#[test]
fn killed_after_the_response_before_the_ack() {
    killed_while_sending("after-response-before-ack", "sending");
}

#[test]
fn killed_after_the_ack_before_the_projection() {
    killed_while_sending("after-ack-before-projection", "acked");
}

/// CASES S8 (one node): the server is killed at its own boundaries; the client's next attempt has one effect.
fn server_killed(boundary: &str) {
    let mut story = Story::begins();
    for run in 0..RUNS * soak() {
        assert!(story.acts(run, None));
        story.server.kill();
        story.server.fail_at(Some(boundary));
        story.server.start();
        let interrupted = story.cli(None).run(&["sync", "--timeout-s", "5"]);
        assert_ne!(interrupted.code, Some(0), "the server died in mid-request");
        assert!(!story.server.is_running(), "the failpoint {boundary} kills the server");
        assert_eq!(story.open_rows().len(), 1, "the officer still sees the change");
        story.server.fail_at(None);
        story.server.restart();
        story.ends();
    }
}

#[test]
fn the_server_is_killed_before_its_commit() {
    server_killed("before-commit");
}

#[test]
fn the_server_is_killed_after_its_commit_before_the_reply() {
    server_killed("after-commit-before-reply");
}
