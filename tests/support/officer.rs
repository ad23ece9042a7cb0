//! An officer whose computer reaches the server through a proxy that a story breaks and mends: the command line as a
//! process, SQLite and the server are the real ones.

use std::collections::BTreeSet;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{Cli, Said};
use crate::proxy::{Fault, Proxy};
use crate::server::Server;
use crate::wait::until;

/// Which requests a fault meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meets {
    /// Commands only.
    Commands,
    /// Commands, and whatever else could tell what became of them: the feed and look-ups.
    Outcomes,
    /// Every request.
    Everything,
}

impl Meets {
    fn meets(self, line: &str) -> bool {
        let is_command = line.starts_with("POST /v1/commands");
        match self {
            Self::Commands => is_command,
            Self::Outcomes => is_command || line.contains("/v1/changes") || line.contains("/v1/operations/"),
            Self::Everything => true,
        }
    }
}

/// What a row shows while something is wrong: state, hold, and the failure's code.
pub type Shown<'a> = (&'a str, Option<&'a str>, &'a str);

/// The officer's profile, with a case that is known on both sides.
pub struct Officer {
    /// Where the commands go.
    pub server: Server,
    /// On the way there.
    pub proxy: Proxy,
    /// The case's number.
    pub case: String,
    home: TempDir,
    broken: Arc<Mutex<Vec<(Meets, Fault)>>>,
    saved: BTreeSet<String>,
}

impl Officer {
    /// Signed in and at work; everything passes.
    pub async fn at_work() -> Self {
        let server = Server::started(&[("mara", "officer")]);
        let broken: Arc<Mutex<Vec<(Meets, Fault)>>> = Arc::default();
        let script = Arc::clone(&broken);
        let proxy = Proxy::before(server.port(), move |_, line| {
            let broken = script.lock().unwrap_or_else(PoisonError::into_inner);
            let found = broken.iter().find(|(meets, _)| meets.meets(line));
            found.map_or(Fault::None, |(_, fault)| fault.clone())
        })
        .await;
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut officer = Self { server, proxy, case: String::new(), home, broken, saved: BTreeSet::new() };
        officer.cli().sign_in(&officer.proxy.url(), "mara");
        officer.case = officer.opens("Leak on garage ceiling").0;
        assert_eq!(officer.syncs().code, Some(0));
        officer
    }

    /// The command line of this profile.
    pub fn cli(&self) -> Cli {
        Cli::in_home(self.home.path())
    }

    /// From now on this becomes of the requests it meets.
    pub fn breaks(&self, meets: Meets, fault: Fault) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = vec![(meets, fault)];
    }

    /// And this of those that nothing else meets.
    pub fn also_breaks(&self, meets: Meets, fault: Fault) {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).push((meets, fault));
    }

    /// Everything passes again; what was held up is cut.
    pub fn mends(&self) {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.proxy.lets_go();
    }

    /// Does something that must be saved, without the network. Returns what was said.
    ///
    /// # Panics
    /// When it is not saved.
    pub fn does(&mut self, args: &[&str]) -> Value {
        let said = self.cli().run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.errors);
        self.saved.insert(text(&said.json["command_id"]));
        said.json
    }

    /// Opens a case and returns its number and its command's.
    pub fn opens(&mut self, title: &str) -> (String, String) {
        let said = self.does(&["case", "create", "--title", title, "--kind", "complaint", "--set", "status=open"]);
        (text(&said["case_id"]), text(&said["command_id"]))
    }

    /// Puts the case under review, which is never sent again while in doubt, and returns the command's number.
    pub fn reviews(&mut self) -> String {
        let case = self.case.clone();
        let transition = ["case", "transition", &case, "--to", "under_review", "--reason", "field_visit"];
        text(&self.does(&transition)["command_id"])
    }

    /// Gives a case another title and returns the command's number.
    pub fn retitles(&mut self, case: &str, title: &str) -> String {
        text(&self.does(&["case", "edit", case, "--set", &format!("title={title}")])["command_id"])
    }

    /// Adds a note to the case and returns its command's number.
    pub fn notes(&mut self, text_of_note: &str) -> String {
        let case = self.case.clone();
        text(&self.does(&["note", "add", &case, "--text", text_of_note])["command_id"])
    }

    /// One `sync` to its end.
    pub fn syncs(&self) -> Said {
        self.cli().run(&["sync"])
    }

    /// A `sync` that goes on while the story does.
    pub fn syncing(&self) -> Syncing {
        Syncing(Some(self.cli().command(&["sync"]).spawn().expect("the command line runs")))
    }

    /// The open row of this command, as `outbox list` shows it.
    pub fn row(&self, command: &str) -> Option<Value> {
        let rows = self.cli().run(&["outbox", "list"]).json;
        rows.as_array()?.iter().find(|row| row["command_id"] == command).cloned()
    }

    /// Waits until the open row of this command shows this, with words for the officer.
    pub async fn until_shown(&self, command: &str, (state, hold, code): Shown<'_>) -> Value {
        let what = format!("{command} to be {state} ({hold:?}, {code})");
        let row = until(&what, || async {
            let row = self.row(command)?;
            let is_it = row["state"] == state && row["hold"].as_str() == hold && row["last_error"]["code"] == code;
            is_it.then_some(row)
        })
        .await;
        assert!(row["last_error"]["message"].as_str().is_some_and(|words| !words.is_empty()), "{row}");
        row
    }

    /// The command's row with its past.
    pub fn shows(&self, command: &str) -> Value {
        self.cli().run(&["outbox", "show", command]).json
    }

    /// How often a command was seen on the way.
    pub fn sent(&self, command: &str) -> usize {
        let seen = self.proxy.seen();
        let of_command = |key: Option<&str>| key.is_some_and(|key| key.ends_with(command));
        seen.iter().filter(|request| of_command(request.header("idempotency-key"))).count()
    }

    /// Whether the server has everything that was saved, each once, and nothing else; and whether every attempt was
    /// one request.
    ///
    /// # Panics
    /// When it has not.
    pub fn assert_each_took_effect_once(&self) {
        let effects = self.server.effects();
        assert!(effects.values().all(|count| *count == 1), "{effects:?}");
        assert_eq!(effects.keys().cloned().collect::<BTreeSet<_>>(), self.saved);
        for command in &self.saved {
            let row = self.shows(command);
            assert_eq!(row["state"], "acked", "{row}");
            assert_eq!(self.sent(command), requests_of(&row), "one request an attempt: {row}");
        }
        assert_eq!(self.cli().run(&["outbox", "list"]).json, Value::Array(Vec::new()));
        assert_eq!(self.cli().run(&["case", "show", &self.case]).json["pending"], Value::Array(Vec::new()));
    }
}

/// How many requests the row's past stands for: one for each mark, but for those that found no connection.
fn requests_of(row: &Value) -> usize {
    let history = row["history"].as_array().expect("a row has a past");
    let marks = history.iter().filter(|entry| entry["event"] == "send_marked").count();
    let unsent = history.iter().filter(|entry| entry["from"] == "sending" && entry["code"] == "unreachable").count();
    marks - unsent
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text instead of {value}")).to_owned()
}

/// A `sync` under way; killed with its last handle.
pub struct Syncing(Option<Child>);

impl Syncing {
    /// Waits for its end.
    ///
    /// # Panics
    /// When that cannot be waited for.
    pub fn ends(mut self) -> Said {
        Said::of(self.0.take().expect("it was not ended yet").wait_with_output().expect("it ends"))
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}
