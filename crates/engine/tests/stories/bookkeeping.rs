//! Between the server's commit and this computer's.

use domain::CaseField;
use onceover_engine::delivery::{DeliveryEvent, Hold, StateName};
use onceover_engine::ports::{Clock, Guard, StepCause};
use onceover_engine::testing::Fault;
use onceover_engine::testing::build::{COLLEAGUE, a_case, assign, case_id, create, edit, note};
use onceover_engine::view::{Mark, Reason, Scope};
use onceover_engine::{Intent, SyncOptions};

use crate::support::Computer;

const AT_ONCE: SyncOptions = SyncOptions { deadline_ms: 1, ignore_backoff: false };

/// CASES A7: the form comes back after a restart and is sent again: the same intent, one case, and the person hears it.
#[tokio::test]
async fn a_restored_form_is_the_same_intent() {
    let mut computer = Computer::new().await;
    let intent = Intent { intent_id: computer.new_id(), case_id: None, payload: create("New case") };
    let first = computer.engine.save(intent.clone()).await.unwrap();
    assert!(!first.already_saved);
    computer.restart().await;
    let again = computer.engine.save(intent.clone()).await.unwrap();
    assert!(again.already_saved);
    assert_eq!((again.case_id, again.command_id), (first.case_id, first.command_id));
    computer.sync().await;
    let after = computer.engine.save(intent).await.unwrap();
    assert!(after.already_saved);
    computer.sync().await;
    assert_eq!(computer.effects_of(first.command_id), 1);
    assert_eq!(computer.server.effects().len(), 1);
}

/// CASES B1: the disk is full when the receipt comes. The row is not lost, not failed, and there is one effect; a
/// person reads that the server has it.
#[tokio::test]
async fn a_receipt_that_could_not_be_stored_is_stored_later() {
    for restarts in [false, true] {
        let mut computer = Computer::new().await;
        let saved = computer.save(1, note(1, "x")).await;
        computer.server.shut_gate(true);
        let (engine, disk) = (computer.engine.clone(), computer.disk.clone());
        let syncing = async { engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: false }).await };
        let filling = async {
            crate::support::until("the send mark is down", || disk.rows()[0].delivery.name() == StateName::Sending)
                .await;
            disk.fill_up_for(1);
            computer.server.shut_gate(false);
        };
        let (failed, ()) = tokio::join!(syncing, filling);
        assert!(failed.is_err(), "a full disk is said, not swallowed");
        assert_eq!(computer.state(saved.command_id), StateName::Sending);
        let marked = &computer.shown(case_id(1)).await.pending[0];
        assert_eq!((marked.mark, &marked.reason), (Mark::ReceivedSavingHere, &Reason::Received));
        assert_eq!(computer.list_mark(case_id(1)).await, Some(Mark::ReceivedSavingHere));
        let told = computer.signals.take();
        assert_eq!(told.last().map(|signal| signal.scope), Some(Scope::Link), "windows hear of it: {told:?}");
        if restarts {
            computer.restart().await;
            assert_eq!(computer.state(saved.command_id), StateName::Unknown);
        }
        computer.sync().await;
        assert_eq!(computer.state(saved.command_id), StateName::Acked);
        assert_eq!(computer.effects_of(saved.command_id), 1);
        assert_eq!(computer.list_mark(case_id(1)).await, None);
    }
}

/// CASES C8: a full disk at enqueue is an error before "saved", with no optimistic change.
#[tokio::test]
async fn a_full_disk_is_said_before_saved() {
    let computer = Computer::new().await;
    computer.disk.fill_up_for(1);
    let intent = Intent { intent_id: computer.new_id(), case_id: Some(case_id(1)), payload: note(1, "x") };
    let full = computer.engine.save(intent.clone()).await;
    assert!(matches!(full, Err(onceover_engine::EngineError::Store(onceover_engine::ports::StoreError::Full))));
    assert!(computer.shown(case_id(1)).await.pending.is_empty());
    computer.engine.save(intent).await.unwrap();
}

/// An edit that changes nothing is not saved: it would raise the revision for nothing.
#[tokio::test]
async fn an_edit_that_changes_nothing_is_refused() {
    let computer = Computer::new().await;
    let title = edit(CaseField::Title, "Blocked drain", "Blocked drain");
    for payload in [title, assign(Some(COLLEAGUE), Some(COLLEAGUE)), assign(None, None)] {
        let intent = Intent { intent_id: computer.new_id(), case_id: Some(case_id(1)), payload };
        let refused = computer.engine.save(intent).await.unwrap_err();
        assert!(refused.to_string().contains("nothing would change"), "{refused}");
    }
    assert!(computer.disk.rows().is_empty());
}

