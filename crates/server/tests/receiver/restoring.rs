//! Backups, and putting one back: what clients hear after it, and everything that may not be put there.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use sqlx::Connection as _;
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::process::{Process, run, set_up};
use crate::support::{Person, Sent, Server, a_case, command, id};

/// A folder with a database that has a tenant in it.
fn office() -> TempDir {
    let folder = TempDir::new().unwrap();
    set_up(folder.path());
    folder
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments, "");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn assert_refused(output: &Output, code: i32, words: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.contains(words), "{error}");
}

async fn look_up(person: &Person, sent: &Sent) -> Value {
    person.get(&format!("/v1/operations/{}?key={}", sent.id(), sent.key)).await.json()
}

/// CASES S30: yesterday's backup is put back: cursors of today expire, the feed is read anew, and what was committed
/// since then is not seen and can be sent again.
#[cfg(unix)]
#[tokio::test]
async fn after_a_restore_the_feed_is_read_anew_and_what_was_lost_is_sent_again() {
    let office = office();
    let folder = office.path();
    let server = Process::start(folder);
    let ana = server.sign_in().await;
    let (kept, lost) = (a_case("kept"), a_case("lost"));
    let first = ana.send(&kept).await;
    assert_eq!(first.status, 201);
    succeeds(folder, &["backup", "yesterday.db"]);
    let before = ana.get("/v1/changes").await.json();
    assert_eq!(ana.send(&lost).await.status, 201);
    let after = ana.get("/v1/changes").await.json();
    assert_refused(&run(folder, &["restore", "yesterday.db", "--force"], ""), 75, "already serves");
    server.terminate();
    assert!(server.wait().success());
    assert_refused(&run(folder, &["restore", "yesterday.db"], ""), 65, "--force");
    let told = succeeds(folder, &["restore", "yesterday.db", "--force"]);
    assert!(told.contains("server.db.replaced-"), "{told}");

    let server = Process::start(folder);
    Person { address: server.address.clone(), ..ana }.get("/v1/session").await.assert_problem(401, "session-revoked");
    let ana = server.sign_in().await;
    for page in [&before, &after] {
        let cursor = page["cursor"].as_str().unwrap();
        ana.get(&format!("/v1/changes?cursor={cursor}")).await.assert_problem(410, "cursor-expired");
    }
    let anew = ana.get("/v1/changes").await.json();
    assert!(anew["epoch"] != before["epoch"] && told.contains(anew["epoch"].as_str().unwrap()));
    assert_eq!(anew["items"], before["items"], "everything of then, and nothing else");
    let config: Value = ana.get("/v1/config").await.json();
    assert_eq!(config["feed_epoch"], anew["epoch"]);
    let again = ana.send(&kept).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (201, &first.body, true));
    assert_eq!(look_up(&ana, &lost).await["state"], "not_seen");
    let sent = ana.send(&lost).await;
    assert_eq!((sent.status, sent.is_replayed()), (201, false));
    // Its first number is on paper; it gets another one, and so does whatever comes.
    let number = |case: &Sent| {
        let (ana, case) = (ana.clone(), case.target());
        async move { ana.entity("case", &case).await.unwrap()["number"].as_str().unwrap()[5..].to_owned() }
    };
    assert_eq!((number(&kept).await, number(&lost).await), ("000001".to_owned(), "001002".to_owned()));
    server.terminate();
    assert!(server.wait().success());
    succeeds(folder, &["check"]);
    // What was set aside is still all that it was.
    let aside = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let aside: Vec<String> = aside.filter(|name| name.starts_with("server.db.replaced-")).collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    let rows =
        ["--database", &format!("sqlite:{}", aside[0]), "audit", "--tenant", "acme", "--command", &lost.id(), "--json"];
    let rows: Value = serde_json::from_str(&succeeds(folder, &rows)).unwrap();
    assert_eq!(rows[0]["result"], "committed");
}

