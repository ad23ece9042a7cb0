//! A real `onceover-server` on SQLite, that can be stopped and started again on its port.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

pub const TENANT: &str = "harbor-city";
pub const PASSWORD: &str = "correct horse battery";

/// Where `ONCEOVER_SERVER_BIN` says; else built once by the first test that needs it, into the same target folder as the
/// program under test.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(built) = std::env::var_os("ONCEOVER_SERVER_BIN") {
        return PathBuf::from(built);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_onceover"));
    let binary = program.with_file_name(format!("onceover-server{}", std::env::consts::EXE_SUFFIX));
    let target = program.parent().and_then(Path::parent).unwrap();
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "onceover-server", "--target-dir"])
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status()
        .unwrap();
    assert!(status.success() && binary.exists(), "the server is built");
    binary
});

pub struct Server {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// A server with one tenant and these users (name, role), not running yet.
    pub fn prepared(users: &[(&str, &str)]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { folder: tempfile::tempdir().unwrap(), port, child: None };
        server.admin(&["tenant", "add", TENANT, "--name", "Harbor City"], "");
        for (user, role) in users {
            let args = ["user", "add", "--tenant", TENANT, "--username", user, "--display-name", user, "--role", role];
            server.admin(&[&args[..], &["--password-stdin"]].concat(), PASSWORD);
        }
        server
    }

    pub fn started(users: &[(&str, &str)]) -> Self {
        let mut server = Self::prepared(users);
        server.start();
        server
    }

    pub fn start(&mut self) {
        let listen = format!("127.0.0.1:{}", self.port);
        let mut command = self.command();
        command.args(["serve", "--listen", &listen]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("ready "), "the server said {line:?}");
        self.child = Some(child);
    }

    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn admin(&self, args: &[&str], stdin: &str) -> String {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(BINARY.as_path());
        command.args(["--database", &format!("sqlite:{}", self.folder.path().join("server.db").display())]);
        command.env_remove("ONCEOVER_FAILPOINT").env("RUST_LOG", "warn");
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
