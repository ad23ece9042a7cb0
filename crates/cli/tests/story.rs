//! An officer's days on the command line, against a real server that comes and goes.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::server::{PASSWORD, Server, TENANT};
use support::{PASSPHRASE, Program, text};

struct Story {
    server: Server,
    program: Program,
    _folder: tempfile::TempDir,
}

impl Story {
    /// Mara, an officer, is signed in.
    fn begins() -> Self {
        let server = Server::started(&[("mara", "officer"), ("sven", "supervisor")]);
        let folder = tempfile::tempdir().unwrap();
        let program = Program::in_home(&folder.path().join("profile"));
        let story = Self { server, program, _folder: folder };
        story.sign_in("mara");
        story
    }

    fn sign_in(&self, user: &str) {
        let said = self.program.sign_in(&self.server.url(), TENANT, user, PASSWORD);
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.json["account"]["username"], user);
    }

    /// Runs with `--json` and returns the document.
    fn json(&self, args: &[&str]) -> Value {
        self.program.expect(0, &[args, &["--json"]].concat()).json
    }

    fn creates(&self, title: &str) -> String {
        let created = self.json(&["case", "create", "--title", title, "--kind", "complaint", "--set", "status=open"]);
        assert_eq!(created["state"], "queued");
        text(&created["case_id"]).to_owned()
    }
}

/// CASES H1: what was saved without a network is there in the next process, and goes when the server is back.
#[test]
fn a_day_without_the_server() {
    let mut story = Story::begins();
    story.server.stop();
    let case = story.creates("Heaters do not work");
    let set = ["--set", "address=12 Quay Street", "--set", "latitude=51.5", "--set", "due_on=2026-12-24"];
    story.json(&[&["case", "edit", &case][..], &set].concat());
    story.json(&["case", "transition", &case, "--to", "under_review", "--reason", "field_visit"]);
    story.json(&["note", "add", &case, "--text", "Nobody at home"]);
    story.json(&["tag", "add", &case, "urgent care"]);

    let listed = story.json(&["case", "list", "--query", "heaters"]);
    assert_eq!((listed[0]["id"].as_str(), listed[0]["status"].as_str()), (Some(case.as_str()), Some("under_review")));
    let shown = story.json(&["case", "show", &case]);
    assert_eq!(shown["case"]["address"], "12 Quay Street");
    assert_eq!(shown["case"]["latitude"], 51.5);
    assert_eq!(shown["notes"][0]["text"], "Nobody at home");
    assert_eq!(shown["case"]["tags"], json!(["urgent care"]));
    assert_eq!(shown["pending"].as_array().unwrap().len(), 5);
    for absent in ["tasks", "time_entries", "inspections", "notices"] {
        assert_eq!(shown[absent], json!([]), "{absent}");
    }
    let status = story.json(&["status"]);
    assert_eq!(
        (&status["open"], &status["server_reachable"], &status["signed_in"]),
        (&json!(5), &json!(false), &json!(true))
    );
    let offline = story.program.expect(69, &["sync", "--json", "--timeout-s", "5"]);
    assert_eq!((&offline.json["open"], &offline.json["unreachable"]), (&json!(5), &json!(true)));

    story.server.start();
    let synced = story.json(&["sync"]);
    assert_eq!((&synced["acked"], &synced["open"]), (&json!(5), &json!(0)), "{synced}");
    assert_eq!(story.json(&["outbox", "list"]), json!([]));
    let rows = story.json(&["outbox", "list", "--all"]);
    assert!(rows.as_array().unwrap().iter().all(|row| row["state"] == "acked"), "{rows}");
    let shown = story.json(&["case", "show", &case]);
    assert!(shown["case"]["number"].is_string() && shown["pending"] == json!([]), "{shown}");
    assert!(shown["timeline"].as_array().unwrap().len() >= 5, "{shown}");
    let row = text(&rows[0]["command_id"]).to_owned();
    let detail = story.json(&["outbox", "show", &row]);
    assert_eq!((&detail["payload"]["title"], &detail["state"]), (&json!("Heaters do not work"), &json!("acked")));
    assert_eq!(detail["history"].as_array().unwrap().last().unwrap()["event"], "projected");
    let status = story.json(&["status"]);
    assert_eq!((&status["open"], &status["server_reachable"]), (&json!(0), &json!(true)));
    assert!(status["last_pull_at"].is_string());
}

