//! The feed comes in.

use domain::{CaseField, Revision, Status};

use super::{Profile, claim_all, ids, open, open_with_case, save, send, step};
use crate::delivery::{DeliveryEvent, KeptReceipt, StateName};
use crate::ports::StoredSession;
use crate::testing::build::{
    ACTOR, START, a_case, activity_item, case_id, case_item, command_id, edit, gone_item, member_item, note, note_item,
    online, page, receipt, starting_over, tag, with_more,
};
use crate::view::Mark;

/// Applying is idempotent: the same page twice gives the same cases, notes, people and cursor.
pub async fn applying_a_page_twice_is_applying_it_once(profile: &dyn Profile) {
    let store = open(profile).await;
    assert_eq!(store.cursor().await.unwrap(), (None, false));
    let feed = page(vec![
        case_item(1, &a_case(1, "Blocked drain"), None),
        note_item(2, case_id(1), 1, "wet", None),
        member_item(3, ACTOR, "Ana"),
    ]);
    let applied = store.apply(feed.clone()).await.unwrap();
    assert!(applied.applied && applied.settled.is_empty());
    let once =
        (store.entity_count().await.unwrap(), store.base(case_id(1)).await.unwrap(), store.cursor().await.unwrap());
    let again = store.apply(feed).await.unwrap();
    assert!(again.versions.cases >= applied.versions.cases);
    let twice =
        (store.entity_count().await.unwrap(), store.base(case_id(1)).await.unwrap(), store.cursor().await.unwrap());
    assert_eq!(once, twice);
    assert_eq!(once.0, 3);
    assert_eq!(once.2, (Some("c3".to_owned()), true));
    assert_eq!(store.last_pull_at().await.unwrap(), Some(START));
}

/// CASES F4: a pull lands before the answer; the screen still shows the pending value, with its mark.
pub async fn a_pull_before_the_answer_keeps_the_pending_value(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let row = save(&*store, 1, 1, edit(CaseField::Address, "", "3 Mill Lane")).await;
    send(&*store, &row).await;
    let mut theirs = a_case(1, "Blocked drain, deep");
    theirs.revision = Revision(2);
    store.apply(page(vec![case_item(2, &theirs, None)])).await.unwrap();
    let detail = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!(detail.case.address.as_deref(), Some("3 Mill Lane"));
    assert_eq!(detail.case.title, "Blocked drain, deep");
    assert_eq!(detail.base.unwrap().address, None);
    assert_eq!(detail.pending_fields, ["address"]);
    assert_eq!(detail.pending[0].mark, Mark::Sending);
}

/// Evidence from the feed ends doubt: the entity is stamped with the command.
pub async fn a_row_in_doubt_is_settled_by_the_feed(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let row = save(&*store, 1, 1, tag("urgent")).await;
    send(&*store, &row).await;
    let row = step(&*store, &row, DeliveryEvent::OutcomeUnknown { ask_at: START }, START).await;
    let mut case = a_case(1, "Blocked drain");
    case.tags = vec!["urgent".to_owned()];
    let feed = page(vec![case_item(2, &case, Some(row.command_id)), activity_item(3, &row)]);
    let applied = store.apply(feed.clone()).await.unwrap();
    assert_eq!(applied.settled, [row.command_id]);
    let settled = store.row(row.command_id).await.unwrap().unwrap();
    assert_eq!(settled.delivery.name(), StateName::Acked);
    assert!(settled.projected && !settled.is_pending());
    let history = store.history(row.command_id).await.unwrap();
    assert!(history.iter().any(|entry| entry.event == "feed_showed"));
    assert_eq!(super::steps::replayed(&history), Some(StateName::Acked));
    assert!(store.apply(feed).await.unwrap().settled.is_empty());
}

/// A received row is drawn until the state held here contains it; no pull makes the screen jump back.
pub async fn a_received_row_is_drawn_until_the_base_contains_it(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let row = save(&*store, 1, 1, note(1, "wet cellar")).await;
    let row = send(&*store, &row).await;
    let kept = KeptReceipt::Full { receipt: receipt(&row, 11) };
    let row = step(&*store, &row, DeliveryEvent::ReceiptValid(kept), START).await;
    let marks = async || {
        let detail = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
        detail.notes.iter().map(|note| (note.note.text.clone(), note.mark)).collect::<Vec<_>>()
    };
    let pending = [("wet cellar".to_owned(), Some(Mark::ReceivedSavingHere))];
    assert_eq!(marks().await, pending);
    store.apply(page(vec![case_item(9, &a_case(2, "Another"), None)])).await.unwrap();
    assert_eq!(marks().await, pending, "this read ended before the effect");
    store.apply(with_more(page(vec![case_item(9, &a_case(3, "Third"), None)]), 11)).await.unwrap();
    assert_eq!(marks().await, pending, "the read is not at its end");
    let stamped = Some(row.command_id);
    store
        .apply(page(vec![note_item(10, case_id(1), 1, "wet cellar", stamped), activity_item(11, &row)]))
        .await
        .unwrap();
    assert_eq!(marks().await, [("wet cellar".to_owned(), None)]);
    assert!(store.row(row.command_id).await.unwrap().unwrap().projected);
    assert_eq!(store.lane(case_id(1).into()).await.unwrap(), []);
    assert_eq!(store.history(row.command_id).await.unwrap().last().unwrap().event, "projected");
}

