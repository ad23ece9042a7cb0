//! The real program in a folder of its own, and servers for it to meet.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code, unreachable_pub)]

pub mod server;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub const PASSPHRASE: &str = "a passphrase for tests";

/// What one call gave.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub text: String,
    pub json: Value,
    pub errors: String,
}

/// The program on one profile.
pub struct Program {
    pub home: PathBuf,
    variables: Vec<(&'static str, Option<String>)>,
}

impl Program {
    pub fn in_home(home: &Path) -> Self {
        let variables = vec![
            ("ONCEOVER_VAULT", Some("file".to_owned())),
            ("ONCEOVER_VAULT_PASSPHRASE", Some(PASSPHRASE.to_owned())),
            ("ONCEOVER_HOME", None),
            ("RUST_LOG", None),
        ];
        Self { home: home.to_owned(), variables }
    }

    /// The same with another environment.
    pub fn with(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.variables.push((name, value.map(str::to_owned)));
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceover"));
        command.arg("--home").arg(&self.home).args(args);
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, "")
    }

    pub fn run_with(&self, args: &[&str], stdin: &str) -> Said {
        let mut child = self.command(args).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        Said {
            code: status.code().unwrap_or(-1),
            json: serde_json::from_slice(&stdout).unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&stdout).into_owned(),
            errors: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Runs and checks the exit code.
    pub fn expect(&self, code: i32, args: &[&str]) -> Said {
        let said = self.run(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        said
    }

    pub fn sign_in(&self, server: &str, tenant: &str, user: &str, password: &str) -> Said {
        let args =
            ["sign-in", "--server", server, "--tenant", tenant, "--username", user, "--password-stdin", "--json"];
        self.run_with(&args, &format!("{password}\n"))
    }
}

/// The text behind a JSON value.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text instead of {value}"))
}

/// An address where nobody listens.
pub fn nobody() -> String {
    format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
}

/// A hotel's page: answers everything with HTML and 200.
pub fn hotel() -> String {
    answering("200 OK", "text/html", "<html>Welcome to the hotel</html>")
}

/// Answers everything like this. Returns its address; it ends with the test's process.
pub fn answering(status: &'static str, kind: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let Ok(mut socket) = socket else { return };
            let mut request = [0; 4096];
            let _ = socket.read(&mut request);
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length:");
            let _ = socket.write_all(format!("{head} {}\r\n\r\n{body}", body.len()).as_bytes());
        }
    });
    url
}
