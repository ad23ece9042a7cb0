//! The keychain for real: a session bus and a keyring daemon of the test's own, in a process of its own, since a
//! process has one keychain for its whole life.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use engine::ports::{Signals, Vault, VaultError};
use engine::view::{Signal, Trouble, VaultKind};
use onceover_client::vault::Keychain;
use onceover_client::{Access, Client, Options, VaultChoice};
use secrecy::{ExposeSecret, SecretString};

/// Set in the inner process: what its keychain is like.
const INNER: &str = "ONCEOVER_TEST_KEYCHAIN";

/// Runs this test once more, in a process where the keychain is as `situation` says. `None` if that needs programs
/// that are not installed.
fn run_inner(test: &str, situation: &str, daemon: Option<&str>) -> Option<std::process::Output> {
    if daemon.is_some() {
        for program in ["dbus-run-session", "gnome-keyring-daemon"] {
            if Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
                eprintln!("skipped: {program} is not installed");
                return None;
            }
        }
    }
    let home = tempfile::tempdir().unwrap();
    let this = std::env::current_exe().unwrap();
    let script = format!("{}\nexec \"$0\" --exact {test} --nocapture", daemon.unwrap_or_default());
    let mut command = match daemon {
        Some(_) => Command::new("dbus-run-session"),
        None => Command::new("env"),
    };
    if daemon.is_some() {
        command.arg("--");
    }
    command.args(["sh", "-c", &script]).arg(&this).env(INNER, situation);
    seclude(&mut command, home.path());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    Some(output)
}

/// No keychain of the person who runs the tests is touched.
fn seclude(command: &mut Command, home: &Path) {
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, home);
    }
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus").env_remove("DISPLAY");
    command.env_remove("WAYLAND_DISPLAY").env_remove("GNOME_KEYRING_CONTROL");
}

fn is_inner(situation: &str) -> bool {
    std::env::var(INNER).is_ok_and(|inner| inner == situation)
}

#[tokio::test]
async fn secrets_are_kept_in_the_keychain() {
    if !is_inner("unlocked") {
        let daemon = "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1";
        run_inner("secrets_are_kept_in_the_keychain", "unlocked", Some(daemon));
        return;
    }
    let (keychain, other) = (Keychain::new("profile-a"), Keychain::new("profile-b"));
    keychain.check().await.unwrap();
    assert!(keychain.get("refresh").await.unwrap().is_none());
    for secret in ["first", "second, with ümlauts"] {
        keychain.put("refresh", SecretString::from(secret)).await.unwrap();
        let read = Keychain::new("profile-a").get("refresh").await.unwrap().unwrap();
        assert_eq!(read.expose_secret(), secret);
    }
    assert!(other.get("refresh").await.unwrap().is_none(), "profiles are apart");
    other.forget("refresh").await.unwrap();
    keychain.forget("refresh").await.unwrap();
    assert!(keychain.get("refresh").await.unwrap().is_none());
}

#[tokio::test]
async fn a_missing_keychain_is_said_to_be_unavailable() {
    if !is_inner("missing") {
        run_inner("a_missing_keychain_is_said_to_be_unavailable", "missing", None);
        return;
    }
    let keychain = Keychain::new("profile");
    for result in [keychain.check().await, keychain.get("refresh").await.map(|_| ())] {
        assert!(matches!(result, Err(VaultError::Unavailable(_))), "{result:?}");
    }

    let home = tempfile::tempdir().unwrap();
    let options = Options {
        home: home.path().to_owned(),
        vault: VaultChoice::KeychainOrMemory,
        access: Access::Write,
        in_background: true,
        signals: Arc::new(NoSignals),
        lock_wait_ms: 0,
    };
    let view = Client::open(options).await.unwrap().session().await.unwrap();
    assert_eq!((view.vault, view.trouble), (VaultKind::Memory, vec![Trouble::KeychainMissing]), "a window says so");
}

struct NoSignals;

impl Signals for NoSignals {
    fn emit(&self, _: Signal) {}
}

/// A daemon that was never unlocked, and nobody there to type the password.
#[tokio::test]
async fn a_locked_keychain_is_said_to_be_unavailable() {
    if !is_inner("locked") {
        let daemon = "gnome-keyring-daemon --daemonize --components=secrets >/dev/null 2>&1";
        run_inner("a_locked_keychain_is_said_to_be_unavailable", "locked", Some(daemon));
        return;
    }
    let result = Keychain::new("profile").check().await;
    assert!(matches!(result, Err(VaultError::Unavailable(_))), "{result:?}");
}
