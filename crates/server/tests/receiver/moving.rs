//! A whole server moves from SQLite to PostgreSQL: nothing is lost, nothing is half there.

use std::fs;
use std::process::Output;
use std::time::Duration;

use domain::Role;
use onceover_server::storage::{AuditFilter, Storage};
use serde_json::{Value, json};

use crate::support::database::{Place, Postgres, Sqlite, postgres};
use crate::support::process::run;
use crate::support::server::Server;
use crate::support::{Person, Sent, a_case, command, id, with_expected};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[track_caller]
fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn assert_refused(output: &Output, code: i32, words: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.contains(words), "{error}");
}

/// Everything that can be done to a case, and what a supervisor does, each committed once.
async fn all_operations(sue: &Person, bob: &Person) -> Vec<Sent> {
    let create = a_case("Wasserschaden \u{1F6BF} \u{202e}x\"\\ \t\u{7f}");
    let case = create.target();
    let (note, task) = (id(), id());
    let at = |revision: u32| json!({ "revision": revision });
    let mut all = vec![
        create,
        command("case.edit", &case, json!({ "changes": { "district": { "from": null, "to": "Süd" } } })),
        with_expected("case.transition", &case, json!({ "to": "under_review", "reason_code": "x" }), at(2)),
        command("case.assign", &case, json!({ "from": null, "to": bob.actor_id() })),
        command("tag.add", &case, json!({ "tag": "a" })),
        command("tag.remove", &case, json!({ "tag": "a" })),
        command("note.add", &case, json!({ "note_id": note, "text": "line\nline \u{2028} \u{fffd} é e\u{301}" })),
        command("note.redact", &case, json!({ "note_id": note, "reason": "privacy" })),
        command("task.add", &case, json!({ "task_id": task, "title": "look" })),
        command("task.set_done", &case, json!({ "task_id": task, "done": true })),
        command("time.log", &case, json!({ "entry_id": id(), "minutes": 30, "worked_on": "2026-11-29" })),
        command(
            "inspection.record",
            &case,
            json!({ "inspection_id": id(), "kind": "site", "inspected_on": "2026-11-29", "outcome": "fail",
                    "findings": [{ "text": "wet", "severity": "major" }] }),
        ),
        with_expected(
            "notice.issue",
            &case,
            json!({ "notice_id": id(), "kind": "order", "recipient": "Owner", "body": "Repair it." }),
            at(4),
        ),
        with_expected("case.archive", &case, json!({ "reason": "done" }), at(4)),
        with_expected("case.restore", &case, json!({ "reason": "not done" }), at(5)),
    ];
    for sent in &all {
        let reply = sue.send(sent).await;
        assert!(matches!(reply.status, 200 | 201), "{}: {}", sent.key, reply.body);
    }
    let told = bob.feed().await.into_iter().find(|item| item["type"] == "notification").unwrap();
    let told = told["id"].as_str().unwrap();
    let read = command(
        "notification.read",
        told,
        json!({
            "notification_id": told, "read_at": "2026-11-30T09:13:00.000Z"
        }),
    );
    let read = read.with("target", json!({ "type": "notification", "id": told }));
    let reply = bob.send(&read).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    all.push(read);
    all
}

/// What is answered to each, as it is answered again: status and body.
async fn replays(sue: &Person, bob: &Person, sent: &[Sent]) -> Vec<(u16, String)> {
    let mut replays = Vec::new();
    for sent in sent {
        let person = if sent.key.starts_with("notification.read") { bob } else { sue };
        let reply = person.send(sent).await;
        assert!(reply.is_replayed(), "{}: {}", sent.key, reply.body);
        replays.push((reply.status, reply.body));
    }
    replays
}

/// The file of this place, past everything that guards it.
async fn place_of(place: &Place<Sqlite>) -> sqlx::SqliteConnection {
    let url = format!("sqlite:{}", place.file("server.db").display());
    <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.unwrap()
}

async fn audit(storage: &dyn Storage, slug: &str) -> Vec<String> {
    let tenant = storage.tenant_of(slug).await.unwrap().unwrap();
    let rows = storage.audit(tenant, AuditFilter { command: None, target: None }).await.unwrap();
    rows.iter().map(|row| format!("{row:?}")).collect()
}

