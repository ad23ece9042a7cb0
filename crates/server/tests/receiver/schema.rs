//! Bringing a PostgreSQL database up to date: by whom, by how many at once, and what is said when it cannot be.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;
use test_postgres::Database;

use crate::support::database::{Site, postgres};
use crate::support::process::{Process, run, set_up};

/// A folder, and the database of this URL.
struct At<'a>(&'a Path, String);

impl Site for At<'_> {
    fn folder(&self) -> &Path {
        self.0
    }

    fn url(&self) -> String {
        self.1.clone()
    }
}

/// Runs a subcommand on `url`; its exit code and what it says of its failure.
fn told(url: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = TempDir::new().unwrap();
    let Output { status, stderr, .. } = run(&At(folder.path(), url.to_owned()), arguments, "");
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// A user of the server, who may log in and nothing else.
fn user(database: &Database, what: &str) -> String {
    let name = format!("{what}_{}", database.name);
    postgres().sql("postgres", &format!("create role {name} login")).unwrap();
    name
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_once() {
    let database = postgres().database().unwrap();
    // With one key, as nodes have; they make it together too.
    let folder = TempDir::new().unwrap();
    let nodes: Vec<_> = (0..4)
        .map(|_| {
            let (folder, url) = (folder.path().to_owned(), database.url.clone());
            tokio::task::spawn_blocking(move || Process::start(&At(&folder, url)))
        })
        .collect();
    for node in nodes {
        drop(node.await.unwrap());
    }
    let count = postgres().sql(&database.name, "select count(*) from server").unwrap();
    assert_eq!(count, "1");
}

/// A user who may change no tables says what to run, and serves once it was run.
#[test]
fn one_who_may_not_migrate_says_who_must() {
    let database = postgres().database().unwrap();
    let serves = user(&database, "serves");
    let url = postgres().url(&serves, &database.name);
    postgres().sql("postgres", &format!("revoke all on database {} from public", database.name)).unwrap();
    postgres().sql("postgres", &format!("grant connect on database {} to {serves}", database.name)).unwrap();

    let (code, says) = told(&url, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(73), "{says}");
    assert!(says.contains("onceover-server migrate --owner-database") && says.contains(&serves), "{says}");

    let folder = TempDir::new().unwrap();
    let site = At(folder.path(), url);
    let migrated = run(&site, &["migrate", "--owner-database", &database.url], "");
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    assert!(String::from_utf8(migrated.stdout).unwrap().contains("has schema"));
    set_up(&site);
    drop(Process::start(&site));
    let again = run(&site, &["migrate", "--owner-database", &database.url], "");
    assert!(again.status.success(), "once more changes nothing");
}

/// An owner who may make no roles says what an administrator must run, word for word.
#[test]
fn an_owner_who_may_make_no_role_says_what_to_run() {
    let database = postgres().database().unwrap();
    // The role is there, made by somebody else.
    let other = postgres().database().unwrap();
    assert_eq!(told(&other.url, &["migrate"]).0, Some(0));
    let owner = user(&database, "owns");
    postgres().sql("postgres", &format!("alter database {} owner to {owner}", database.name)).unwrap();
    let url = postgres().url(&owner, &database.name);
    let (code, says) = told(&url, &["migrate"]);
    let grant = format!("grant onceover_app to {owner}");
    assert_eq!(code, Some(73), "{says}");
    assert!(says.contains(&grant) && says.contains("create role onceover_app nologin"), "{says}");
    assert_eq!(
        postgres().sql(&database.name, "select count(*) from pg_tables where schemaname = 'public'").unwrap(),
        "0"
    );
    postgres().sql("postgres", &grant).unwrap();
    assert_eq!(told(&url, &["migrate"]).0, Some(0));
    assert_eq!(told(&url, &["check"]).0, Some(0));
}

#[test]
fn a_newer_schema_is_refused_by_every_subcommand() {
    let database = postgres().database().unwrap();
    assert_eq!(told(&database.url, &["migrate"]).0, Some(0));
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'later', true, '', 0)";
    postgres().sql(&database.name, newer).unwrap();
    for arguments in
        [&["check"][..], &["serve", "--listen", "127.0.0.1:0"], &["migrate"], &["tenant", "add", "x", "--name", "X"]]
    {
        let (code, says) = told(&database.url, arguments);
        assert_eq!(code, Some(73), "{arguments:?}");
        assert!(says.contains("has schema 9999") && says.contains("use the newer onceover-server"), "{says}");
    }
}

/// A migration that fails leaves nothing behind, and can be run again.
#[test]
fn a_migration_happens_as_a_whole_or_not_at_all() {
    let database = postgres().database().unwrap();
    let in_the_way =
        "create function audit_is_append_only() returns trigger language plpgsql as 'begin return null; end'";
    postgres().sql(&database.name, in_the_way).unwrap();
    let (code, says) = told(&database.url, &["migrate"]);
    assert_eq!(code, Some(73), "{says}");
    let left = "select count(*) from pg_tables where schemaname = 'public' and tablename <> '_sqlx_migrations'";
    assert_eq!(postgres().sql(&database.name, left).unwrap(), "0");
    postgres().sql(&database.name, "drop function audit_is_append_only()").unwrap();
    assert_eq!(told(&database.url, &["migrate"]).0, Some(0));
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let database = postgres().database().unwrap();
    postgres().sql(&database.name, "create table theirs (n int)").unwrap();
    for arguments in [&["migrate"][..], &["check"]] {
        let (code, says) = told(&database.url, arguments);
        assert_eq!(code, Some(73), "{says}");
        assert!(says.contains("not an Onceover database"), "{says}");
    }
    assert_eq!(
        postgres().sql(&database.name, "select count(*) from pg_tables where schemaname = 'public'").unwrap(),
        "1"
    );
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let nowhere = "postgres://ana:s3cret@localhost/cases?host=/no/such/folder";
    let (code, says) = told(nowhere, &["check"]);
    assert_eq!(code, Some(69), "{says}");
    assert!(says.contains("cases at /no/such/folder") && !says.contains("s3cret"), "{says}");
    let (code, says) = told("postgres://[", &["check"]);
    assert_eq!(code, Some(64), "{says}");
    let database = postgres().database().unwrap();
    let (code, says) = told(&database.url, &["backup", "copy"]);
    assert_eq!(code, Some(64), "{says}");
    assert!(says.contains("pg_dump") && says.contains("new-epoch"), "{says}");
}
