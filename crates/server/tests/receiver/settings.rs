//! The real process as an administrator sets it: by file, environment and command line; its log; and its end.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::support::http::send;
use crate::support::process::{Process, run, set_up};
use crate::support::server::PASSWORD;
use crate::support::{a_case, command, id};

const LATEST: Duration = Duration::from_secs(30);

#[tokio::test]
async fn the_environment_wins_over_the_file_and_the_command_line_over_both() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    // The database of the file is not used, since the environment names another.
    let file = "database = \"sqlite:other.db\"\nlisten = \"127.0.0.1:1\"\nbody_bytes = 70000\nbatch_bytes = 80000\n";
    fs::write(folder.join("server.toml"), file).unwrap();
    set_up(folder);
    let environment = [("ONCEOVER_CONFIG", "server.toml"), ("ONCEOVER_BATCH_BYTES", "90000")];
    let server = Process::try_start(folder, &environment).unwrap();
    let config = send(&server.address, "GET", "/v1/config", &[], b"").await.unwrap().json();
    assert_eq!(config["limits"]["body_bytes"], 70_000);
    assert_eq!(config["limits"]["batch_bytes"], 90_000);
    assert!(!folder.join("other.db").exists());
    let ana = server.sign_in().await;
    let large = command("note.add", &id(), json!({ "note_id": id(), "text": "x".repeat(70_000) }));
    ana.send(&large).await.assert_problem(413, "payload-too-large");
}

#[test]
fn what_cannot_be_used_is_said_before_anything_is_done() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("wrong.toml"), "# mine\nlisten = \"127.0.0.1:0\"\nlissten = 1\n").unwrap();
    for (arguments, code, words) in [
        (&["serve", "--config", "wrong.toml"][..], 65, "line 3"),
        (&["--config", "wrong.toml", "check"], 65, "line 3"),
        (&["serve", "--config", "nowhere.toml"], 65, "nowhere.toml"),
        (&["serve", "--listen", "nonsense"], 64, "--listen"),
        (&["serve", "--metrics-listen", "nonsense"], 64, "--metrics-listen"),
        (&["serve", "--log-format", "xml"], 64, "human or json"),
        (&["check", "--database", ""], 64, "--database"),
        (&["serve", "--smtp-url", "smtps://mail.example.org"], 65, "smtp_from"),
        (&["serve", "--smtp-url", "smtps://ana:secret@mail.example.org", "--smtp-from", "a@b.c"], 65, "smtp_password"),
    ] {
        let output = run(folder, arguments, "");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    assert!(!folder.join("server.db").exists());
}

/// Every line is one JSON object, a request's lines carry its id, and nothing that somebody wrote or keeps secret is
/// there, however much is logged.
#[cfg(unix)]
#[tokio::test]
async fn the_log_is_for_programs_and_tells_no_secrets() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let environment = [("ONCEOVER_LOG", "trace"), ("ONCEOVER_LOG_FORMAT", "json")];
    let server = Process::start_logged(folder, &environment, "log");
    let ana = server.sign_in().await;
    let create = a_case("a title that is private");
    ana.send(&create).await;
    let headers = [("idempotency-key", create.key.as_str()), ("x-request-id", "caller-7")];
    ana.request("POST", "/v1/commands", &headers, create.body.to_string().as_bytes()).await;
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let log = fs::read_to_string(folder.join("log")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_request = lines.iter().find(|line| line["span"]["request_id"] == "caller-7" && line["status"].is_number());
    let of_request = of_request.unwrap();
    assert_eq!((&of_request["status"], &of_request["path"]), (&json!(201), &json!("/v1/commands")));
    assert_eq!(of_request["client"], "127.0.0.1");
    for secret in [PASSWORD, &ana.token, &ana.refresh_token, "a title that is private"] {
        assert!(!log.contains(secret), "{secret}");
    }
}

/// A request whose head the server has read; its body is still to come.
#[cfg(unix)]
async fn begun(address: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/sessions HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[cfg(unix)]
#[tokio::test]
async fn told_to_stop_it_says_so_finishes_what_it_has_begun_and_ends() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::try_start(folder, &[("ONCEOVER_UNREADY_S", "2")]).unwrap();
    let body = json!({
        "tenant": "acme", "username": "ana", "password": PASSWORD, "device_id": "d1", "device_name": "Desk",
    });
    let body = body.to_string();
    let mut stream = begun(&server.address, &body).await;
    server.terminate();
    let deadline = Instant::now() + LATEST;
    // Not ready, but answering, until the listener closes.
    let mut is_unready = false;
    while let Some(reply) = send(&server.address, "GET", "/readyz", &[], b"").await {
        is_unready |= reply.status == 503;
        assert!(Instant::now() < deadline);
    }
    assert!(is_unready);
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(LATEST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert_eq!(server.wait().code(), Some(0));
}

#[cfg(unix)]
#[tokio::test]
async fn a_request_that_does_not_finish_holds_nothing_up_for_long() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::try_start(folder, &[("ONCEOVER_DRAIN_S", "1"), ("ONCEOVER_BODY_S", "600")]).unwrap();
    let _stream = begun(&server.address, "{}").await;
    let began = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    assert!(began.elapsed() < LATEST);
}
