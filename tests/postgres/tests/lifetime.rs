//! The server ends with the run that it was started for, and is shared until then.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use test_postgres::Postgres;

/// A process of this many seconds, in place of the one that runs tests.
fn runner() -> Child {
    Command::new("sleep").arg("300").spawn().unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn keeper(state: &Path, data: &Path, runner: &Child) -> Child {
    let account = if runs_as_root(data) { "postgres" } else { "" };
    let mut command = Command::new("sh");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/keeper.sh")).arg(state).arg(data);
    let bin = Postgres::of_this_run().unwrap().programs().to_owned();
    command.arg(bin).arg(runner.id().to_string()).arg(account);
    command.stdin(Stdio::null()).current_dir("/").spawn().unwrap()
}

fn runs_as_root(made: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(made).unwrap().uid() == 0
}

/// The postmaster's process, once it has written down who it is.
fn server_of(data: &Path) -> String {
    fs::read_to_string(data.join("db/postmaster.pid")).unwrap().lines().next().unwrap().to_owned()
}

fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn it_ends_with_its_run_but_not_while_it_is_used() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (state, data) = (state.path(), data.path());
    let users = OpenOptions::new().create(true).truncate(false).write(true).open(state.join("users")).unwrap();
    users.lock_shared().unwrap();
    let mut runner = runner();
    let mut keeper = keeper(state, data, &runner);
    until("the server", || state.join("ready").exists());
    let server = server_of(data);
    runner.kill().unwrap();
    runner.wait().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_alive(&server), "it is used");
    drop(users);
    until("the keeper's end", || keeper.try_wait().unwrap().is_some());
    assert!(!is_alive(&server) && !data.exists() && !state.join("ready").exists());
}

#[test]
fn it_ends_when_its_keeper_is_killed() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut runner = runner();
    let mut keeper = keeper(state.path(), data.path(), &runner);
    until("the server", || state.path().join("ready").exists());
    let server = server_of(data.path());
    keeper.kill().unwrap();
    keeper.wait().unwrap();
    until("the server's end", || !is_alive(&server));
    runner.kill().unwrap();
    runner.wait().unwrap();
}

#[test]
fn each_test_has_its_own_database() {
    let postgres = Postgres::of_this_run().unwrap();
    let prepare = |url: &str| {
        let name = url.split(['/', '?']).nth(3).unwrap().to_owned();
        postgres.sql(&name, "create table prepared (n int)").map(drop)
    };
    let of = postgres.copy_of("prepared_once", prepare).unwrap();
    let (one, two) =
        (postgres.copy_of("prepared_once", |_| panic!("it is prepared")).unwrap(), postgres.database().unwrap());
    for (database, tables) in [(&of, "1"), (&one, "1"), (&two, "0")] {
        let count = "select count(*) from pg_tables where tablename = 'prepared'";
        assert_eq!(postgres.sql(&database.name, count).unwrap(), tables);
    }
    assert_eq!(postgres.sql("postgres", "show fsync").unwrap(), "on");
}