/// CASES S30, client side: a read from the start replaces what is held, at its end and not before. Open rows stay.
pub async fn a_read_from_the_start_drops_what_vanished(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    store.apply(page(vec![case_item(2, &a_case(2, "Vanishes"), None)])).await.unwrap();
    let row = save(&*store, 1, 2, note(1, "my words")).await;
    store
        .apply(starting_over(with_more(page(vec![case_item(1, &a_case(1, "Blocked drain"), None)]), 4)))
        .await
        .unwrap();
    assert!(store.base(case_id(2)).await.unwrap().case.is_some(), "the read is not at its end");
    let store = profile.open().await;
    store.apply(page(vec![case_item(4, &a_case(4, "New"), None)])).await.unwrap();
    assert_eq!(store.base(case_id(2)).await.unwrap().case, None);
    assert!(store.base(case_id(1)).await.unwrap().case.is_some());
    assert!(store.base(case_id(4)).await.unwrap().case.is_some());
    assert_eq!(store.row(row.command_id).await.unwrap(), Some(row), "an open row outlives its case");
    store.apply(page(vec![gone_item(5, case_id(4))])).await.unwrap();
    assert_eq!(store.base(case_id(4)).await.unwrap().case, None);
}

/// R10: what was asked for under another session changes nothing here.
pub async fn a_page_of_another_session_changes_nothing(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let before = (store.cursor().await.unwrap(), store.base(case_id(1)).await.unwrap());
    store.set_session(StoredSession { version: 2, revoked: false, signed_in: true }).await.unwrap();
    let mut case = a_case(1, "Of another session");
    case.status = Status::Closed;
    let applied = store.apply(page(vec![case_item(2, &case, None)])).await.unwrap();
    assert!(!applied.applied);
    assert_eq!((store.cursor().await.unwrap(), store.base(case_id(1)).await.unwrap()), before);
}

/// The next read starts over; what is held stays until it is complete.
pub async fn forgetting_the_cursor_keeps_what_is_held(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    store.forget_cursor().await.unwrap();
    assert_eq!(store.cursor().await.unwrap().0, None);
    assert!(store.base(case_id(1)).await.unwrap().case.is_some());
    assert_eq!(store.row(command_id(1)).await.unwrap(), None);
}

/// CASES B4: what was received is listed in order, page by page; what the server no longer has is drawn once more and
/// needs a person; the epoch outlives the process.
pub async fn what_was_received_is_listed_and_may_come_back(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let mut rows = Vec::new();
    for number in 1..4 {
        rows.push(save(&*store, number, 1, note(number, "my words")).await);
    }
    for row in &rows[..2] {
        send(&*store, row).await;
        let receipt = KeptReceipt::Full { receipt: receipt(row, 2) };
        step(&*store, row, DeliveryEvent::ReceiptValid(receipt), START).await;
    }
    store.apply(page(vec![note_item(2, case_id(1), 1, "my words", Some(rows[0].command_id))])).await.unwrap();
    let first = store.received_after(0, 1).await.unwrap();
    assert_eq!(ids(&first), [rows[0].command_id]);
    assert!(first[0].projected);
    assert_eq!(ids(&store.received_after(first[0].seq, 9).await.unwrap()), [rows[1].command_id]);

    let back = step(&*store, &rows[0], DeliveryEvent::MissingAgain, START).await;
    assert!(!back.projected && back.needs_attention());
    assert_eq!(store.row(back.command_id).await.unwrap(), Some(back.clone()));
    assert_eq!(store.counts(START).await.unwrap().needs_attention, 1);
    assert_eq!(ids(&store.received_after(0, 9).await.unwrap()), [rows[1].command_id]);
    assert!(claim_all(&*store, START.plus_ms(1_000_000)).await.iter().all(|row| row.command_id != back.command_id));

    assert_eq!(store.feed_epoch().await.unwrap(), None);
    store.set_feed_epoch("e1".to_owned()).await.unwrap();
    assert_eq!(profile.open().await.feed_epoch().await.unwrap().as_deref(), Some("e1"));
}
