//! A real `onceover-server` on SQLite in a folder of its own, that can be killed and started again on its port.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary `name`: where `variable` says, else beside the test's own.
///
/// # Panics
/// When it has not been built.
pub fn binary(name: &str, variable: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().expect("a test knows its own file");
    let folder = test.parent().and_then(Path::parent).expect("tests lie two folders below the target folder");
    let path = folder.join(name);
    assert!(path.exists(), "{name} is not built; `cargo xtask test` builds it");
    path
}

/// A server with one tenant.
pub struct Server {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
    failpoint: Option<String>,
}

/// The tenant every story works in.
pub const TENANT: &str = "harbor-city";
/// The password every story's user has.
pub const PASSWORD: &str = "correct horse battery";

impl Server {
    /// A server with the tenant and these users (name, role), not running yet.
    pub fn prepared(users: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("a bound port").port();
        let server = Self { folder, port, child: None, failpoint: None };
        server.admin(&["tenant", "add", TENANT, "--name", "Harbor City"], "");
        for (user, role) in users {
            server.add_user(TENANT, user, role);
        }
        server
    }

    /// The same, running.
    pub fn started(users: &[(&str, &str)]) -> Self {
        let mut server = Self::prepared(users);
        server.start();
        server
    }

    /// Adds a user with [`PASSWORD`].
    pub fn add_user(&self, tenant: &str, user: &str, role: &str) {
        let args = ["user", "add", "--tenant", tenant, "--username", user, "--display-name", user, "--role", role];
        self.admin(&[&args[..], &["--password-stdin"]].concat(), PASSWORD);
    }

    /// The next start dies (or stumbles) at this boundary.
    pub fn fail_at(&mut self, failpoint: Option<&str>) {
        self.failpoint = failpoint.map(str::to_owned);
    }

    /// Starts serving and waits until it says that it is ready.
    pub fn start(&mut self) {
        assert!(self.child.is_none(), "the server runs already");
        let mut command = self.command();
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", self.port)]);
        if let Some(failpoint) = &self.failpoint {
            command.env("ONCEOVER_FAILPOINT", failpoint);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("the server speaks");
        assert!(line.starts_with("ready "), "the server said {line:?}");
        self.child = Some(child);
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().ok();
            child.wait().ok();
        }
    }

    /// Whether the database's files have this text anywhere in their bytes.
    pub fn file_holds(&self, text: &str) -> bool {
        let files = std::fs::read_dir(self.folder.path()).expect("the server's folder");
        let contents = files.flatten().filter_map(|file| std::fs::read(file.path()).ok());
        contents.into_iter().any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Kills what may be left and starts again.
    pub fn restart(&mut self) {
        self.kill();
        self.start();
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs a subcommand beside it and returns what it printed.
    ///
    /// # Panics
    /// When the subcommand fails.
    pub fn admin(&self, args: &[&str], stdin: &str) -> String {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server's binary runs");
        child.stdin.take().expect("piped").write_all(stdin.as_bytes()).ok();
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {} {errors}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The audit rows of [`TENANT`], oldest first.
    pub fn audit(&self) -> Vec<Value> {
        let text = self.admin(&["audit", "--tenant", TENANT, "--json"], "");
        serde_json::from_str(&text).expect("the audit prints one JSON array")
    }

    /// How often each command took effect, by its id.
    pub fn effects(&self) -> std::collections::BTreeMap<String, usize> {
        let mut effects = std::collections::BTreeMap::new();
        // What an administrator did, or the server itself, came without a key.
        for row in self.audit().iter().filter(|row| row["result"] == "committed" && row["idempotency_key"] != "") {
            *effects.entry(row["command_id"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        effects
    }

    fn command(&self) -> Command {
        let mut command = Command::new(binary("onceover-server", "ONCEOVER_SERVER_BIN"));
        command.args(["--database", &format!("sqlite:{}", self.folder.path().join("server.db").display())]);
        command.env_remove("ONCEOVER_FAILPOINT").env("RUST_LOG", "warn");
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
