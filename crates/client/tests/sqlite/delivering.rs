//! Moving rows: claims, lost owners, decisions, content that is lost.

use domain::{CaseId, Status};
use engine::delivery::{Delivery, DeliveryEvent, Hold, KeptReceipt, ResolutionKind, StateName};
use engine::ports::{Decided, Guard, OutboxFilter, Store, StoreError};
use engine::view::{CaseQuery, Mark};

use crate::support::{
    AMBIENT, NOW, Place, a_case, attempt, because, case_item, claim, create, id, new_id, note, page, retitle, run,
    send, transition,
};

/// CASES D4: what a dead process left claimed is free again, what it left sending is in doubt, by its epoch alone.
#[tokio::test]
async fn what_a_dead_owner_left_is_freed_by_its_epoch() {
    let place = Place::new();
    let store = place.open().await;
    for n in 10..12 {
        store.accept(create(CaseId(id(n)), "t")).await.unwrap();
    }
    let (sent, _) = send(&store).await;
    let claimed = claim(&store, 5).await.remove(0);
    drop(store);
    let store = place.open().await;
    assert_eq!(store.recover(NOW).await.unwrap(), 2);
    let state = async |row| store.row(row).await.unwrap().unwrap().delivery.name();
    assert_eq!(state(claimed.command_id).await, StateName::Queued);
    assert_eq!(state(sent.command_id).await, StateName::Unknown);
    assert_eq!(store.recover(NOW).await.unwrap(), 0);
    assert_eq!(store.in_doubt(NOW, 10, false).await.unwrap().len(), 1);
}