/// CASES F4: a pull lands before the answer; the screen keeps the pending value with its mark, then shows it received.
#[tokio::test]
async fn a_pull_before_the_answer_keeps_the_pending_value() {
    let computer = Computer::new().await;
    computer.save(1, edit(CaseField::Address, "", "3 Mill Lane")).await;
    let mut theirs = a_case(1, "Blocked drain, deep");
    theirs.revision = domain::Revision(2);
    computer.server.put_case(&theirs);
    computer.engine.pull().await.unwrap();
    let detail = computer.shown(case_id(1)).await;
    assert_eq!(
        (detail.case.title.as_str(), detail.case.address.as_deref()),
        ("Blocked drain, deep", Some("3 Mill Lane"))
    );
    assert_eq!((detail.pending_fields, detail.pending[0].mark), (vec!["address".to_owned()], Mark::SavedHere));
    computer.sync().await;
    let detail = computer.shown(case_id(1)).await;
    assert_eq!(detail.case.address.as_deref(), Some("3 Mill Lane"));
    assert!(detail.pending.is_empty() && detail.pending_fields.is_empty());
    assert_eq!(detail.base, computer.server.case(case_id(1)));
}

/// CASES D4: *claimed* and *sending* rows of a dead process go on by its epoch, without waiting for anything.
#[tokio::test]
async fn what_a_dead_process_left_goes_on() {
    let mut computer = Computer::new().await;
    let first = computer.save(1, note(1, "x")).await;
    computer.server.shut_gate(true);
    let engine = computer.engine.clone();
    let sending = tokio::spawn(async move { engine.sync_once(AT_ONCE).await });
    crate::support::until("the send mark is down", || computer.state(first.command_id) == StateName::Sending).await;
    sending.abort();
    drop(sending.await);
    assert_eq!(computer.state(first.command_id), StateName::Sending, "nobody was there to record anything");
    computer.server.shut_gate(false);
    computer.restart().await;
    assert_eq!(computer.state(first.command_id), StateName::Unknown);
    computer.sync().await;
    assert_eq!(computer.state(first.command_id), StateName::Acked);
    assert_eq!(computer.effects_of(first.command_id), 1);
}

/// CASES A10, F3: the server's number comes to the row we have; a second edit builds on the first one's result.
#[tokio::test]
async fn a_new_case_is_the_same_case_with_a_number() {
    let computer = Computer::new().await;
    let intent = Intent { intent_id: computer.new_id(), case_id: None, payload: create("Cellar") };
    let saved = computer.engine.save(intent).await.unwrap();
    let title = edit(CaseField::Title, "Cellar", "Wet cellar");
    let intent = Intent { intent_id: computer.new_id(), case_id: Some(saved.case_id), payload: title };
    computer.server.will([Fault::LostAnswer]);
    computer.engine.save(intent).await.unwrap();
    computer.sync().await;
    let page = computer.engine.store();
    let query = onceover_engine::view::CaseQuery { limit: 100, ..Default::default() };
    let rows = page.case_page(query, computer.engine.ambient()).await.unwrap().rows;
    let ours: Vec<_> = rows.iter().filter(|row| row.id == saved.case_id).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!((ours.len(), ours[0].title.as_str(), ours[0].number.is_some()), (1, "Wet cellar", true));
}

/// Invariant R20: what was read back from a damaged store goes when a person puts that row back, not with all the others.
#[tokio::test]
async fn a_row_held_for_a_person_is_put_back_alone() {
    let computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    let (store, now) = (computer.engine.store(), computer.clock.now());
    let token = computer.new_id();
    let row = store.claim(now, 1, false, &|| token).await.unwrap().remove(0);
    let cause = || StepCause { error: None, not_before: None, at: now };
    let guard = Guard::Claim(row.delivery.claim().unwrap());
    store.step(row.command_id, guard, DeliveryEvent::SendMarked { now }, cause()).await.unwrap().unwrap();
    let held = DeliveryEvent::NotApplied { due_at: None, hold: Hold::Person };
    store.step(row.command_id, guard, held, cause()).await.unwrap().unwrap();
    assert_eq!(computer.engine.retry_all().await.unwrap(), 0);
    computer.sync().await;
    assert_eq!(computer.state(saved.command_id), StateName::RetryableFailed);
    computer.engine.retry(saved.command_id).await.unwrap();
    computer.sync().await;
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
}