/// A task is done by its id alone, before and after it was sent; what was done and undone is what remains.
#[test]
fn a_task_is_done_before_it_was_sent() {
    let mut story = Story::begins();
    story.server.stop();
    let case = story.creates("Heaters do not work");
    story.json(&["task", "add", &case, "--title", "Call the landlord"]);
    let task = text(&story.json(&["case", "show", &case])["tasks"][0]["id"]).to_owned();
    let done = story.json(&["task", "done", &task]);
    assert_eq!(done["case_id"], case.as_str());
    let shown = story.program.expect(0, &["case", "show", &case]);
    assert!(shown.text.contains("Call the landlord, done"), "{}", shown.text);
    story.server.start();
    assert_eq!(story.json(&["sync"])["open"], 0);
    story.json(&["task", "undone", &task]);
    story.json(&["task", "done", &task]);
    story.json(&["task", "undone", &task]);
    assert_eq!(story.json(&["sync"])["open"], 0);
    let shown = story.json(&["case", "show", &case]);
    assert_eq!((&shown["tasks"][0]["done"], &shown["pending"]), (&json!(false), &json!([])));
}

#[test]
fn people_are_found_by_their_user_names() {
    let story = Story::begins();
    let case = story.creates("Fence leans");
    story.json(&["sync"]);
    story.json(&["case", "assign", &case, "--to", "sven"]);
    assert!(story.json(&["case", "show", &case])["case"]["assignee_id"].is_string());
    story.json(&["case", "assign", &case, "--to", "none"]);
    assert!(story.json(&["case", "show", &case])["case"]["assignee_id"].is_null());
    let nobody = story.program.expect(65, &["case", "assign", &case, "--to", "nobody-here"]);
    assert!(nobody.errors.contains("nobody-here"));
    assert_eq!(story.json(&["sync"])["open"], 0);
}

#[test]
fn what_the_domain_refuses_is_refused_before_it_is_saved() {
    let story = Story::begins();
    let case = story.creates("Roaches");
    let unknown = "0197f3c2-5a10-7000-8000-000000000009";
    for args in [
        &["case", "transition", &case, "--to", "resolved", "--reason", "done"][..],
        &["case", "transition", &case, "--to", "under_review", "--reason", "No Slug"],
        &["case", "edit", &case, "--set", "due_on=tomorrow"],
        &["case", "edit", &case, "--set", "title="],
        &["case", "create", "--title", "x", "--kind", "No Slug"],
        &["note", "add", &case, "--text", ""],
        &["note", "add", unknown, "--text", "x"],
        &["note", "redact", unknown, "--reason", "x"],
        &["task", "done", unknown],
        &["task", "add", &case, "--title", "x", "--due", "soon"],
        &["time", "log", &case, "--minutes", "0", "--on", "2026-11-30"],
        &["time", "log", &case, "--minutes", "1441", "--on", "2026-11-30"],
        &["inspection", "record", &case, "--kind", "No Slug", "--on", "2026-11-30", "--outcome", "pass"],
        &["notice", "issue", &case, "--kind", "order", "--recipient", "", "--body", "x"],
        &["notification", "read", unknown],
        &["case", "restore", &case, "--reason", "x"],
        &["outbox", "confirm", unknown],
        &["case", "show", unknown],
        &["outbox", "show", unknown],
        &["outbox", "retry", unknown],
    ] {
        let said = story.program.expect(65, args);
        assert!(said.text.is_empty() && !said.errors.is_empty(), "{args:?}: {said:?}");
    }
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_wrong_sign_in_exits_77_and_the_account_before_stays() {
    let story = Story::begins();
    story.creates("Stays");
    let url = story.server.url();
    for (tenant, user, password) in [(TENANT, "mara", "wrong"), ("nowhere", "mara", PASSWORD), (TENANT, "no", PASSWORD)]
    {
        let said = story.program.sign_in(&url, tenant, user, password);
        assert_eq!(said.code, 77, "{said:?}");
        assert!(said.errors.contains("not right"), "{said:?}");
    }
    assert_eq!(story.json(&["status"])["username"], "mara");
    assert_eq!(story.json(&["sync"])["open"], 0);
}

/// CASES G1: A leaves open rows; B sees and sends none of them; they wait for A.
#[test]
fn each_account_has_its_own_rows() {
    let mut story = Story::begins();
    story.server.stop();
    for title in ["One", "Two", "Three"] {
        story.creates(title);
    }
    let undecided = story.program.expect(2, &["sign-out"]);
    assert!(undecided.errors.contains("3 changes"), "{undecided:?}");
    assert_eq!(story.json(&["status"])["username"], "mara", "nothing was done");
    story.server.start();
    story.program.expect(0, &["sign-out", "--keep"]);
    story.program.expect(77, &["outbox", "list"]);

    story.sign_in("sven");
    assert_eq!(story.json(&["outbox", "list", "--all"]), json!([]));
    assert_eq!(story.json(&["sync"])["sent"], 0);
    assert_eq!(story.json(&["case", "list"]), json!([]));

    story.sign_in("mara");
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 3);
    let synced = story.json(&["sync"]);
    assert_eq!((&synced["acked"], &synced["open"]), (&json!(3), &json!(0)));
}

