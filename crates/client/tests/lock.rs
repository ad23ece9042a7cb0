//! Two processes and one profile.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use onceover_client::profile::{LockError, ProfileLock};

const INNER: &str = "ONCEOVER_TEST_LOCK";

/// Another process that holds the lock until it is killed.
fn another_process(lock: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_process_owns_a_profile", "--nocapture"])
        .env(INNER, lock)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("held")), "the other process takes the lock");
    child
}

/// CASES H4: whoever holds the lock is named; when it is killed, the next start gets the lock at once.
#[tokio::test]
async fn one_process_owns_a_profile() {
    if let Some(lock) = std::env::var_os(INNER) {
        let _lock = ProfileLock::take(Path::new(&lock), 0).await.unwrap();
        println!("held");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.lock");
    assert!(ProfileLock::holder(&path).unwrap().is_none());

    let mut other = another_process(&path);
    let error = ProfileLock::take(&path, 200).await.unwrap_err();
    let LockError::Held(Some(holder)) = &error else { panic!("{error:?}") };
    assert_eq!(holder.pid, other.id());
    let expected = format!("already running with this profile (process {}, started 20", other.id());
    assert!(error.to_string().contains(&expected), "{error}");
    assert_eq!(ProfileLock::holder(&path).unwrap(), Some(Some(*holder)));

    other.kill().unwrap();
    other.wait().unwrap();
    let lock = ProfileLock::take(&path, 0).await.unwrap();
    assert!(matches!(ProfileLock::take(&path, 0).await, Err(LockError::Held(Some(_)))));
    drop(lock);
    assert!(ProfileLock::holder(&path).unwrap().is_none());
    ProfileLock::take(&path, 0).await.unwrap();
}
