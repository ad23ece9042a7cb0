//! Intents become rows.

use domain::{CaseField, Expected, Revision, Status};

use super::{Profile, open, open_with_case, save};
use crate::accept::AcceptError;
use crate::delivery::{Delivery, StateName};
use crate::ports::StoreError;
use crate::testing::build::{START, case_id, command_id, create, draft, edit, note, online, transition};

/// R1: what was said to be saved is there after a restart, with the same hash, in one state.
pub async fn a_saved_intent_is_one_row_with_its_history(profile: &dyn Profile) {
    let store = open(profile).await;
    let before = store.versions().await.unwrap();
    let accepted = store.accept(draft(1, case_id(1), create("Smoke in the stairwell"))).await.unwrap();
    assert!(!accepted.already);
    assert!(accepted.versions.cases > before.cases && accepted.versions.outbox > before.outbox);
    let again = profile.open().await;
    let row = again.row(command_id(1)).await.unwrap().unwrap();
    assert_eq!(row, accepted.row);
    assert_eq!((row.delivery.clone(), row.attempt), (Delivery::Queued, 0));
    let history = again.history(command_id(1)).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!((history[0].from, history[0].to, history[0].event.as_str()), (None, StateName::Queued, "accepted"));
    assert!(again.versions().await.unwrap().cases >= accepted.versions.cases, "versions never fall");
    assert_eq!(again.lane(case_id(1).into()).await.unwrap(), [row]);
}

/// CASES A7: a form that was restored and sent again is the same intent.
pub async fn the_same_intent_twice_is_one_row(profile: &dyn Profile) {
    let store = open(profile).await;
    let first = store.accept(draft(1, case_id(1), create("Once"))).await.unwrap();
    let store = open(profile).await;
    let mut again = draft(2, case_id(2), create("Once"));
    again.intent_id = draft(1, case_id(1), create("")).intent_id;
    let second = store.accept(again).await.unwrap();
    assert!(second.already);
    assert_eq!(second.row, first.row);
    assert_eq!(store.row(command_id(2)).await.unwrap(), None);
    assert_eq!(store.counts(START).await.unwrap().open, 1);
    assert_eq!(store.history(command_id(1)).await.unwrap().len(), 1);
}

/// A status change names the change before it; a change of fields names nothing; both remember what was seen.
pub async fn a_chain_of_offline_edits_is_fixed_when_it_is_made(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, transition(Status::UnderReview)).await;
    let second = save(&*store, 2, 1, edit(CaseField::Title, "Blocked drain", "Blocked drain, again")).await;
    let third = save(&*store, 3, 1, transition(Status::Resolved)).await;
    assert_eq!(first.expected, Some(Expected::Revision(Revision(1))));
    assert_eq!(second.expected, None);
    assert_eq!(third.expected, Some(Expected::After(command_id(2))));
    assert_eq!(third.seen.unwrap().status, Status::UnderReview);
    assert!(first.seq < second.seq && second.seq < third.seq);
}

/// CASES C8 and its neighbours: a refusal is an error before "saved", with no optimistic change.
pub async fn a_refused_intent_leaves_nothing(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let before = store.versions().await.unwrap();
    let unknown = store.accept(draft(1, case_id(9), note(1, "x"))).await;
    assert_eq!(unknown, Err(StoreError::Refused(AcceptError::UnknownCase)));
    let illegal = store.accept(draft(1, case_id(1), transition(Status::Closed))).await;
    assert!(matches!(illegal, Err(StoreError::Refused(AcceptError::Rule(_)))));
    let invalid = store.accept(draft(1, case_id(1), edit(CaseField::Title, "Blocked drain", ""))).await;
    assert!(matches!(invalid, Err(StoreError::Refused(AcceptError::Invalid { .. }))));
    assert_eq!(store.row(command_id(1)).await.unwrap(), None);
    assert_eq!(store.versions().await.unwrap(), before);
    let detail = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert!(detail.pending.is_empty() && detail.case.status == Status::Open);
}