/// CASES H4, invariant R11: whoever opened the store before writes nothing any more.
#[tokio::test]
async fn an_older_owner_writes_nothing() {
    let place = Place::new();
    let older = place.open().await;
    let case = CaseId(id(10));
    older.accept(create(case, "t")).await.unwrap();
    let (row, held) = send(&older).await;
    let newer = place.open().await;
    assert!(newer.owner().epoch > older.owner().epoch);

    let before = newer.versions().await.unwrap();
    assert_eq!(older.accept(note(case, "x")).await.unwrap_err(), StoreError::OwnerLost);
    let event = DeliveryEvent::OutcomeUnknown { ask_at: NOW };
    let step = older.step(row.command_id, Guard::Claim(held), event, because(Some("cut"))).await;
    assert_eq!(step.unwrap_err(), StoreError::OwnerLost);
    assert_eq!(older.claim(NOW, 5, true, &new_id).await.unwrap_err(), StoreError::OwnerLost);
    assert_eq!(older.apply(page(vec![], true)).await.unwrap_err(), StoreError::OwnerLost);
    assert_eq!(newer.versions().await.unwrap(), before);
    assert_eq!(newer.row(row.command_id).await.unwrap(), Some(row));
    newer.accept(note(case, "x")).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_transaction_open() {
    let place = Place::new();
    let store = place.open().await;
    let case = CaseId(id(10));
    store.accept(create(case, "t")).await.unwrap();
    for n in 0..200 {
        let mut accept = Box::pin(store.accept(note(case, &format!("n {n}"))));
        // Polled once: the job is handed in, nobody waits for it.
        assert!(futures_util::poll!(accept.as_mut()).is_pending());
        drop(accept);
        tokio::task::yield_now().await;
    }
    assert_eq!(store.counts(NOW).await.unwrap().open_cases, 1);
    store.accept(note(case, "last")).await.unwrap();
    assert_eq!(store.counts(NOW).await.unwrap().open, 202);
}

/// Invariant R18: the history, replayed, ends where the row is.
#[tokio::test]
async fn the_history_tells_every_step() {
    let place = Place::new();
    let store = place.open().await;
    let case = CaseId(id(10));
    store.accept(create(case, "t")).await.unwrap();
    let row = attempt(&store, DeliveryEvent::NotApplied { due_at: Some(NOW), hold: Hold::Time }, Some("busy")).await;
    assert_eq!((row.attempt, row.same_failures), (1, 1));
    let row = attempt(&store, DeliveryEvent::OutcomeUnknown { ask_at: NOW }, Some("timeout")).await;
    let receipt = DeliveryEvent::ReceiptValid(KeptReceipt::Withheld);
    let row =
        store.step(row.command_id, Guard::State(StateName::Unknown), receipt, because(None)).await.unwrap().unwrap();
    store.apply(page(vec![], true)).await.unwrap();
    let history = store.history(row.command_id).await.unwrap();
    let events: Vec<&str> = history.iter().map(|entry| entry.event.as_str()).collect();
    let sent = ["claimed_by", "send_marked"];
    assert_eq!(
        events,
        [&["accepted"][..], &sent, &["not_applied"], &sent, &["outcome_unknown", "receipt_valid", "projected"]]
            .concat()
    );
    assert_eq!(history[3].code.as_deref(), Some("busy"));
    assert!(history.windows(2).all(|pair| Some(pair[0].to) == pair[1].from));
    let row = store.row(row.command_id).await.unwrap().unwrap();
    assert_eq!(history.last().map(|entry| entry.to), Some(row.delivery.name()));
    assert!(row.projected);
}

/// CASES C7: content that no longer has its hash is shown as lost, held for a person, and never sent.
#[tokio::test]
async fn lost_content_is_shown_and_never_sent() {
    let place = Place::new();
    let store = place.open().await;
    let cases = [10, 11, 12].map(|n| CaseId(id(n)));
    let mut rows = Vec::new();
    for case in cases {
        rows.push(store.accept(create(case, "kept")).await.unwrap().row);
    }
    let mut db = place.raw().await;
    run(&mut db, "drop trigger outbox_sent_content_is_fixed").await.unwrap();
    run(&mut db, "update outbox set payload = replace(payload, 'kept', 'lost') where seq = 2").await.unwrap();
    run(&mut db, "update outbox set payload = '{\"tit' where seq = 3").await.unwrap();

    let claimed = claim(&store, 10).await;
    assert_eq!(claimed.iter().map(|row| row.seq).collect::<Vec<_>>(), [1]);
    for lost in &rows[1..] {
        let row = store.row(lost.command_id).await.unwrap().unwrap();
        assert_eq!((row.payload, row.delivery.name()), (None, StateName::Queued));
        let detail = store.outbox_detail(lost.command_id, AMBIENT).await.unwrap().unwrap();
        assert_eq!(detail.line.change.mark, Mark::ContentLost);
    }
    assert_eq!(store.counts(NOW).await.unwrap().needs_attention, 2);
    // Also after a restart, before anything is claimed.
    run(&mut db, "update outbox set content_lost = 0").await.unwrap();
    drop(store);
    let store = place.open().await;
    assert_eq!(store.counts(NOW).await.unwrap().needs_attention, 2);
    assert_eq!(store.next_due().await.unwrap(), None);
}

/// A decision leaves a row behind it whose content is lost where a person sees it, unsent.
#[tokio::test]
async fn a_lane_with_lost_content_can_be_decided() {
    let place = Place::new();
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let first = store.accept(transition(case.id, Status::UnderReview)).await.unwrap().row;
    let lost = store.accept(transition(case.id, Status::Resolved)).await.unwrap().row;
    let mut db = place.raw().await;
    run(&mut db, "drop trigger outbox_sent_content_is_fixed").await.unwrap();
    run(&mut db, "update outbox set payload = '{}' where seq = 2").await.unwrap();
    let changed = store.decide(first.command_id, Decided::Discard, NOW, &new_id).await.unwrap().unwrap();
    assert_eq!(changed.len(), 1);
    let lane = store.lane(case.id.into()).await.unwrap();
    assert_eq!(lane.iter().map(|row| row.command_id).collect::<Vec<_>>(), [lost.command_id]);
    assert_eq!((&lane[0].payload, lane[0].payload_hash.as_str()), (&None, lost.payload_hash.as_str()));
    assert!(claim(&store, 10).await.is_empty());
    assert_eq!(store.counts(NOW).await.unwrap().needs_attention, 1);
}

/// CASES C7: the rows are not in the cache of server data; they survive its loss.
#[tokio::test]
async fn rows_survive_the_loss_of_everything_pulled() {
    let place = Place::new();
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let mut rows = Vec::new();
    for text in ["one", "two", "three"] {
        rows.push(store.accept(note(case.id, text)).await.unwrap().row);
    }
    let mut db = place.raw().await;
    run(&mut db, "delete from base_entity; delete from case_view; update meta set cursor = null").await.unwrap();
    drop(store);
    let store = place.open().await;
    assert_eq!(store.lane(case.id.into()).await.unwrap(), rows);
    assert_eq!(claim(&store, 10).await.len(), 3);
}

#[tokio::test]
async fn a_decision_takes_the_rows_behind_it_along() {
    let place = Place::new();
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let first = store.accept(transition(case.id, Status::UnderReview)).await.unwrap().row;
    let mut chain = Vec::new();
    for n in 0..40 {
        let to = if n % 2 == 0 { Status::PendingInfo } else { Status::UnderReview };
        chain.push(store.accept(transition(case.id, to)).await.unwrap().row);
    }
    let changed = store.decide(first.command_id, Decided::Discard, NOW, &new_id).await.unwrap().unwrap();
    assert_eq!(changed[0].command_id, first.command_id);
    assert_eq!(changed[0].resolution.unwrap().kind, ResolutionKind::Discarded);
    for row in &chain {
        let row = store.row(row.command_id).await.unwrap().unwrap();
        assert!(row.resolution.is_some_and(|resolution| resolution.kind == ResolutionKind::Rebased), "{row:?}");
    }
    let lane = store.lane(case.id.into()).await.unwrap();
    assert_eq!(lane.len(), 40);
    assert_eq!(store.decide(first.command_id, Decided::Discard, NOW, &new_id).await.unwrap(), None);
    let all = OutboxFilter { all: true, ..OutboxFilter::default() };
    assert_eq!(store.outbox(all).await.unwrap().len(), 81);
}

#[tokio::test]
async fn a_discarded_new_case_leaves_the_list() {
    let place = Place::new();
    let store = place.open().await;
    let case = CaseId(id(10));
    let row = store.accept(create(case, "t")).await.unwrap().row;
    store.accept(retitle(case, "t", "u")).await.unwrap();
    let changed = store.decide(row.command_id, Decided::Discard, NOW, &new_id).await.unwrap().unwrap();
    assert_eq!(changed.len(), 2);
    let page = store.case_page(CaseQuery { limit: 10, ..CaseQuery::default() }, AMBIENT).await.unwrap();
    assert_eq!((page.total, page.rows.len()), (0, 0));
    let lines = store.outbox_page(NOW, AMBIENT).await.unwrap().lines;
    assert_eq!(lines.len(), 2);
}

/// CASES A5, E1: a row that waits holds back its own lane only.
#[tokio::test]
async fn lanes_do_not_wait_for_each_other() {
    let place = Place::new();
    let store = place.open().await;
    let cases = [10, 11].map(|n| CaseId(id(n)));
    for case in cases {
        store.accept(create(case, "t")).await.unwrap();
    }
    store.accept(note(cases[0], "waits")).await.unwrap();
    let waiting =
        attempt(&store, DeliveryEvent::NotApplied { due_at: Some(NOW.plus_ms(1)), hold: Hold::Time }, None).await;
    let claimed = claim(&store, 10).await;
    assert_eq!(claimed.iter().map(|row| row.seq).collect::<Vec<_>>(), [2]);
    assert_eq!(store.next_due().await.unwrap(), Some(NOW.plus_ms(1)));
    assert!(claim(&store, 10).await.is_empty());
    let hurried = store.claim(NOW, 10, true, &new_id).await.unwrap();
    assert_eq!(hurried.iter().map(|row| row.command_id).collect::<Vec<_>>(), [waiting.command_id]);
}

/// CASES A12: a clock that jumped leaves no row waiting longer than its cap.
#[tokio::test]
async fn no_wait_lies_beyond_its_cap_after_a_start() {
    let place = Place::new();
    let store = place.open().await;
    store.accept(create(CaseId(id(10)), "t")).await.unwrap();
    let far = NOW.plus_ms(3 * 86_400_000);
    attempt(&store, DeliveryEvent::NotApplied { due_at: Some(far), hold: Hold::Time }, Some("busy")).await;
    assert_eq!(store.recover(NOW).await.unwrap(), 1);
    assert_eq!(store.next_due().await.unwrap(), Some(NOW.plus_ms(60_000)));
}

#[tokio::test]
async fn a_sign_in_frees_what_waited_for_it() {
    let place = Place::new();
    let store = place.open().await;
    store.accept(create(CaseId(id(10)), "t")).await.unwrap();
    let row =
        attempt(&store, DeliveryEvent::NotApplied { due_at: None, hold: Hold::Login }, Some("unauthenticated")).await;
    assert_eq!(store.release(Hold::Grant, NOW).await.unwrap(), 0);
    assert_eq!(store.release(Hold::Login, NOW).await.unwrap(), 1);
    assert_eq!(store.row(row.command_id).await.unwrap().unwrap().delivery, Delivery::Queued);
}
