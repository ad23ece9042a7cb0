//! An `onceover-server` of this task's own: on SQLite, on this computer alone, ended when dropped.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::run::{self, Background};

/// The line it prints when it answers.
#[derive(Deserialize)]
struct Ready {
    url: String,
}

/// Its program and its database; running or not.
pub(crate) struct LocalServer {
    program: PathBuf,
    database: String,
    log: PathBuf,
    /// The port of the first start is kept, so that a client finds it again.
    url: Option<String>,
    running: Option<Background>,
    settings: Vec<(&'static str, &'static str)>,
}

impl LocalServer {
    /// `program` on the database in `folder`, not running yet.
    pub(crate) fn new(program: PathBuf, folder: &Path) -> Self {
        let database = format!("sqlite:{}", folder.join("server.db").display());
        Self { program, database, log: folder.join("server.log"), url: None, running: None, settings: Vec::new() }
    }

    /// With a variable that sets something.
    pub(crate) fn set(mut self, name: &'static str, value: &'static str) -> Self {
        self.settings.push((name, value));
        self
    }

    /// Serves on a free port, from the second start on the same one. Returns where.
    ///
    /// # Errors
    /// It does not become ready.
    pub(crate) fn start(&mut self) -> Result<String> {
        let listen =
            self.url.as_deref().and_then(|url| url.strip_prefix("http://")).unwrap_or("127.0.0.1:0").to_owned();
        let mut command = self.command(&["serve", "--listen", &listen]);
        let mut server = Background::start(command.stdin(Stdio::null()).stdout(Stdio::piped()), &self.log)?;
        let ready = server
            .first_line(Duration::from_mins(1), |line| serde_json::from_str::<Ready>(line.strip_prefix("ready ")?).ok())
            .with_context(|| format!("start the server (its log: {})", self.log.display()))?;
        let address = ready.url.strip_prefix("http://").and_then(|address| address.parse::<SocketAddr>().ok());
        address.with_context(|| format!("the server said it listens at {:?}", ready.url))?;
        self.running = Some(server);
        self.url = Some(ready.url.clone());
        Ok(ready.url)
    }

    /// Asks it to finish what it has, and waits until it is gone.
    pub(crate) fn stop(&mut self) {
        self.running = None;
    }

    /// Runs a subcommand beside it.
    ///
    /// # Errors
    /// The subcommand fails.
    pub(crate) fn administer(&self, arguments: &[&str], input: &str) -> Result<String> {
        run::output_given(&mut self.command(arguments), input)
    }

    /// The audit rows of a tenant.
    ///
    /// # Errors
    /// The subcommand fails.
    pub(crate) fn audit(&self, tenant: &str) -> Result<Vec<Value>> {
        let text = self.administer(&["audit", "--tenant", tenant, "--json"], "")?;
        serde_json::from_str(&text).context("read the audit")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).args(["--database", &self.database]).envs(self.settings.iter().copied());
        command
    }
}
