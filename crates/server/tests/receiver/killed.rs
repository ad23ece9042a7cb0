//! The real process, killed: in the middle of its work and at each of its boundaries.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Place;
use crate::support::process::{Process, run, set_up};
use crate::support::{Person, Sent, a_case, command, id, soak};

/// How often each command is in the audit as committed.
fn commits(place: &Place, command: &str) -> usize {
    let output = run(place, &["audit", "--tenant", "acme", "--command", command, "--json"], "");
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    rows.as_array().unwrap().iter().filter(|row| row["result"] == "committed").count()
}

/// How often it is killed.
const KILLS: u64 = 10;

/// What `person` is told of `sent` before it is sent again.
async fn state(person: &Person, sent: &Sent) -> Value {
    person.get(&format!("/v1/operations/{}?key={}", sent.id(), sent.key)).await.json()["state"].clone()
}

/// CASES S8, S20: killed in mid-load again and again, at any moment; every command retried with its key has one effect,
/// and a look-up says before the retry what the retry then shows.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_killed_under_load_applies_each_command_once() {
    let place = Place::new();
    set_up(&place);
    let create = a_case("t");
    let mut server = Process::start(&place);
    assert_eq!(server.sign_in().await.send(&create).await.status, 201);
    let (mut notes, mut in_doubt): (Vec<Sent>, Vec<Sent>) = (Vec::new(), Vec::new());
    for round in 0..KILLS * soak() {
        let ana = server.sign_in().await;
        let fresh: Vec<Sent> = (0..30).map(|_| command("note.add", &create.target(), json!({ "note_id": id(), "text": "x" }))).collect();
        notes.extend(fresh.iter().cloned());
        let mut tasks = JoinSet::new();
        // Those in doubt are asked about first, then sent again; and all beside the new ones.
        for (sent, was_sent) in in_doubt.drain(..).map(|sent| (sent, true)).chain(fresh.into_iter().map(|sent| (sent, false))) {
            let before = if was_sent { Some(state(&ana, &sent).await) } else { None };
            let ana = ana.clone();
            tasks.spawn(async move {
                let reply = ana.try_send(&sent).await;
                if let (Some(reply), Some(before)) = (&reply, before) {
                    let expected = if reply.is_replayed() { "committed" } else { "not_seen" };
                    assert_eq!((reply.status, before), (201, json!(expected)), "{}", reply.body);
                }
                (sent, reply.is_some_and(|reply| reply.status == 201))
            });
        }
        // Killed when some have been answered, and a moment later that is never the same.
        let mut heard = 0;
        while heard < round % 8 && let Some(done) = tasks.join_next().await {
            let (sent, is_done) = done.unwrap();
            heard += u64::from(is_done);
            in_doubt.extend((!is_done).then_some(sent));
        }
        let moment = std::time::Duration::from_micros(id().bytes().map(u64::from).sum::<u64>() * 37 % 20_000);
        let rest = async {
            while let Some(done) = tasks.join_next().await {
                let (sent, is_done) = done.unwrap();
                in_doubt.extend((!is_done).then_some(sent));
            }
        };
        let _ = tokio::time::timeout(moment, rest).await;
        server.kill();
        while let Some(done) = tasks.join_next().await {
            let (sent, is_done) = done.unwrap();
            in_doubt.extend((!is_done).then_some(sent));
        }
        server = Process::start(&place);
    }
    let ana = server.sign_in().await;
    for note in &in_doubt {
        assert_eq!(ana.send(note).await.status, 201);
    }
    let output = run(&place, &["audit", "--tenant", "acme", "--json"], "");
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of_commands = rows.as_array().unwrap().iter().filter(|row| row["idempotency_key"] != "");
    let committed = of_commands.filter(|row| row["result"] == "committed");
    let committed: Vec<&str> = committed.map(|row| row["command_id"].as_str().unwrap()).collect();
    for sent in notes.iter().chain([&create]) {
        assert_eq!(committed.iter().filter(|id| **id == sent.id()).count(), 1);
    }
    assert_eq!(committed.len(), notes.len() + 1);
    let output = run(&place, &["check"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains(&format!("{} notes", notes.len())));
}

/// CASES S8, S19, S20: at each boundary the process dies, or the database fails, and the first retry decides.
#[cfg(feature = "failpoints")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn at_each_boundary_the_first_retry_gets_the_one_effect() {
    for (point, dies, is_replay) in [
        ("during-dedupe-read", true, false),
        ("before-commit", true, false),
        ("after-commit-before-reply", true, true),
        ("during-dedupe-read=once", false, false),
        ("before-commit=once", false, false),
        ("after-commit-before-reply=once", false, true),
        ("drop-answer=once", false, true),
    ] {
        let place = Place::new();
        set_up(&place);
        let mut server = Process::try_start(&place, &[("ONCEOVER_FAILPOINT", point)]).unwrap();
        let mut ana = server.sign_in().await;
        let create = a_case("t");
        match ana.try_send(&create).await {
            None => assert!(dies || is_replay, "{point}"),
            Some(reply) => reply.assert_problem(503, "temporarily-unavailable"),
        }
        if dies {
            assert!(!server.wait().success(), "{point}");
            server = Process::start(&place);
            ana = server.sign_in().await;
        }
        let retry = ana.send(&create).await;
        assert_eq!((retry.status, retry.is_replayed()), (201, is_replay), "{point}: {}", retry.body);
        assert_eq!(commits(&place, &create.id()), 1, "{point}");
        assert!(run(&place, &["check"], "").status.success(), "{point}");
    }
}
