//! The real process: killed, drained, started twice, on ports and files that are not its own.

use std::fs;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::support::http::send;
use crate::support::process::{Process, program, run, set_up};
use crate::support::{command, id};

/// CASES S3: the fingerprint does not depend on the machine's language.
#[tokio::test]
async fn the_hash_is_the_same_under_every_language() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let payload = json!({ "title": "ISTANBUL ı İ ß", "kind": "inspection", "priority": "low", "latitude": 1234.5e-2 });
    let create = command("case.create", &id(), payload);
    let mut bodies = Vec::new();
    for language in ["tr_TR.UTF-8", "de_DE.UTF-8", "C"] {
        let environment = [("LANG", language), ("LC_ALL", language)];
        let server = Process::try_start(folder, &environment).unwrap();
        let reply = server.sign_in().await.send(&create).await;
        assert_eq!((reply.status, reply.is_replayed()), (201, !bodies.is_empty()), "{}", reply.body);
        bodies.push(reply.body);
        server.kill();
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_serve_is_refused_and_sigterm_drains() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::start(folder);
    let second = run(folder, &["serve", "--listen", "127.0.0.1:0"], "");
    assert_eq!(second.status.code(), Some(75));
    assert!(String::from_utf8(second.stderr).unwrap().contains("already serves"));
    // Other subcommands work beside it, and it sees what they do.
    let ana = server.sign_in().await;
    assert!(
        run(folder, &["user", "set-role", "--tenant", "acme", "--username", "ana", "--role", "viewer"], "")
            .status
            .success()
    );
    assert_eq!(ana.get("/v1/session").await.json()["actor"]["role"], "viewer");
    assert!(run(folder, &["backup", "copy.db"], "").status.success());
    let copy = ["--database", "sqlite:copy.db", "check"];
    assert!(run(folder, &copy, "").status.success());
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    assert!(Process::try_start(folder, &[]).is_some(), "the lock went with the process");
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(folder.path(), &["serve", "--listen", &address], "");
    assert_eq!(output.status.code(), Some(69));
    let port = address.split(':').next_back().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains(&format!("port {port}")));
    assert_eq!(run(folder.path(), &["serve", "--listen", "nonsense"], "").status.code(), Some(64));
}

#[test]
fn files_that_are_not_ours_or_newer_are_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let path = folder.join("server.db");
    let picture = [b"\xff\xd8\xff\xe0\x00\x10JFIF".as_slice(), &[7; 9000]].concat();
    fs::write(&path, &picture).unwrap();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["check"], &["tenant", "add", "acme", "--name", "A"]]
    {
        let output = run(folder, arguments, "");
        assert_eq!(output.status.code(), Some(73), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("not an Onceover database"));
    }
    assert_eq!(fs::read(&path).unwrap(), picture);
    let nowhere = ["--database", "sqlite:no/such/folder/x.db", "tenant", "add", "acme", "--name", "A"];
    let output = run(folder, &nowhere, "");
    assert_eq!(output.status.code(), Some(73));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no/such/folder/x.db"));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let url = format!("sqlite:{}", folder.join("server.db").display());
    let mut connection = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.unwrap();
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'later', 1, x'00', 0)";
    sqlx::query(newer).execute(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    let output = run(folder, &["check"], "");
    assert_eq!(output.status.code(), Some(73));
    assert!(String::from_utf8(output.stderr).unwrap().contains("has schema 9999"));
}

#[test]
fn administrators_mistakes_have_clear_answers() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let user = |tenant: &str, name: &str| {
        [
            "user",
            "add",
            "--tenant",
            tenant,
            "--username",
            name,
            "--display-name",
            "X",
            "--role",
            "officer",
            "--password-stdin",
        ]
        .map(str::to_owned)
    };
    let cases: [(Vec<String>, &str, i32, &str); 8] = [
        (["tenant", "add", "acme", "--name", "A"].map(str::to_owned).to_vec(), "", 65, "exists already"),
        (["tenant", "add", "No Slug", "--name", "A"].map(str::to_owned).to_vec(), "", 65, "slug"),
        (user("acme", "ana").to_vec(), "pw", 65, "exists already"),
        (user("nowhere", "bob").to_vec(), "pw", 65, "no tenant"),
        (user("acme", "bob").to_vec(), "", 65, "empty"),
        (["user", "revoke", "--tenant", "acme", "--username", "nobody"].map(str::to_owned).to_vec(), "", 65, "no user"),
        (["user", "explode"].map(str::to_owned).to_vec(), "", 64, "unrecognized"),
        (["audit", "--tenant", "nowhere"].map(str::to_owned).to_vec(), "", 65, "no tenant"),
    ];
    for (arguments, input, code, words) in cases {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(folder, &arguments, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    let help = program(folder).arg("--help").output().unwrap();
    assert!(help.status.success() && !String::from_utf8(help.stdout).unwrap().contains("access-ttl"));
}

/// A client that begins a request and never ends its head is let go, and others are answered meanwhile.
#[tokio::test]
async fn a_head_that_does_not_end_is_cut_off() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let server = crate::support::Server::start().await;
    let mut slow = tokio::net::TcpStream::connect(&server.address).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ").await.unwrap();
    let reply = crate::support::http::send(&server.address, "GET", "/healthz", &[], b"").await.unwrap();
    assert_eq!(reply.status, 200);
    let mut rest = Vec::new();
    let deadline = std::time::Duration::from_secs(30);
    let ended = tokio::time::timeout(deadline, slow.read_to_end(&mut rest)).await;
    // However it is ended, it is ended.
    assert!(ended.is_ok());
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
}

/// What is stored is for the account that runs the server, whatever the umask says.
#[cfg(unix)]
#[test]
fn the_database_its_journal_and_its_copy_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    set_up(folder);
    let server = Process::start(folder);
    let added = ["user", "add", "--tenant", "acme", "--username", "bob", "--display-name", "Bob", "--role", "viewer"];
    let arguments: Vec<&str> = added.into_iter().chain(["--password-stdin"]).collect();
    assert!(run(folder, &arguments, "secret").status.success());
    assert!(run(folder, &["backup", "copy.db"], "").status.success());
    let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
    for name in ["server.db", "server.db-wal", "server.db-shm", "server.db.key", "copy.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    drop(server);
}

/// A disk that takes nothing more, as a limit on the size of files: reading goes on, being ready does not.
#[cfg(unix)]
#[tokio::test]
async fn a_server_that_cannot_write_is_not_ready() {
    let served = crate::support::Server::start().await;
    served.person("acme", "ana", domain::Role::Officer).await;
    let ready = send(&served.address, "GET", "/readyz", &[], b"").await.unwrap();
    assert_eq!((ready.status, ready.json()), (200, serde_json::json!({ "status": "ready" })));
    let full = Process::start_on_full_disk(served.place.as_ref());
    for _ in 0..2 {
        let reply = send(&full.address, "GET", "/readyz", &[], b"").await.unwrap();
        reply.assert_problem(503, "temporarily-unavailable");
        assert!(reply.header("retry-after").is_some());
        assert_eq!(send(&full.address, "GET", "/healthz", &[], b"").await.unwrap().status, 200);
        assert_eq!(send(&full.address, "GET", "/v1/config", &[], b"").await.unwrap().status, 200);
    }
    served.assert_whole().await;
}
