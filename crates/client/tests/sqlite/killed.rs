//! A process that is killed right after it said "saved".

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use domain::CaseId;
use engine::delivery::Delivery;
use engine::ports::Store;
use onceover_client::sqlite::{Access, SqliteStore};

use crate::support::{Place, create, id, identity};

/// Where the killed process keeps its store; set by the test that starts it.
const STORE: &str = "ONCEOVER_TEST_STORE";

/// The process that is killed: it accepts, says so, and waits. Without its variable it is no test.
#[tokio::test]
async fn child_accepts_until_it_is_killed() {
    let Some(path) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let store = SqliteStore::open(&path, identity(), Access::Own).await.unwrap().store;
    for n in 0.. {
        let row = store.accept(create(CaseId(id(100 + n)), "Drain")).await.unwrap().row;
        println!("saved {} {}", row.command_id, row.payload_hash);
    }
}

/// CASES H1, C11, invariant R1: what was said to be saved is there after a kill, with the same hash.
#[tokio::test]
async fn what_was_said_to_be_saved_survives_a_kill() {
    let place = Place::new();
    for round in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::child_accepts_until_it_is_killed", "--nocapture"])
            .env(STORE, place.path().with_file_name(format!("store-{round}.db")))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // libtest may write before the first word on its line.
        let saved = lines.filter_map(|line| line.find("saved ").map(|at| line[at..].to_owned()));
        let saved: Vec<String> = saved.take(5 + round * 20).collect();
        child.kill().unwrap();
        child.wait().unwrap();

        let path = place.path().with_file_name(format!("store-{round}.db"));
        let opened = SqliteStore::open(&path, identity(), Access::Own).await.unwrap();
        assert_eq!(opened.damage, None);
        assert_eq!(saved.len(), 5 + round * 20);
        for line in &saved {
            let words: Vec<&str> = line.split(' ').collect();
            let row = opened.store.row(words[1].parse().unwrap()).await.unwrap().unwrap();
            assert_eq!(row.payload_hash, words[2]);
            assert!(row.payload.is_some());
            assert_eq!(row.delivery, Delivery::Queued);
            assert_eq!(opened.store.history(row.command_id).await.unwrap().len(), 1);
        }
    }
}
