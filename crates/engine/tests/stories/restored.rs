//! The server is put back to an earlier time.

use domain::{CaseField, CommandId};
use onceover_engine::delivery::{Hold, StateName};
use onceover_engine::testing::Fault;
use onceover_engine::testing::build::{case_id, create, edit, note, tag};
use onceover_engine::view::{Mark, Reason};
use onceover_engine::{Intent, SyncOptions};

use crate::support::Computer;

/// Two changes that the server keeps, a backup, five that are received after it, and the server back at the backup.
async fn put_back(computer: &Computer) -> (Vec<CommandId>, Vec<CommandId>) {
    let mut kept = Vec::new();
    for payload in [note(1, "kept"), tag("kept")] {
        kept.push(computer.save(1, payload).await.command_id);
    }
    computer.sync().await;
    let backup = computer.server.backup();
    let intent = Intent { intent_id: computer.new_id(), case_id: None, payload: create("Cellar") };
    let new_case = computer.engine.save(intent).await.unwrap();
    let mut lost = vec![new_case.command_id];
    let on_new_case = edit(CaseField::Title, "Cellar", "Wet cellar");
    let intent = Intent { intent_id: computer.new_id(), case_id: Some(new_case.case_id), payload: on_new_case };
    lost.push(computer.engine.save(intent).await.unwrap().command_id);
    lost.push(computer.save(1, edit(CaseField::Address, "", "3 Mill Lane")).await.command_id);
    lost.push(computer.save(1, note(2, "lost")).await.command_id);
    lost.push(computer.save(2, tag("lost")).await.command_id);
    computer.sync().await;
    for command in kept.iter().chain(&lost) {
        assert_eq!(computer.state(*command), StateName::Acked);
        assert!(computer.row(*command).projected);
    }
    computer.server.restore(backup);
    computer.server.take_log();
    (kept, lost)
}

/// CASES B4: the server is put back to before five answers. The five come to a person; nothing of them is sent again by
/// itself, nothing is forgotten, and what is sent again goes under its old key.
#[tokio::test]
async fn what_a_restored_server_no_longer_has_comes_to_a_person() {
    let mut computer = Computer::new().await;
    let (kept, lost) = put_back(&computer).await;
    let report = computer.sync().await;
    assert_eq!((report.sent, report.open, report.needs_attention), (0, 5, 5));
    for command in &kept {
        assert_eq!(computer.state(*command), StateName::Acked);
    }
    for command in &lost {
        let row = computer.row(*command);
        assert_eq!((row.delivery.name(), row.delivery.hold()), (StateName::RetryableFailed, Some(Hold::Person)));
    }
    let line = computer.shown(case_id(2)).await.pending.remove(0);
    assert!(matches!((line.mark, line.reason), (Mark::MissingAgain, Reason::MissingAgain { .. })));
    let case = computer.shown(case_id(1)).await.case;
    assert_eq!(case.address.as_deref(), Some("3 Mill Lane"), "what the person did does not vanish from the screen");

    // Neither time, nor a restart, nor "send everything now" sends any of it.
    computer.restart().await;
    computer.engine.retry_all().await.unwrap();
    computer.sync().await;
    computer.sync().await;
    assert_eq!(computer.commands_sent(), Vec::<CommandId>::new());

    let keys: Vec<_> = lost.iter().map(|command| computer.row(*command).key).collect();
    for command in &lost[..4] {
        computer.engine.retry(*command).await.unwrap();
    }
    computer.engine.discard(lost[4], false).await.unwrap();
    computer.sync().await;
    for (command, key) in lost[..4].iter().zip(&keys) {
        assert_eq!(computer.state(*command), StateName::Acked);
        assert_eq!((computer.effects_of(*command), &computer.row(*command).key), (1, key));
    }
    assert_eq!(computer.effects_of(lost[4]), 0);
    assert_eq!(computer.sync().await.open, 0);
    assert_eq!(computer.shown(case_id(1)).await.base, computer.server.case(case_id(1)));
}

/// The connection goes, or the program ends, while the server is asked about what was received: it is asked again.
#[tokio::test]
async fn asking_about_what_was_received_is_taken_up_again() {
    let mut computer = Computer::new().await;
    let (_, lost) = put_back(&computer).await;
    computer.server.always(Some(Fault::LostAnswer));
    let options = SyncOptions { deadline_ms: 1, ignore_backoff: false };
    computer.engine.sync_once(options).await.unwrap();
    computer.restart().await;
    computer.server.always(None);
    assert_eq!(computer.sync().await.needs_attention, 5);
    for command in lost {
        assert_eq!(computer.state(command), StateName::RetryableFailed);
    }
}

/// The wrong backup was put back, and then the right one: what is there again needs nobody's decision, and has one effect.
#[tokio::test]
async fn what_the_server_has_again_is_not_missing_any_more() {
    let computer = Computer::new().await;
    let (older, saved) = (computer.server.backup(), computer.save(1, note(1, "x")).await);
    computer.sync().await;
    let newer = computer.server.backup();
    computer.server.restore(older);
    assert_eq!(computer.sync().await.needs_attention, 1);
    computer.server.restore(newer);
    let report = computer.sync().await;
    assert_eq!((report.needs_attention, report.open), (0, 0));
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
    assert_eq!(computer.effects_of(saved.command_id), 1);
}

/// A later change of a case whose earlier one is missing again waits for the decision about that one.
#[tokio::test]
async fn what_builds_on_a_missing_change_waits_for_the_decision() {
    let computer = Computer::new().await;
    let (_, lost) = put_back(&computer).await;
    computer.sync().await;
    let later = computer.save(1, edit(CaseField::Address, "3 Mill Lane", "4 Mill Lane")).await;
    computer.sync().await;
    assert_eq!(computer.state(later.command_id), StateName::Queued);
    let waiting = computer.shown(case_id(1)).await.pending;
    let waiting = waiting.iter().find(|line| line.command_id == later.command_id).unwrap();
    assert!(matches!(waiting.reason, Reason::After { mark: Mark::MissingAgain, .. }), "{:?}", waiting.reason);
    for command in &lost[2..4] {
        computer.engine.retry(*command).await.unwrap();
    }
    computer.sync().await;
    assert_eq!(computer.state(later.command_id), StateName::Acked);
    assert_eq!(computer.server.case(case_id(1)).unwrap().address.as_deref(), Some("4 Mill Lane"));
}

/// A server that was never put back is not asked about what it confirmed.
#[tokio::test]
async fn the_same_epoch_asks_nothing() {
    let computer = Computer::new().await;
    computer.save(1, note(1, "x")).await;
    computer.sync().await;
    computer.sync().await;
    let asked = computer.server.take_log().into_iter().filter(|request| request.path == "/v1/operations/lookup");
    assert_eq!(asked.count(), 0);
}
