//! Claims, guards, owners, holds and waits.

use domain::{CaseField, Status};

use super::{Profile, claim_all, ids, new_token, open, open_with_case, save, send, step};
use crate::delivery::{Claim, Delivery, DeliveryEvent, Hold, StateName};
use crate::ports::{Guard, StepCause, StoreError, StoredSession};
use crate::testing::build::{START, at, command_id, create, edit, note, tag, transition};

fn not_applied(hold: Hold, wait_ms: Option<i64>) -> DeliveryEvent {
    DeliveryEvent::NotApplied { due_at: wait_ms.map(|ms| START.plus_ms(ms)), hold }
}

/// R5: rows go in enqueue order; of one lane only the first.
pub async fn rows_are_claimed_in_order_one_a_lane(profile: &dyn Profile) {
    let store = open(profile).await;
    for (number, case) in [(1, 1), (2, 2), (4, 3)] {
        save(&*store, number, case, create("New")).await;
    }
    save(&*store, 5, 1, edit(CaseField::Title, "New", "Newer")).await;
    let two = store.claim(START, 2, false, &new_token).await.unwrap();
    assert_eq!(ids(&two), [command_id(1), command_id(2)]);
    let rest = claim_all(&*store, START).await;
    assert_eq!(ids(&rest), [command_id(4)]);
    assert!(claim_all(&*store, START).await.is_empty(), "CASES A5: each row is claimed once");
    let claims: Vec<Claim> = two.iter().chain(&rest).map(|row| row.delivery.claim().unwrap()).collect();
    assert!(claims.iter().all(|claim| claim.epoch == store.owner().epoch));
    assert!(claims[0].token != claims[1].token && claims[1].token != claims[2].token);
    for row in &two {
        assert_eq!(store.row(row.command_id).await.unwrap().unwrap(), *row);
    }
}

/// Notes and tags of one case do not wait for each other.
pub async fn commuting_rows_of_a_lane_go_together(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    save(&*store, 1, 1, note(1, "seen")).await;
    save(&*store, 2, 1, tag("urgent")).await;
    save(&*store, 3, 1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    save(&*store, 4, 1, note(2, "seen again")).await;
    let claimed = claim_all(&*store, START).await;
    assert_eq!(ids(&claimed), [command_id(1), command_id(2)]);
}

/// Adding a tag and taking it off again keep their order, also where something else could go first.
pub async fn opposite_changes_of_one_tag_keep_their_order(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let added = save(&*store, 1, 1, tag("urgent")).await;
    let untag = |tag: &str| domain::Payload::TagRemove(domain::payload::Tag { tag: tag.to_owned() });
    save(&*store, 2, 1, untag("urgent")).await;
    save(&*store, 3, 1, untag("heating")).await;
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(1), command_id(3)]);
    step(&*store, &added, DeliveryEvent::SendMarked { now: START }, START).await;
    step(&*store, &added, not_applied(Hold::Time, Some(30_000)), START).await;
    assert!(claim_all(&*store, START).await.is_empty(), "the removal waits for the addition");
    assert_eq!(store.next_due().await.unwrap(), Some(START.plus_ms(30_000)));
}

/// CASES B5, E10: nothing is sent past an unresolved row, and a row saved meanwhile goes behind it.
pub async fn a_lane_waits_behind_an_open_row(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, transition(Status::UnderReview)).await;
    save(&*store, 2, 1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    send(&*store, &first).await;
    save(&*store, 3, 1, note(1, "later")).await;
    assert!(claim_all(&*store, START).await.is_empty());
    let refusal = crate::delivery::Refusal { code: "domain-rejected".into(), reason: None, detail: String::new() };
    step(&*store, &first, DeliveryEvent::Refused(refusal), START).await;
    assert!(claim_all(&*store, START).await.is_empty(), "a refused row still blocks its lane");
    let views = store.outbox(crate::ports::OutboxFilter::default()).await.unwrap();
    assert_eq!(views[1].blocked_by, Some(command_id(1)));
    assert_eq!(views[0].blocked_by, None);
}