#[test]
fn open_changes_can_be_exported_or_discarded_on_the_way_out() {
    let mut story = Story::begins();
    story.server.stop();
    story.creates("Exported title");
    story.creates("Second");
    let file = story.program.home.with_file_name("open-changes.age");
    let export = ["sign-out", "--export", file.to_str().unwrap(), "--passphrase-stdin"];
    assert_eq!(story.program.run_with(&export, "hand over\n").code, 0);
    let sealed = std::fs::read(&file).unwrap();
    let title = b"Exported title";
    assert!(!sealed.windows(title.len()).any(|part| part == title), "it is not readable without the passphrase");
    let identity = age::scrypt::Identity::new(secrecy::SecretString::from("hand over"));
    let plain: Value = serde_json::from_slice(&age::decrypt(&identity, &sealed).unwrap()).unwrap();
    assert_eq!(plain["rows"].as_array().unwrap().len(), 2);
    assert_eq!(plain["rows"][0]["payload"]["title"], "Exported title");

    story.server.start();
    story.sign_in("mara");
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 2, "an export keeps them");
    let again = story.program.run_with(&export, "hand over\n");
    assert_eq!(again.code, 73, "a file that is there is not written over: {again:?}");
    assert_eq!(std::fs::read(&file).unwrap(), sealed);
    story.program.expect(64, &["sign-out", "--discard"]);
    story.program.expect(0, &["sign-out", "--discard", "--yes"]);
    story.sign_in("mara");
    assert_eq!(story.json(&["outbox", "list"]), json!([]));
    let rows = story.json(&["outbox", "list", "--all"]);
    assert!(rows.as_array().unwrap().iter().all(|row| row["resolution"]["kind"] == "discarded"), "{rows}");
}

/// Two officers change one field: the second decides, on the command line.
#[test]
fn a_conflict_is_shown_and_decided() {
    let story = Story::begins();
    let case = story.creates("Before");
    story.json(&["sync"]);
    let other_home = tempfile::tempdir().unwrap();
    let other = Program::in_home(other_home.path());
    assert_eq!(other.sign_in(&story.server.url(), TENANT, "sven", PASSWORD).code, 0);
    other.expect(0, &["sync"]);
    other.expect(0, &["case", "edit", &case, "--set", "title=Theirs"]);
    other.expect(0, &["sync"]);

    let edited = story.json(&["case", "edit", &case, "--set", "title=Mine"]);
    let command = text(&edited["command_id"]).to_owned();
    let synced = story.program.expect(2, &["sync", "--json"]);
    assert_eq!((&synced.json["needs_attention"], &synced.json["open"]), (&json!(1), &json!(1)));
    let detail = story.json(&["outbox", "show", &command]);
    assert_eq!(detail["state"], "conflict");
    let sides = [&detail["conflict"]["base"], &detail["conflict"]["mine"], &detail["conflict"]["theirs"]];
    assert_eq!(sides.map(|side| text(&side["title"]).to_owned()), ["Before", "Mine", "Theirs"]);
    assert_eq!(story.json(&["status"])["counts"]["conflict"], 1);

    let decided = story.json(&["outbox", "resolve", &command, "--keep", "mine"]);
    assert_eq!((decided["case_id"].as_str(), decided["state"].as_str()), (Some(case.as_str()), Some("queued")));
    assert_eq!(story.json(&["sync"])["open"], 0);
    other.expect(0, &["sync"]);
    assert_eq!(other.run(&["case", "show", &case, "--json"]).json["case"]["title"], "Mine");
}