/// Sixteen operations, refusals, a sealed key, answers that were reduced, a tombstone, a webhook that waits and two
/// tenants: after the move the same keys get the same bytes, and everybody reads the same feed in the same order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_has_moved_answers_as_before() {
    let server: Server<Sqlite> = Server::start().await;
    let (sue, bob) =
        (server.person("acme", "sue", Role::Supervisor).await, server.person("acme", "bob", Role::Officer).await);
    let add = ["webhook", "add", "--tenant", "acme", "--url", "http://127.0.0.1:9/hook", "--secret-stdin"];
    succeeds(&run(&*server.place, &[&add[..], &["--allow-private"]].concat(), SECRET));
    let listed = succeeds(&run(&*server.place, &["webhook", "list", "--tenant", "acme", "--json"], ""));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let endpoint = listed[0]["endpoint_id"].as_str().unwrap();
    let rotate = ["webhook", "rotate", "--tenant", "acme", "--id", endpoint, "--secret-stdin"];
    succeeds(&run(&*server.place, &rotate, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDc2FVsBQIhrs="));
    let old = all_operations(&sue, &bob).await;
    // Old answers are reduced, and what was read expires.
    server.turn_clock(Duration::from_hours(24 * 200));
    server.purge().await;
    let (sue, bob) = (server.sign_in("acme", "sue").await, server.sign_in("acme", "bob").await);
    let zoe = server.person("other", "zoe", Role::Officer).await;
    let (fresh, elsewhere) = (a_case("fresh"), a_case("elsewhere"));
    assert_eq!((sue.send(&fresh).await.status, zoe.send(&elsewhere).await.status), (201, 201));
    let stale = command("case.edit", &fresh.target(), json!({ "changes": { "title": { "from": "x", "to": "y" } } }));
    sue.send(&stale).await.assert_problem(412, "revision-conflict");
    let sealed = command("tag.add", &fresh.target(), json!({ "tag": "never" }));
    let path = format!("/v1/operations/{}/seal?key={}", sealed.id(), sealed.key);
    assert_eq!(sue.post(&path, &json!({})).await.status, 200);
    let sent: Vec<Sent> = old.into_iter().chain([fresh, stale, sealed]).collect();
    let answers = replays(&sue, &bob, &sent).await;
    let feeds = [sue.feed().await, bob.feed().await, zoe.feed().await];
    assert!(feeds[1].iter().any(|item| item["deleted"] == true), "a tombstone");
    let cursor = sue.get("/v1/changes").await.json()["cursor"].as_str().unwrap().to_owned();
    let audits = [audit(&*server.storage, "acme").await, audit(&*server.storage, "other").await];
    let hooks = succeeds(&run(&*server.place, &["webhook", "list", "--tenant", "acme", "--json"], ""));

    let place: Place<Postgres> = Place::new();
    let backup = place.file("monday.db");
    server.storage.backup(&backup).await.unwrap();
    fs::copy(server.place.file("server.db.key"), place.file("onceover.key")).unwrap();
    let told = succeeds(&run(&place, &["restore", "monday.db"], ""));
    assert!(told.contains("2 tenants"), "{told}");
    succeeds(&run(&place, &["check"], ""));
    assert_eq!(succeeds(&run(&place, &["webhook", "list", "--tenant", "acme", "--json"], "")), hooks);
    let (mut there, here) = (place_of(&server.place).await, &place.kind().0.name);
    let sealed = "select hex(secret) || hex(former_secret) from webhook_endpoint";
    let sealed: String = sqlx::query_scalar(sealed).fetch_one(&mut there).await.unwrap();
    let taken = "select upper(encode(secret, 'hex') || encode(former_secret, 'hex')) from webhook_endpoint";
    assert_eq!(postgres().sql(here, taken).unwrap(), sealed);
    assert_refused(&run(&place, &["restore", "monday.db"], ""), 65, "holds tenants already");
    let left: Vec<_> = fs::read_dir(place.file("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("monday.db.")), "{left:?}");

    let moved = server.moved(place).await;
    for (slug, before) in ["acme", "other"].into_iter().zip(&audits) {
        let after = audit(&*moved.storage, slug).await;
        assert_eq!(&after[..before.len()], &before[..]);
        assert!(after.len() == before.len() + 1 && after[before.len()].contains("new-epoch"), "{slug}");
    }
    sue.at(&moved).get("/v1/session").await.assert_problem(401, "session-revoked");
    let [sue, bob, zoe] =
        [moved.sign_in("acme", "sue").await, moved.sign_in("acme", "bob").await, moved.sign_in("other", "zoe").await];
    assert_eq!([sue.feed().await, bob.feed().await, zoe.feed().await], feeds);
    sue.get(&format!("/v1/changes?cursor={cursor}")).await.assert_problem(410, "cursor-expired");
    assert_eq!(replays(&sue, &bob, &sent).await, answers);
    let next = a_case("next");
    assert_eq!(sue.send(&next).await.status, 201);
    let number = sue.entity("case", &next.target()).await.unwrap()["number"].as_str().unwrap().to_owned();
    assert_eq!(number, "2027-001002", "no number is given again");
    moved.assert_whole().await;
}

/// Whatever is wrong, it is said, and the database is as empty as before.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_cannot_be_moved_as_a_whole_is_not_moved() {
    let server: Server<Sqlite> = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    ana.send(&a_case("t")).await;
    let add = ["webhook", "add", "--tenant", "acme", "--url", "http://127.0.0.1:9/hook", "--secret-stdin"];
    succeeds(&run(&*server.place, &[&add[..], &["--allow-private"]].concat(), SECRET));
    let place: Place<Postgres> = Place::new();
    let good = place.file("good.db");
    server.storage.backup(&good).await.unwrap();
    for (name, sql) in [
        ("newer.db", "insert into _sqlx_migrations values (9999, 'later', '2026-01-01', 1, x'00', 0)"),
        ("holes.db", "update tenant set feed_head = 0"),
        ("more.db", "alter table actor add column later text"),
        ("table.db", "create table later (tenant_id text) strict"),
        ("nul.db", "update session set device_name = 'a' || char(0) || 'b'"),
    ] {
        fs::copy(&good, place.file(name)).unwrap();
        let url = format!("sqlite:{}", place.file(name).display());
        let mut connection = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        sqlx::Connection::close(connection).await.unwrap();
    }
    fs::write(place.file("picture"), [7; 9000]).unwrap();
    fs::write(place.file("dump"), b"PGDMP and so on").unwrap();
    let refusals = |words: &[(&str, i32, &str)]| {
        for (file, code, words) in words {
            assert_refused(&run(&place, &["restore", file], ""), *code, words);
        }
        assert_eq!(postgres().sql(&place.kind().0.name, "select count(*) from directory").unwrap(), "0");
    };
    refusals(&[("good.db", 65, "do not open with the key onceover.key")]);
    fs::write(place.file("onceover.key"), [9; 32]).unwrap();
    refusals(&[("good.db", 65, "do not open with the key onceover.key")]);
    fs::copy(server.place.file("server.db.key"), place.file("onceover.key")).unwrap();
    refusals(&[
        ("nowhere.db", 65, "there is no backup"),
        ("picture", 65, "is not a backup"),
        ("dump", 64, "pg_restore"),
        ("newer.db", 65, "it has schema 9999"),
        ("holes.db", 65, "is not whole"),
        ("more.db", 73, "actor.later has no place"),
        ("table.db", 73, "later.tenant_id has no place"),
        ("nul.db", 73, "session: "),
    ]);
    assert_refused(&run(&place, &["restore", "good.db", "--force"], ""), 64, "without --force");
    let told = succeeds(&run(&place, &["restore", "good.db"], ""));
    assert!(told.contains("1 tenants") && told.contains("1 cases"), "{told}");
    let rows = succeeds(&run(&place, &["audit", "--tenant", "acme", "--json"], ""));
    assert!(serde_json::from_str::<Vec<Value>>(&rows).unwrap().len() >= 3, "{rows}");
}