/// A hurry ignores back-off, never the server's wish to wait.
pub async fn back_off_is_kept_unless_told_to_hurry(profile: &dyn Profile) {
    let store = open(profile).await;
    let holds =
        [(1, Hold::Time, None), (2, Hold::Network, None), (3, Hold::Time, Some(20_000)), (4, Hold::Grant, None)];
    for (number, hold, asked_ms) in holds {
        let row = save(&*store, number, number, create("New")).await;
        let row = send(&*store, &row).await;
        let wait = (hold != Hold::Grant).then_some(20_000);
        let cause = StepCause { not_before: asked_ms.map(|ms| START.plus_ms(ms)), ..at(START) };
        let guard = Guard::State(StateName::Sending);
        store.step(row.command_id, guard, not_applied(hold, wait), cause).await.unwrap().unwrap();
    }
    assert_eq!(store.next_due().await.unwrap(), Some(START.plus_ms(20_000)));
    assert!(claim_all(&*store, START.plus_ms(19_999)).await.is_empty());
    let hurried = store.claim(START, 100, true, &new_token).await.unwrap();
    assert_eq!(ids(&hurried), [command_id(1), command_id(2)]);
    assert_eq!(ids(&claim_all(&*store, START.plus_ms(20_000)).await), [command_id(3)]);
    assert_eq!(store.next_due().await.unwrap(), None, "a row held for a right is not due by itself");
}

/// Someone was first: a normal result, and nothing changes.
pub async fn a_step_without_its_guard_changes_nothing(profile: &dyn Profile) {
    let store = open(profile).await;
    save(&*store, 1, 1, create("New")).await;
    let row = claim_all(&*store, START).await.remove(0);
    let claim = row.delivery.claim().unwrap();
    let other = Claim { token: new_token(), ..claim };
    let mark = DeliveryEvent::SendMarked { now: START };
    for guard in [Guard::Claim(other), Guard::State(StateName::Sending), Guard::OlderEpoch(claim.epoch)] {
        let step = store.step(row.command_id, guard, mark.clone(), at(START)).await.unwrap();
        assert_eq!(step, None, "{guard:?}");
    }
    assert_eq!(store.step(command_id(9), Guard::Claim(claim), mark.clone(), at(START)).await.unwrap(), None);
    assert_eq!(store.row(row.command_id).await.unwrap().unwrap(), row);
    let sent = store.step(row.command_id, Guard::Claim(claim), mark, at(START)).await.unwrap().unwrap();
    assert_eq!((sent.delivery, sent.attempt), (Delivery::Sending { claim, sent_at: START }, 1));
}

/// R11: one owner commits; whoever opened before writes nothing and hears it.
pub async fn a_process_that_lost_the_store_writes_nothing(profile: &dyn Profile) {
    let old = open(profile).await;
    save(&*old, 1, 1, create("New")).await;
    let new = profile.open().await;
    assert!(new.owner().epoch > old.owner().epoch);
    let lost = Err(StoreError::OwnerLost);
    assert_eq!(
        old.accept(crate::testing::build::draft(2, super::super::build::case_id(2), create("Late"))).await.map(drop),
        lost
    );
    assert_eq!(old.claim(START, 9, false, &new_token).await.map(drop), lost);
    let (guard, event) = (Guard::State(StateName::Queued), DeliveryEvent::SendMarked { now: START });
    assert_eq!(old.step(command_id(1), guard, event, at(START)).await.map(drop), lost);
    assert_eq!(old.recover(START).await.map(drop), lost);
    assert_eq!(old.release(Hold::Login, START).await.map(drop), lost);
    assert_eq!(old.decide(command_id(1), crate::ports::Decided::Discard, START, &new_token).await.map(drop), lost);
    assert_eq!(old.apply(crate::testing::build::page(Vec::new())).await.map(drop), lost);
    assert_eq!(old.forget_cursor().await, lost);
    assert_eq!(old.set_session(StoredSession::default()).await.map(drop), lost);
    assert_eq!(new.counts(START).await.unwrap().open, 1);
}

/// CASES D4, R12: *claimed* is free again and *sending* in doubt because their owner is gone, not because time passed.
pub async fn what_a_dead_process_left_is_freed_by_epoch(profile: &dyn Profile) {
    let old = open(profile).await;
    let sent = save(&*old, 1, 1, create("Sent")).await;
    send(&*old, &sent).await;
    save(&*old, 2, 2, create("Claimed")).await;
    assert_eq!(claim_all(&*old, START).await.len(), 1);
    assert_eq!(old.recover(START).await.unwrap(), 0, "the living keep their claims");
    let new = profile.open().await;
    assert_eq!(new.recover(START).await.unwrap(), 2);
    assert_eq!(new.recover(START).await.unwrap(), 0);
    let in_doubt = new.row(command_id(1)).await.unwrap().unwrap();
    assert!(matches!(in_doubt.delivery, Delivery::Unknown { ask_at: Some(at), hold: None } if at <= START));
    assert_eq!(new.row(command_id(2)).await.unwrap().unwrap().delivery, Delivery::Queued);
    assert_eq!(new.history(command_id(2)).await.unwrap().last().unwrap().event, "claim_ended");
}