/// Keeping theirs sends nothing, and the document says that it is decided.
#[test]
fn keeping_theirs_needs_no_change() {
    let story = Story::begins();
    let case = story.creates("Before");
    story.json(&["sync"]);
    let other_home = tempfile::tempdir().unwrap();
    let other = Program::in_home(other_home.path());
    assert_eq!(other.sign_in(&story.server.url(), TENANT, "sven", PASSWORD).code, 0);
    other.expect(0, &["sync"]);
    other.expect(0, &["case", "edit", &case, "--set", "title=Theirs"]);
    other.expect(0, &["sync"]);
    let edited = story.json(&["case", "edit", &case, "--set", "title=Mine"]);
    story.program.expect(2, &["sync"]);
    let decided = story.json(&["outbox", "resolve", text(&edited["command_id"]), "--keep", "theirs"]);
    assert_eq!(decided, json!({"case_id": case, "command_id": null, "state": "resolved"}));
    assert_eq!(story.json(&["case", "show", &case])["case"]["title"], "Theirs");
}

#[test]
fn a_single_change_can_be_retried_asked_about_and_discarded() {
    let mut story = Story::begins();
    story.server.stop();
    let case = story.creates("Kept");
    let rows = story.json(&["outbox", "list"]);
    let command = text(&rows[0]["command_id"]).to_owned();
    story.program.expect(69, &["outbox", "retry", &command]);
    let asked = story.program.expect(65, &["outbox", "reconcile", &command, "--json"]);
    assert!(asked.text.is_empty() && asked.errors.contains("never sent"), "nobody was asked: {asked:?}");
    let note = story.json(&["note", "add", &case, "--text", "Not meant"]);
    story.program.expect(64, &["outbox", "discard", text(&note["command_id"])]);
    let discarded = story.json(&["outbox", "discard", text(&note["command_id"]), "--yes"]);
    assert_eq!(discarded["discarded"], 1);
    story.server.start();
    assert_eq!(story.json(&["outbox", "retry", &command])["state"], "acked");
    story.program.expect(65, &["outbox", "retry", &command]);
    let shown = story.json(&["case", "show", &case]);
    assert_eq!(shown["notes"], json!([]));
}

/// The file of the store, of the one account there is.
fn store_file(program: &Program) -> std::path::PathBuf {
    let folder = std::fs::read_dir(program.home.join("accounts")).unwrap().next().unwrap().unwrap().path();
    folder.join("store.db")
}

/// A database that is a picture: put aside, told, and work goes on.
#[test]
fn a_store_that_is_a_picture_is_contained_and_told() {
    let story = Story::begins();
    let case = story.creates("Before the damage");
    story.json(&["sync"]);
    let database = store_file(&story.program);
    let picture = [b"\xff\xd8\xff\xe0\x00\x10JFIF\x00".as_slice(), &vec![0x5a; 100_000]].concat();
    std::fs::write(&database, &picture).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(database.with_file_name(format!("store.db{suffix}")));
    }

    let reading = story.program.expect(73, &["case", "list"]);
    assert!(reading.errors.contains("damaged"), "{reading:?}");
    assert_eq!(std::fs::read(&database).unwrap(), picture, "reading changes nothing");
    assert!(story.program.expect(73, &["doctor"]).text.contains("fail"));

    let created = story.program.expect(0, &["case", "create", "--title", "After", "--kind", "other", "--json"]);
    assert!(created.errors.contains("was damaged and was moved aside"), "{created:?}");
    assert!(created.errors.contains("how many unsent changes were in it is not known"), "{created:?}");
    let kept = std::fs::read_dir(database.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    assert!(kept.filter(|path| *path != database).any(|path| std::fs::read(path).is_ok_and(|bytes| bytes == picture)));
    story.sign_in("mara");
    story.json(&["sync"]);
    let shown = story.json(&["case", "show", &case]);
    assert_eq!(shown["case"]["title"], "Before the damage", "the server's cases come back");
    let quiet = story.program.expect(0, &["sync"]);
    assert!(!quiet.errors.contains("damaged"), "it is said until someone signed in: {quiet:?}");
}