/// What is no whole backup of ours is not put anywhere, and what is there stays as it is.
#[tokio::test]
async fn what_is_no_backup_is_refused_and_changes_nothing() {
    let office = office();
    let folder = office.path();
    succeeds(folder, &["backup", "good.db"]);
    let good = fs::read(folder.join("good.db")).unwrap();
    let database = fs::read(folder.join("server.db")).unwrap();
    fs::write(folder.join("picture"), [b"\xff\xd8\xff\xe0\x00\x10JFIF".as_slice(), &[7; 9000]].concat()).unwrap();
    fs::write(folder.join("empty"), []).unwrap();
    fs::write(folder.join("cut.db"), &good[..good.len() / 2]).unwrap();
    let mut torn = good.clone();
    let middle = torn.len() / 2;
    torn[middle..middle + 4096].fill(0x5a);
    fs::write(folder.join("torn.db"), torn).unwrap();
    fs::write(folder.join("live.db"), &good).unwrap();
    fs::write(folder.join("live.db-wal"), b"commits").unwrap();
    for (name, sql) in [
        ("other.db", "create table x (y)"),
        ("newer.db", "insert into _sqlx_migrations values (9999, 'later', '2026-01-01', 1, x'00', 0)"),
        ("holes.db", "update tenant set feed_head = 0"),
    ] {
        if name != "other.db" {
            fs::write(folder.join(name), &good).unwrap();
        }
        let url = format!("sqlite:{}?mode=rwc", folder.join(name).display());
        let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
    for (file, words) in [
        ("nowhere.db", "there is no backup nowhere.db"),
        ("picture", "picture is not a backup"),
        ("empty", "it is empty"),
        ("cut.db", "cut.db is not"),
        ("torn.db", "torn.db is not"),
        ("live.db", "commits of it lie in the file beside it"),
        ("other.db", "it is not an Onceover database"),
        ("newer.db", "it has schema 9999"),
        ("holes.db", "holes.db is not whole: tenant acme: the feed goes up to 1, the head is 0"),
        ("server.db", "it is the database itself"),
    ] {
        assert_refused(&run(folder, &["restore", file, "--force"], ""), 65, words);
        assert_eq!(fs::read(folder.join("server.db")).unwrap(), database, "{file}");
    }
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().starts_with("server.db.0")), "{left:?}");
    succeeds(folder, &["check"]);
    assert_refused(
        &run(folder, &["--database", "postgres://nobody@localhost/x", "restore", "good.db", "--force"], ""),
        64,
        "pg_restore",
    );
}

/// Whoever has the database open, server or not, is not made to write into a file that has lost its name.
#[tokio::test]
async fn a_database_that_is_in_use_is_not_replaced() {
    let office = office();
    let folder = office.path();
    succeeds(folder, &["backup", "good.db"]);
    let url = format!("sqlite:{}", folder.join("server.db").display());
    let mut user = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("pragma journal_mode = wal; select * from tenant").execute(&mut user).await.unwrap();
    assert_refused(&run(folder, &["restore", "good.db", "--force"], ""), 75, "in use by another program");
    user.close().await.unwrap();
    succeeds(folder, &["restore", "good.db", "--force"]);
    succeeds(folder, &["check"]);
}

/// A database that is damaged is what a restore is for; nothing of it gets into the one that takes its place.
#[tokio::test]
async fn a_damaged_database_is_set_aside_with_its_journal() {
    let office = office();
    let folder = office.path();
    succeeds(folder, &["backup", "good.db"]);
    for name in ["server.db", "server.db-wal", "server.db-shm"] {
        fs::write(folder.join(name), b"no database at all").unwrap();
    }
    assert_refused(&run(folder, &["restore", "good.db"], ""), 65, "holds data already");
    succeeds(folder, &["restore", "good.db", "--force"]);
    succeeds(folder, &["check"]);
    // On a machine that has none yet, and beside what is left of one.
    for name in ["server.db", "server.db-wal", "server.db-shm"] {
        let _ = fs::remove_file(folder.join(name));
    }
    fs::write(folder.join("server.db-wal"), b"of another").unwrap();
    succeeds(folder, &["restore", "good.db"]);
    assert!(!folder.join("server.db-wal").exists());
    succeeds(folder, &["check"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(folder.join("server.db")).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// A backup taken while officers work is of one moment: whole, and with everything that was answered before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_backup_taken_under_load_is_whole() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", domain::Role::Officer).await;
    let case = a_case("t");
    assert_eq!(ana.send(&case).await.status, 201);
    let folder = TempDir::new().unwrap();
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let mut officers = JoinSet::new();
    for _ in 0..8 {
        let (ana, target, stopping) = (ana.clone(), case.target(), stopping.clone());
        officers.spawn(async move {
            while !*stopping.borrow() {
                let note = command("note.add", &target, json!({ "note_id": id(), "text": "x".repeat(2000) }));
                assert_eq!(ana.send(&note).await.status, 201);
            }
        });
    }
    let mut sizes = Vec::new();
    for n in 0..4 {
        let answered = command("note.add", &case.target(), json!({ "note_id": id(), "text": "answered" }));
        assert_eq!(ana.send(&answered).await.status, 201);
        let file = folder.path().join(format!("{n}.db"));
        server.storage.backup(&file).await.unwrap();
        let copy = onceover_server::storage::sqlite::Sqlite::open(&file).await.unwrap();
        let report = onceover_server::storage::Storage::check(&copy).await.unwrap();
        assert_eq!(report.faults, Vec::<String>::new());
        sizes.push(report.counts.iter().find(|(what, _)| what == "notes").unwrap().1);
        let tenant = server.storage.tenant_of("acme").await.unwrap().unwrap();
        let filter = onceover_server::storage::AuditFilter { command: Some(answered.id()), target: None };
        let rows = onceover_server::storage::Storage::audit(&copy, tenant, filter).await.unwrap();
        assert_eq!(rows.len(), 1);
    }
    stop.send_replace(true);
    while let Some(officer) = officers.join_next().await {
        officer.unwrap();
    }
    assert!(sizes.is_sorted() && sizes[0] < sizes[3], "{sizes:?}");
    let files: HashSet<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.iter().all(|file| file.file_name().unwrap().to_str().unwrap().len() < 12), "no drafts: {files:?}");
    server.assert_whole().await;
}
