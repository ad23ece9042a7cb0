//! What the program says when it cannot do what it is asked for: one exit code and one clear sentence each.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::time::{Duration, Instant};

use client::profile::ProfileLock;
use support::{Program, answering, hotel, nobody};

const SOME_ID: &str = "0197f3c2-5a10-7000-8000-000000000001";

fn program() -> (tempfile::TempDir, Program) {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::in_home(&folder.path().join("profile"));
    (folder, program)
}

#[test]
fn a_command_line_that_is_none_exits_64_and_touches_nothing() {
    let (_folder, program) = program();
    for args in [
        &["fly"][..],
        &["case"],
        &["case", "list", "--unknown"],
        &["case", "show", "not-an-id"],
        &["case", "list", "--status", "lost"],
        &["case", "edit", SOME_ID],
        &["case", "edit", SOME_ID, "--set", "title"],
        &["case", "create", "--title", "x"],
        &["sign-in", "--server", "https://h", "--tenant", "t", "--username", "u"],
        &["sign-out", "--keep", "--discard", "--yes"],
        &["sign-out", "--discard"],
        &["sign-out", "--export", "file"],
        &["outbox", "discard", SOME_ID],
        &["outbox", "resolve", SOME_ID],
        &["outbox", "resolve", SOME_ID, "--keep", "both"],
        &["outbox", "resolve", SOME_ID, "--keep", "mine", "--set", "title=x"],
        &["outbox", "resolve", SOME_ID, "--set", "title=x", "--set", "title=y"],
        &["case", "edit", SOME_ID, "--set", "title=a", "--set", "title=c"],
        &["case", "create", "--title", "x", "--kind", "other", "--set", "title=y"],
        &["outbox", "list", "--state", "lost"],
        &["sync", "--timeout-s", "0"],
        &["task", "add", SOME_ID],
        &["time", "log", SOME_ID, "--minutes", "long", "--on", "2026-11-30"],
        &["inspection", "record", SOME_ID, "--kind", "routine", "--on", "2026-11-30", "--outcome", "fine"],
        &["notification", "read", "the first"],
    ] {
        let said = program.expect(64, args);
        assert!(said.text.is_empty() && !said.errors.is_empty(), "{args:?}: {said:?}");
    }
    let other = Program::in_home(&program.home).with("ONCEOVER_VAULT", Some("drawer"));
    assert!(other.expect(64, &["status"]).errors.contains("keychain or file"));
    assert!(!program.home.exists());
}

#[test]
fn help_and_version_are_no_errors() {
    let (_folder, program) = program();
    assert!(program.expect(0, &["--help"]).text.contains("sign-in"));
    assert!(program.expect(0, &["--version"]).text.starts_with("onceover "));
    assert!(program.expect(0, &["outbox", "discard", "--help"]).text.contains("--yes"));
}

#[test]
fn without_a_sign_in_there_is_nothing_to_show_and_nothing_to_change() {
    let (_folder, program) = program();
    for args in [
        &["case", "list"][..],
        &["case", "show", SOME_ID],
        &["case", "create", "--title", "x", "--kind", "other"],
        &["outbox", "list"],
        &["outbox", "retry", SOME_ID],
        &["sync"],
    ] {
        assert!(program.expect(77, args).errors.contains("nobody is signed in"), "{args:?}");
    }
    let status = program.expect(0, &["status", "--json"]);
    assert_eq!(status.json["signed_in"], false);
    assert_eq!((&status.json["open"], status.json["server_reachable"].is_null()), (&0.into(), true));
    program.expect(0, &["sign-out"]);
}

#[test]
fn an_address_without_our_server_exits_69_and_says_why() {
    let (_folder, program) = program();
    let refused = program.sign_in(&nobody(), "t", "u", "p");
    assert_eq!(refused.code, 69, "{refused:?}");
    assert!(refused.errors.contains("does not answer"), "{refused:?}");
    let html = program.sign_in(&hotel(), "t", "u", "p");
    assert_eq!(html.code, 69, "{html:?}");
    assert!(html.errors.contains("not an Onceover server"), "{html:?}");
    for status in ["501 Not Implemented", "511 Network Authentication Required"] {
        let page = program.sign_in(&answering(status, "text/html", "<html>"), "t", "u", "p");
        assert_eq!(page.code, 69, "{page:?}");
        assert!(page.errors.contains("not an Onceover server"), "{page:?}");
    }
    let no_tls = program.sign_in(&hotel().replace("http://", "https://"), "t", "u", "p");
    assert_eq!(no_tls.code, 69, "{no_tls:?}");
    assert!(no_tls.errors.contains("does not speak https"), "{no_tls:?}");
}

/// A server that fails or is busy has not refused anybody.
#[test]
fn a_server_that_fails_at_sign_in_exits_69() {
    const FAILED: &str = concat!(
        r#"{"type":"urn:onceover:problem:internal-error","title":"t","status":500,"detail":"d","#,
        r#""code":"internal-error","effect":"unknown","retry":"same_key"}"#
    );
    let (_folder, program) = program();
    let server = answering("500 Internal Server Error", "application/problem+json", FAILED);
    let said = program.sign_in(&server, "t", "u", "p");
    assert_eq!(said.code, 69, "{said:?}");
    assert!(said.errors.contains("the server failed (internal-error)"), "{said:?}");
}