/// A store whose file is empty or gone, of an account that had one: nobody knows what was in it, and that is said until
/// someone signed in.
#[test]
fn a_store_that_is_gone_is_told() {
    let story = Story::begins();
    story.creates("Lost with the file");
    let database = store_file(&story.program);
    let unknown = "how many unsent changes were in it is not known";
    for is_empty in [true, false] {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(database.with_file_name(format!("store.db{suffix}")));
        }
        if is_empty {
            std::fs::write(&database, "").unwrap();
        }
        for args in [&["case", "list"][..], &["status"], &["doctor"]] {
            let said = story.program.expect(73, args);
            let said = said.text + &said.errors;
            assert!(said.contains("damaged") && !said.contains("older version"), "{said}");
        }
        for args in [&["sync"][..], &["sync"]] {
            assert!(story.program.expect(77, args).errors.contains(unknown), "it is said until someone signed in");
        }
        assert!(story.program.expect(0, &["status"]).errors.contains(unknown));
        let signed_in = story.program.sign_in(&story.server.url(), TENANT, "mara", PASSWORD);
        assert!(signed_in.code == 0 && signed_in.errors.contains(unknown), "{signed_in:?}");
        assert!(!story.program.expect(0, &["sync"]).errors.contains("damaged"));
    }
}

/// What is in place already is not saved as a change; a decision that needs no change says so.
#[test]
fn an_edit_that_changes_nothing_exits_65() {
    let story = Story::begins();
    let case = story.creates("Same");
    for args in [
        &["case", "edit", &case, "--set", "title=Same"][..],
        &["case", "edit", &case, "--set", "title=Same", "--set", "district="],
        &["case", "assign", &case, "--to", "none"],
    ] {
        let said = story.program.expect(65, args);
        assert!(said.text.is_empty() && said.errors.contains("nothing would change"), "{said:?}");
    }
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 1);
}

/// Marks that mean something to a database are looked for as they are.
#[test]
fn a_search_is_literal() {
    let story = Story::begins();
    story.creates("Rent up 50 % in Mill Lane");
    story.creates("Heaters");
    for (query, count) in [("%", 1), ("rent %", 1), ("heaters %", 0), ("_", 0), ("'", 0), ("%_'", 0), ("", 2)] {
        let found = story.json(&["case", "list", "--query", query]);
        assert_eq!(found.as_array().unwrap().len(), count, "{query}");
    }
}

/// A failure after the commit is no "not saved": who repeats it has it twice.
#[cfg(feature = "failpoints")]
#[test]
fn what_is_saved_is_said_to_be_saved() {
    let story = Story::begins();
    let case = story.creates("Saved");
    let failing = Program::in_home(&story.program.home).with("ONCEOVER_FAILPOINT", Some("after-outbox-write=forever"));
    let said = failing.expect(0, &["note", "add", &case, "--text", "once", "--json"]);
    assert_eq!(said.json["state"], "queued");
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 2);
}

