//! Our server on a database of its own, with the people who will work on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use domain::CaseId;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::bench::Bench;
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
    key: Option<PathBuf>,
}

impl Server {
    /// `program` on the SQLite file of `folder`.
    pub(crate) fn on_sqlite(program: &Path, folder: &Path) -> Self {
        let database = format!("sqlite:{}", folder.join("server.db").display());
        Self { program: program.to_owned(), database, log: folder.join("server.log"), key: None }
    }

    /// `program` on a PostgreSQL database; several may serve it.
    pub(crate) fn on_postgres(program: &Path, url: &str, folder: &Path) -> Self {
        let key = Some(folder.join("onceover.key"));
        Self { program: program.to_owned(), database: url.to_owned(), log: folder.join("server.log"), key }
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
        people().try_for_each(|person| self.add_person(slug, &person))
    }

    /// Adds a tenant with one person.
    ///
    /// # Errors
    /// The program refuses.
    pub(crate) fn add_small_tenant(&self, slug: &str, person: &str) -> Result<()> {
        self.administer(&["tenant", "add", slug, "--name", slug])?;
        self.add_person(slug, person)
    }

    fn add_person(&self, slug: &str, person: &str) -> Result<()> {
        let user = ["user", "add", "--tenant", slug, "--username", person, "--display-name", person];
        let arguments: Vec<&str> = user.into_iter().chain(["--role", "supervisor", "--password-stdin"]).collect();
        self.administer(&arguments)
    }

    /// How large the database is. What is not yet in its place is put there first.
    ///
    /// # Errors
    /// It cannot be asked.
    pub(crate) fn bytes(&self, bench: &Bench) -> Result<u64> {
        if let Some(path) = self.database.strip_prefix("sqlite:") {
            return sqlite_bytes(path);
        }
        let name = self.database.split(['/', '?']).nth(3).context("a URL without a database")?;
        let size = bench.postgres()?.sql("postgres", &format!("select pg_database_size('{name}')"))?;
        size.parse().context("the size of the database")
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
        if let Some(key) = &self.key {
            command.env("ONCEOVER_KEY_FILE", key);
        }
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

/// The file, with what is beside it written into it.
fn sqlite_bytes(path: &str) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(path);
        let mut connection = options.connect().await.context("open the database")?;
        sqlx::raw_sql("pragma wal_checkpoint(truncate)")
            .execute(&mut connection)
            .await
            .context("put it in its place")?;
        connection.close().await.context("close the database")
    })?;
    Ok(std::fs::metadata(path).context("look at the database")?.len())
}