/// CASES A12: after 40 failures and a clock that jumped, no wait lies beyond its cap.
pub async fn waits_beyond_their_cap_are_pulled_back(profile: &dyn Profile) {
    let store = open(profile).await;
    let far = 3 * 86_400_000;
    for (number, not_before) in [(1, None), (2, Some(START.plus_ms(far)))] {
        let row = save(&*store, number, number, create("New")).await;
        let row = send(&*store, &row).await;
        let cause = StepCause { not_before, ..at(START) };
        let guard = Guard::State(StateName::Sending);
        store.step(row.command_id, guard, not_applied(Hold::Time, Some(far)), cause).await.unwrap().unwrap();
    }
    let row = save(&*store, 3, 3, create("In doubt")).await;
    let row = send(&*store, &row).await;
    step(&*store, &row, DeliveryEvent::OutcomeUnknown { ask_at: START.plus_ms(far) }, START).await;
    assert_eq!(store.recover(START).await.unwrap(), 3);
    let due = async |number| store.row(command_id(number)).await.unwrap().unwrap().delivery.due_at().unwrap();
    assert_eq!(due(1).await, START.plus_ms(60_000));
    assert_eq!(due(2).await, START.plus_ms(3_600_000));
    assert_eq!(due(3).await, START.plus_ms(60_000));
    assert_eq!(store.recover(START).await.unwrap(), 0);
}

/// CASES E7, C6: a sign-in frees what waits for a sign-in and nothing else.
pub async fn a_hold_is_released_for_its_rows_only(profile: &dyn Profile) {
    let store = open(profile).await;
    for (number, hold) in [(1, Hold::Login), (2, Hold::Grant), (3, Hold::Quarantined)] {
        let row = save(&*store, number, number, create("New")).await;
        let row = send(&*store, &row).await;
        step(&*store, &row, not_applied(hold, None), START).await;
    }
    assert!(claim_all(&*store, START.plus_ms(i64::from(u32::MAX))).await.is_empty());
    assert_eq!(store.release(Hold::Login, START).await.unwrap(), 1);
    assert_eq!(store.release(Hold::Login, START).await.unwrap(), 0);
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(1)]);
    assert_eq!(store.counts(START).await.unwrap().needs_attention, 2);
}

/// Rows in doubt are asked about when due, oldest first, or all when told.
pub async fn rows_in_doubt_are_listed_when_due(profile: &dyn Profile) {
    let store = open(profile).await;
    for (number, wait_ms) in [(1, 5_000), (2, 0), (3, 0)] {
        let row = save(&*store, number, number, create("New")).await;
        let row = send(&*store, &row).await;
        step(&*store, &row, DeliveryEvent::OutcomeUnknown { ask_at: START.plus_ms(wait_ms) }, START).await;
    }
    step(&*store, &store.row(command_id(3)).await.unwrap().unwrap(), DeliveryEvent::WindowExpired, START).await;
    assert_eq!(ids(&store.in_doubt(START, 10, false).await.unwrap()), [command_id(2)]);
    let all = store.in_doubt(START, 10, true).await.unwrap();
    assert_eq!(ids(&all), [command_id(1), command_id(2), command_id(3)]);
    assert_eq!(ids(&store.in_doubt(START, 1, true).await.unwrap()), [command_id(1)]);
    assert_eq!(store.next_due().await.unwrap(), Some(START));
    assert!(claim_all(&*store, START.plus_ms(10_000)).await.is_empty(), "a row in doubt is never just claimed");
}

/// The session outlives the process; no secret is in it.
pub async fn the_session_is_kept(profile: &dyn Profile) {
    let store = profile.open().await;
    assert_eq!(store.session().await.unwrap(), StoredSession::default());
    let session = StoredSession { version: 7, revoked: true, signed_in: true };
    store.set_session(session).await.unwrap();
    assert_eq!(profile.open().await.session().await.unwrap(), session);
}
