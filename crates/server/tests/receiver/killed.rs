//! The real process, killed: in the middle of its work and at each of its boundaries.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Place;
use crate::support::process::{Process, run, set_up};
use crate::support::{Person, Sent, a_case, command, id};

/// How often each command is in the audit as committed.
fn commits(place: &Place, command: &str) -> usize {
    let output = run(place, &["audit", "--tenant", "acme", "--command", command, "--json"], "");
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    rows.as_array().unwrap().iter().filter(|row| row["result"] == "committed").count()
}

/// CASES S8, S20: killed in mid-load again and again; every command retried with its key has one effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_killed_under_load_applies_each_command_once() {
    let place = Place::new();
    set_up(&place);
    let create = a_case("t");
    let mut server = Process::start(&place);
    assert_eq!(server.sign_in().await.send(&create).await.status, 201);
    let notes: Vec<Sent> = (0..120)
        .map(|n| command("note.add", &create.target(), json!({ "note_id": id(), "text": n.to_string() })))
        .collect();
    let mut answered = vec![false; notes.len()];
    for round in 0..4 {
        let ana = server.sign_in().await;
        let mut tasks = JoinSet::new();
        for (index, note) in notes.iter().enumerate().filter(|(index, _)| !answered[*index]) {
            let (ana, note): (Person, Sent) = (ana.clone(), note.clone());
            tasks.spawn(async move { (index, ana.try_send(&note).await.map(|reply| reply.status)) });
        }
        // Killed once some have been answered and others are on their way.
        let mut heard = 0;
        while let Some(done) = tasks.join_next().await {
            let (index, status) = done.unwrap();
            answered[index] |= status == Some(201);
            heard += usize::from(status == Some(201));
            if round < 3 && heard == 10 + round {
                break;
            }
        }
        if round < 3 {
            server.kill();
            while let Some(done) = tasks.join_next().await {
                let (index, status) = done.unwrap();
                answered[index] |= status == Some(201);
            }
            server = Process::start(&place);
        }
    }
    assert!(answered.iter().all(|answered| *answered));
    for note in &notes {
        assert_eq!(commits(&place, &note.id()), 1);
    }
    let output = run(&place, &["check"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("120 notes"));
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
