//! Our server on a database of its own, with the people who will work on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use domain::CaseId;

use crate::load::request::get;
use crate::process::Process;
use crate::session::{self, PASSWORD, Session};

/// People of each tenant; what is sent is theirs in turn.
const PEOPLE: usize = 16;

/// The program and a database it works on.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    program: PathBuf,
    /// `sqlite:…` or `postgres://…`
    database: String,
    log: PathBuf,
}

impl Server {
    /// `program` on the SQLite file of `folder`.
    pub(crate) fn on_sqlite(program: &Path, folder: &Path) -> Self {
        let database = format!("sqlite:{}", folder.join("server.db").display());
        Self { program: program.to_owned(), database, log: folder.join("server.log") }
    }

    /// Serves on a free port.
    ///
    /// # Errors
    /// It does not become ready.
    pub(crate) fn start(&self) -> Result<Process> {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        // A session here stands for as many people as it is fast.
        command.env("RUST_LOG", "warn").env("ONCEOVER_REQUESTS_PER_S", "0").env("ONCEOVER_SIGN_INS_PER_S", "0");
        Process::start(&mut command, &self.log)
    }

    /// Adds a tenant and its people.
    ///
    /// # Errors
    /// The program refuses.
    pub(crate) fn add_tenant(&self, slug: &str) -> Result<()> {
        self.administer(&["tenant", "add", slug, "--name", slug])?;
        for person in people() {
            let user = ["user", "add", "--tenant", slug, "--username", &person, "--display-name", &person];
            let arguments: Vec<&str> = user.into_iter().chain(["--role", "supervisor", "--password-stdin"]).collect();
            self.administer(&arguments)?;
        }
        Ok(())
    }

    /// Imports `cases`.
    ///
    /// # Errors
    /// The program refuses one.
    pub(crate) fn import(&self, slug: &str, map: &Path, cases: &Path) -> Result<()> {
        let (map, cases) = (map.display().to_string(), cases.display().to_string());
        self.administer(&["import", "--tenant", slug, "--map", &map, &cases])
    }

    fn administer(&self, arguments: &[&str]) -> Result<()> {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            use std::io::Write as _;
            // A program that needs no input may be gone before it is written.
            let _ = stdin.write_all(PASSWORD.as_bytes());
        }
        let output = child.wait_with_output().context("wait for the program")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "onceover-server {} failed: {said}", arguments.join(" "));
        Ok(())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("ONCEOVER_DATABASE", &self.database);
        command
    }
}

fn people() -> impl Iterator<Item = String> {
    (1..=PEOPLE).map(|number| format!("officer{number:02}"))
}

/// Signs everybody of `slug` in.
///
/// # Errors
/// The server refuses one.
pub(crate) fn sign_everybody_in(address: &str, slug: &str) -> Result<Vec<Session>> {
    people().map(|person| session::sign_in(address, slug, &person)).collect()
}

/// The first cases of the feed of `session`.
///
/// # Errors
/// The server does not give them.
pub(crate) fn cases_of(address: &str, session: &Session) -> Result<Vec<CaseId>> {
    let (status, page) = session::exchange(address, &get("/v1/changes?limit=1000", &session.token))?;
    ensure!(status == 200, "the feed answered {status}");
    let items = page["items"].as_array().context("a page without items")?;
    let cases = items.iter().filter(|item| item["type"] == "case");
    cases.map(|case| case["id"].as_str().and_then(|id| id.parse().ok()).context("a case without an id")).collect()
}