/// A revoked session ends `sync --watch` by itself: nobody can sign in while it owns the profile.
#[test]
fn watching_ends_when_the_session_is_revoked() {
    let story = Story::begins();
    let watching = story.program.command(&["sync", "--watch", "--timeout-s", "60"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while story.json(&["status"])["last_pull_at"].is_null() {
        assert!(Instant::now() < deadline, "it reads the feed");
    }
    story.server.admin(&["user", "revoke", "--tenant", TENANT, "--username", "mara"], "");
    let output = watching.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(77), "{errors}");
    assert!(errors.contains("the server ended this account's sessions"), "{errors}");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_read_and_not_touched() {
    let story = Story::begins();
    story.creates("Waits");
    let database = store_file(&story.program);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&database);
    let mut db = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let insert = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
                  values (9999, 'of the future', true, x'00', 0)";
    sqlx::query(insert).execute(&mut db).await.unwrap();
    sqlx::Connection::close(db).await.unwrap();

    for args in [&["case", "create", "--title", "x", "--kind", "other"][..], &["sync"]] {
        let said = story.program.expect(73, args);
        assert!(said.errors.contains("newer version"), "{said:?}");
    }
    assert!(story.program.expect(73, &["doctor"]).text.contains("newer version"));
    assert_eq!(story.json(&["outbox", "list"]).as_array().unwrap().len(), 1, "the open row is there");
    for args in [&["status"][..], &["outbox", "list"]] {
        let said = story.program.expect(0, args);
        assert!(said.errors.contains("newer version"), "{said:?}");
    }
}

#[test]
fn a_signed_in_profile_in_order_is_all_ok() {
    let story = Story::begins();
    story.json(&["sync"]);
    let findings = story.json(&["doctor"]);
    let findings = findings.as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["level"] == "ok"), "{findings:?}");
    for check in
        ["profile", "disk", "lock", "account", "vault", "sqlite", "integrity", "schema", "session", "server", "clock"]
    {
        assert!(findings.iter().any(|finding| finding["check"] == check), "{check}");
    }
}

/// Nothing that lies in the profile holds a secret or, in the logs, a case text.
#[test]
fn no_secret_lies_in_the_profile() {
    let story = Story::begins();
    let case = story.creates("Title that is no log text");
    story.json(&["note", "add", &case, "--text", "Note that is no log text"]);
    story.json(&["sync"]);
    let mut folders = vec![story.program.home.clone()];
    let mut logs = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
            assert!(!holds(PASSWORD) && !holds(PASSPHRASE) && !holds("refresh_token"), "{path:?}");
            if path.extension().is_some_and(|extension| extension == "log") {
                logs += 1;
                assert!(holds("signed in") && !holds("no log text"), "{path:?}");
            }
        }
    }
    assert_eq!(logs, 1);
}

/// `sync --watch` owns the profile: it delivers in the background, everything can be looked at meanwhile, and it ends
/// with the code of what is left.
#[cfg(unix)]
#[test]
fn watching_delivers_until_it_is_told_to_end() {
    let story = Story::begins();
    story.creates("Goes by itself");
    let watching = story.program.command(&["sync", "--watch", "--json"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while story.json(&["status"])["open"] != 0 {
        assert!(Instant::now() < deadline, "it delivers by itself");
    }
    for args in [&["case", "list"][..], &["outbox", "list", "--all"], &["doctor"]] {
        story.json(args);
    }
    let refused = story.program.expect(75, &["case", "create", "--title", "x", "--kind", "other"]);
    assert!(refused.errors.contains(&format!("process {}", watching.id())), "{refused:?}");

    let told = Command::new("kill").args(["-TERM", &watching.id().to_string()]).status().unwrap();
    assert!(told.success());
    let output = watching.wait_with_output().unwrap();
    let (document, errors) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success() && errors.contains("online: 0 open"), "{errors}");
    assert_eq!(serde_json::from_slice::<Value>(&document).unwrap()["open"], 0);
}

/// The keychain as vault, for real: what one call keeps there, the next one reads.
#[cfg(unix)]
#[test]
fn the_session_is_kept_in_the_keychain() {
    for program in ["dbus-run-session", "gnome-keyring-daemon"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            eprintln!("skipped: {program} is not installed");
            return;
        }
    }
    let server = Server::started(&[("mara", "officer")]);
    let folder = tempfile::tempdir().unwrap();
    let program = Program::in_home(&folder.path().join("profile"));
    let script = format!(
        "set -e; printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
         printf '{PASSWORD}' | \"$0\" \"$@\" sign-in --server {} --tenant {TENANT} --username mara --password-stdin
         \"$0\" \"$@\" case create --title 'Kept session' --kind other
         \"$0\" \"$@\" sync
         \"$0\" \"$@\" doctor",
        server.url()
    );
    let mut command = Command::new("dbus-run-session");
    command.args(["--", "sh", "-c", &script, env!("CARGO_BIN_EXE_onceover"), "--home"]).arg(&program.home);
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, folder.path());
    }
    command.env_remove("ONCEOVER_VAULT").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 received") && said.contains("keychain, usable"), "{said}");
    assert!(!program.home.join("vault").exists());
}
