//! The real program in a process of its own, in a folder of its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};

use super::database::Site;
use super::http::{Reply, send};
use super::server::{PASSWORD, Person};

/// A `serve` that ends with this value.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: String,
    pub(crate) metrics_url: Option<String>,
}

/// `onceover-server` on the database of `site`.
pub(crate) fn program<S: Site + ?Sized>(site: &S) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceover-server"));
    command.env("ONCEOVER_DATABASE", site.url());
    command.env_remove("ONCEOVER_FAILPOINT").current_dir(site.folder());
    command
}

/// Runs a subcommand with this standard input.
pub(crate) fn run<S: Site + ?Sized>(site: &S, arguments: &[&str], input: &str) -> Output {
    let mut command = program(site);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that needs no input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Adds a tenant and an officer.
pub(crate) fn set_up<S: Site + ?Sized>(site: &S) {
    assert!(run(site, &["tenant", "add", "acme", "--name", "Acme"], "").status.success());
    let user =
        ["user", "add", "--tenant", "acme", "--username", "ana", "--display-name", "Ana", "--role", "supervisor"];
    let arguments: Vec<&str> = user.into_iter().chain(["--password-stdin"]).collect();
    assert!(run(site, &arguments, PASSWORD).status.success());
}

impl Process {
    /// Starts `serve` on a free port and waits until it is ready; `None` if it ends before.
    pub(crate) fn try_start<S: Site + ?Sized>(site: &S, environment: &[(&str, &str)]) -> Option<Self> {
        let mut command = program(site);
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(environment.iter().copied());
        command.stderr(Stdio::null());
        Self::try_spawn(command)
    }

    /// The same, with what it logs in a file.
    pub(crate) fn start_logged<S: Site + ?Sized>(site: &S, environment: &[(&str, &str)], log: &str) -> Self {
        let mut command = program(site);
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(environment.iter().copied());
        command.stderr(File::create(site.folder().join(log)).unwrap());
        Self::try_spawn(command).unwrap()
    }

    fn try_spawn(mut command: Command) -> Option<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(json) = line.strip_prefix("ready ") else {
            child.wait().unwrap();
            return None;
        };
        let ready: serde_json::Value = serde_json::from_str(json).unwrap();
        let address = ready["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        let metrics_url = ready["metrics_url"].as_str().map(str::to_owned);
        Some(Self { child, address, metrics_url })
    }

    /// Starts `serve` where no file may grow beyond a few hundred bytes.
    #[cfg(unix)]
    pub(crate) fn start_on_full_disk<S: Site + ?Sized>(site: &S) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" serve --listen 127.0.0.1:0"]);
        command.arg(env!("CARGO_BIN_EXE_onceover-server")).current_dir(site.folder());
        command.env("ONCEOVER_DATABASE", site.url());
        command.stderr(Stdio::null());
        Self::try_spawn(command).unwrap()
    }

    pub(crate) fn start<S: Site + ?Sized>(site: &S) -> Self {
        Self::try_start(site, &[]).unwrap()
    }

    /// Signs in the officer of [`set_up`].
    pub(crate) async fn sign_in(&self) -> Person {
        let reply = self.try_sign_in(PASSWORD).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        Person::of(&self.address, &reply)
    }

    pub(crate) async fn try_sign_in(&self, password: &str) -> Reply {
        let body = serde_json::json!({
            "tenant": "acme", "username": "ana", "password": password, "device_id": "d1", "device_name": "Desk",
        });
        send(&self.address, "POST", "/v1/sessions", &[], body.to_string().as_bytes()).await.unwrap()
    }

    /// `kill -TERM`
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// `kill -9`
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its own end.
    pub(crate) fn wait(mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