/// What could not be printed is not passed over: exit 73 with a message. A reader that went away is no failure.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_exits_73() {
    let (_folder, program) = program();
    program.expect(0, &["sign-out"]);
    for args in [&["status"][..], &["status", "--json"], &["doctor"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program.command(args).stdout(full).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(73), "{args:?}: {errors}");
        assert!(errors.contains("standard output could not be written"), "{errors}");
    }
    let mut child = program.command(&["status", "--json"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn bad_data_exits_65() {
    let (_folder, program) = program();
    let plain = program.sign_in("http://cases.example.org", "t", "u", "p");
    assert_eq!(plain.code, 65, "{plain:?}");
    assert!(plain.errors.contains("use https://cases.example.org"), "{plain:?}");
    assert_eq!(program.sign_in("https://", "t", "u", "p").code, 65);
    assert_eq!(program.sign_in(&nobody(), "t", "u", "").code, 65);
    let unknown = program.expect(65, &["case", "create", "--title", "x", "--kind", "other", "--set", "colour=red"]);
    assert!(unknown.errors.contains("colour"), "{unknown:?}");
}

#[test]
fn a_folder_that_cannot_be_used_exits_73() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").unwrap();
    let program = Program::in_home(&file.join("profile"));
    let said = program.sign_in(&nobody(), "t", "u", "p");
    assert_eq!(said.code, 73, "{said:?}");
    assert!(said.errors.contains("cannot be used"), "{said:?}");
    program.expect(73, &["case", "create", "--title", "x", "--kind", "other"]);
}

#[test]
fn an_index_of_accounts_that_cannot_be_read_exits_73_and_stays_as_it_is() {
    let (_folder, program) = program();
    program.expect(0, &["sign-out"]);
    let index = program.home.join("accounts.json");
    for (content, says) in [("{\"version\":99}", "newer version"), ("\u{0}garbage", "damaged")] {
        std::fs::write(&index, content).unwrap();
        for args in [&["sign-out"][..], &["status"], &["case", "list"], &["doctor"]] {
            let said = program.expect(73, args);
            assert!((said.errors.clone() + &said.text).contains(says), "{said:?}");
        }
        assert_eq!(std::fs::read_to_string(&index).unwrap(), content);
    }
}

/// Writing waits two seconds for the profile; reading does not need it.
#[tokio::test(flavor = "multi_thread")]
async fn a_profile_in_use_exits_75_and_can_be_read() {
    let (_folder, program) = program();
    program.expect(0, &["sign-out"]);
    let lock = ProfileLock::take(&program.home.join("profile.lock"), 0).await.unwrap();
    let begun = Instant::now();
    let said = program.expect(75, &["sign-out"]);
    assert!(begun.elapsed() >= Duration::from_secs(2), "it waits for the other process");
    let holder = format!("already running with this profile (process {}, started", std::process::id());
    assert!(said.errors.contains(&holder), "{said:?}");
    program.expect(0, &["status"]);
    assert!(program.run(&["doctor"]).text.contains(&std::process::id().to_string()));

    let mut waiting = program.command(&["sign-out"]).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(lock);
    assert!(waiting.wait().unwrap().success(), "it goes on when the other process ends");
}

#[test]
fn a_keychain_that_is_not_there_is_said_before_the_password_leaves() {
    let (_folder, program) = program();
    let program = program
        .with("ONCEOVER_VAULT", None)
        .with("DBUS_SESSION_BUS_ADDRESS", Some("unix:path=/nonexistent/bus"))
        .with("DISPLAY", None)
        .with("WAYLAND_DISPLAY", None);
    let said = program.sign_in(&hotel(), "t", "u", "p");
    assert_eq!(said.code, 77, "{said:?}");
    assert!(said.errors.contains("no usable keychain") && said.errors.contains("ONCEOVER_VAULT=file"), "{said:?}");
}

#[test]
fn a_vault_file_needs_its_passphrase() {
    let (_folder, program) = program();
    let without = Program::in_home(&program.home).with("ONCEOVER_VAULT_PASSPHRASE", None);
    let said = without.sign_in(&hotel(), "t", "u", "p");
    assert_eq!(said.code, 77, "{said:?}");
    assert!(said.errors.contains("ONCEOVER_VAULT_PASSPHRASE"), "{said:?}");
}

#[test]
fn doctor_says_how_a_new_profile_is() {
    let (_folder, program) = program();
    let said = program.expect(2, &["doctor", "--json"]);
    let findings = said.json.as_array().unwrap();
    let level = |check: &str| findings.iter().find(|finding| finding["check"] == check).unwrap()["level"].clone();
    assert_eq!((level("profile"), level("account"), level("sqlite")), ("warn".into(), "warn".into(), "ok".into()));
    assert!(findings.iter().all(|finding| !finding["detail"].as_str().unwrap().is_empty()));
    assert!(!program.home.exists(), "looking makes nothing");
}
