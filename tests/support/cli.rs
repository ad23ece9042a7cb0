//! The command line as a process of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::server::{PASSWORD, TENANT, binary};

/// One profile, used through `onceover`.
pub struct Cli {
    home: PathBuf,
    failpoint: Option<String>,
}

/// What one call gave.
pub struct Said {
    /// The exit code; `None` if the process was killed.
    pub code: Option<i32>,
    /// Standard output, as JSON if it is.
    pub json: Value,
    /// Standard error.
    pub errors: String,
}

impl Cli {
    /// The profile in this folder.
    pub fn in_home(home: &Path) -> Self {
        Self { home: home.to_owned(), failpoint: None }
    }

    /// The next calls die at this boundary.
    pub fn fail_at(&mut self, failpoint: Option<&str>) {
        self.failpoint = failpoint.map(str::to_owned);
    }

    /// Signs in with [`PASSWORD`].
    ///
    /// # Panics
    /// When that fails.
    pub fn sign_in(&self, server: &str, user: &str) {
        let args = ["sign-in", "--server", server, "--tenant", TENANT, "--username", user, "--password-stdin"];
        let said = self.run_with(&args, PASSWORD);
        assert_eq!(said.code, Some(0), "sign-in: {}", said.errors);
    }

    /// Runs `onceover --home … ARGS --json`.
    pub fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, "")
    }

    /// The same with standard input.
    pub fn run_with(&self, args: &[&str], stdin: &str) -> Said {
        let mut command = self.command(args);
        let mut child = command.spawn().expect("the command line runs");
        child.stdin.take().expect("piped").write_all(stdin.as_bytes()).ok();
        Said::of(child.wait_with_output().expect("it ends"))
    }

    /// The command, ready to be spawned.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary("onceover", "ONCEOVER_CLI_BIN"));
        command.arg("--home").arg(&self.home).args(args).arg("--json");
        command.env("ONCEOVER_VAULT", "file").env("ONCEOVER_VAULT_PASSPHRASE", "a passphrase for stories");
        command.env_remove("ONCEOVER_FAILPOINT");
        if let Some(failpoint) = &self.failpoint {
            command.env("ONCEOVER_FAILPOINT", failpoint);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Said {
    /// What a call printed and how it ended.
    pub fn of(Output { status, stdout, stderr }: Output) -> Self {
        Self {
            code: status.code(),
            json: serde_json::from_slice(&stdout).unwrap_or(Value::Null),
            errors: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }
}
