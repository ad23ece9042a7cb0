//! The demo without a screen: an officer signs in, edits with and without the server, and what came of it is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::people::{FIRST, HARBOR_CITY};
use crate::run;
use crate::server::LocalServer;
use crate::session::{Screen, Session};
use crate::webdriver::Browser;
use crate::workspace::Workspace;

/// What the officer does, in the order of its effects at the server.
const EFFECTS: [&str; 3] = ["case.edit", "case.edit", "note.add"];

/// The element with this test id.
fn id(test_id: &str) -> String {
    format!("[data-testid='{test_id}']")
}

/// Plays the story and checks it.
///
/// # Errors
/// Something did not appear in time, or the audit shows something else than one effect for each edit.
pub(crate) fn run(
    workspace: &Workspace,
    desktop: &Path,
    folder: &Path,
    server: &mut LocalServer,
    url: &str,
) -> Result<()> {
    let home = folder.join("headless");
    if home.exists() {
        fs::remove_dir_all(&home).context("throw away the profile of the last run")?;
    }
    let pictures = empty_folder(workspace.top.join("artifacts/demo"))?;
    let before = rows_by_id(server)?;
    let session = Session::start(&workspace.session_folder(), Screen::OneWindow)?;
    let environment = [("ONCEOVER_HOME", home.to_str().context("the demo's folder is not UTF-8")?)];
    let window = Browser::start(&session, desktop, &environment)?;
    let story = Story { window, session: &session, pictures };
    if let Err(error) = story.play(server, url) {
        if let Err(error) = story.picture("failed") {
            eprintln!("no picture of it: {error:#}");
        }
        return Err(error.context(format!(
            "logs are in {} and {}",
            folder.display(),
            workspace.session_folder().display()
        )));
    }
    check_effects(server, &before)?;
    println!("Each of the {} edits has one committed row in the audit.", EFFECTS.len());
    println!("Pictures: {}", story.pictures.display());
    Ok(())
}

/// An empty folder for the pictures of the steps.
fn empty_folder(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(&folder).context("throw away the pictures of the last run")?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    Ok(folder)
}

struct Story<'a> {
    window: Browser,
    session: &'a Session,
    pictures: PathBuf,
}

impl Story<'_> {
    fn play(&self, server: &mut LocalServer, url: &str) -> Result<()> {
        self.sign_in(url)?;
        let case = self.open_a_case()?;
        self.edit_online(&case)?;
        server.stop();
        self.edit_offline(&case)?;
        server.start()?;
        self.see_it_received(&case)
    }

    fn step(&self, name: &str, what: &str) -> Result<()> {
        println!("  {what}");
        self.picture(name)
    }

    fn picture(&self, name: &str) -> Result<()> {
        self.session.picture(&self.pictures.join(format!("{name}.png")))
    }

    fn sign_in(&self, url: &str) -> Result<()> {
        let window = &self.window;
        window.type_into(&id("signin-server"), url)?;
        window.type_into(&id("signin-tenant"), HARBOR_CITY.slug)?;
        window.type_into(&id("signin-username"), FIRST.username)?;
        self.step("01-sign-in", "the sign-in window is open")?;
        window.type_into(&id("signin-password"), &FIRST.password())?;
        window.press(&id("signin-submit"))?;
        window.find(&id("case-row"))?;
        self.step("02-cases", "signed in, the cases are listed")
    }

    /// Opens a case that is being worked on and returns its row's selector.
    fn open_a_case(&self) -> Result<String> {
        let row = self.window.find_with_text(&id("case-row"), "Under review")?;
        let case = self.window.attribute(&row, "data-id")?.context("the row does not say which case it is")?;
        let row = format!("{}[data-id='{case}']", id("case-row"));
        self.window.press(&row)?;
        self.window.find(&id("case-view"))?;
        self.step("03-case", "a case is open")?;
        Ok(row)
    }

    fn edit(&self, field: &str, text: &str) -> Result<()> {
        self.window.press(&id("case-edit"))?;
        self.window.type_into(&id(field), text)
    }

    fn edit_online(&self, row: &str) -> Result<()> {
        let shown = self.window.text(&self.window.find(row)?)?;
        // An earlier run may have left the first one.
        let titles = ["Handrail repaired, final inspection due", "Handrail loose again, second landing"];
        let title = if shown.contains(titles[0]) { titles[1] } else { titles[0] };
        self.edit("edit-title", title)?;
        self.step("04-editing", "typing a new title")?;
        self.window.press(&id("edit-save"))?;
        self.window.find_with_text(row, title)?;
        self.wait_until_received(row)?;
        self.step("05-received", "saved, sent and received: no mark is left")
    }

    fn edit_offline(&self, row: &str) -> Result<()> {
        self.window.find(&id("offline-banner"))?;
        // Another text than an earlier run left.
        let now = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).time();
        self.edit("edit-description", &format!("Written in the basement, where there is no network ({now:.0} UTC)."))?;
        self.window.press(&id("edit-save"))?;
        self.window.find_with_text(&id("case-mark"), "Waiting")?;
        self.window.find_with_text(&format!("{row} {}", id("row-mark")), "Waiting")?;
        self.step("06-saved-offline", "the server is down: saved here, marked, and the banner says offline")?;
        self.window.type_into(&id("note-text"), "No signal on site. Photos follow.")?;
        self.window.press(&id("note-save"))?;
        self.window.find(&id("offline-banner"))?;
        self.step("07-note-offline", "a note, also offline")
    }

    fn see_it_received(&self, row: &str) -> Result<()> {
        self.wait_until_received(row)?;
        self.window.wait_until_gone(&id("offline-banner"))?;
        self.step("08-received-after-all", "the server is back: everything is received")
    }

    fn wait_until_received(&self, row: &str) -> Result<()> {
        self.window.wait_until_gone(&format!("{row} {}", id("row-mark")))?;
        self.window.wait_until_gone(&id("case-mark"))
    }
}

fn rows_by_id(server: &LocalServer) -> Result<BTreeSet<String>> {
    Ok(server.audit(HARBOR_CITY.slug)?.iter().map(|row| row["audit_id"].to_string()).collect())
}

/// Waits until every edit is committed, then checks that each is committed once.
fn check_effects(server: &LocalServer, before: &BTreeSet<String>) -> Result<()> {
    run::wait_for("the edits in the audit", Duration::from_secs(30), || {
        let audit = server.audit(HARBOR_CITY.slug)?;
        let new: Vec<&Value> = audit.iter().filter(|row| !before.contains(&row["audit_id"].to_string())).collect();
        let committed = new.iter().filter(|row| row["result"] == "committed" && row["idempotency_key"] != "");
        let mut by_command: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in committed {
            let command = row["command_id"].as_str().context("an audit row without a command")?;
            by_command.entry(command).or_default().push(row["operation"].as_str().unwrap_or_default());
        }
        ensure!(by_command.values().all(|rows| rows.len() == 1), "a command has several effects: {by_command:?}");
        let mut operations: Vec<&str> = by_command.into_values().flatten().collect();
        operations.sort_unstable();
        ensure!(operations == EFFECTS, "the audit shows {operations:?}");
        Ok(())
    })
}
