//! A person decides.

use domain::{CaseField, Expected, Status};

use super::{Profile, claim_all, conflicting, ids, new_token, open, open_with_case, save, send};
use crate::delivery::{Delivery, OutboxRow, ResolutionKind, StateName};
use crate::ports::{Decided, Store};
use crate::testing::build::{START, case_id, command_id, create, draft, edit, note, online, transition};

async fn decide(store: &dyn Store, number: u32, decided: Decided) -> Vec<OutboxRow> {
    store.decide(command_id(number), decided, START, &new_token).await.unwrap().unwrap()
}

/// R17, CASES E9: only a recorded decision takes an open row away; it keeps its state and its history.
pub async fn a_discarded_row_is_never_claimed(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    save(&*store, 1, 1, note(1, "never mind")).await;
    save(&*store, 2, 1, note(2, "this one counts")).await;
    let changed = decide(&*store, 1, Decided::Discard).await;
    assert_eq!(ids(&changed), [command_id(1)]);
    assert_eq!(changed[0].delivery.name(), StateName::Queued);
    let resolution = changed[0].resolution.unwrap();
    assert_eq!((resolution.kind, resolution.by), (ResolutionKind::Discarded, store.owner().actor_id));
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(2)]);
    assert_eq!(store.history(command_id(1)).await.unwrap().last().unwrap().event, "discarded");
    assert_eq!(store.decide(command_id(1), Decided::Discard, START, &new_token).await.unwrap(), None);
    assert_eq!(store.decide(command_id(9), Decided::Discard, START, &new_token).await.unwrap(), None);
    let detail = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!(detail.pending.len(), 1);
    assert_eq!(detail.notes.len(), 1);
}

/// DESIGN 3: discarding a case that never reached the server discards its lane, and the case is gone from the list.
pub async fn discarding_a_new_case_takes_its_lane(profile: &dyn Profile) {
    let store = open(profile).await;
    save(&*store, 1, 1, create("Never mind")).await;
    save(&*store, 2, 1, note(1, "about it")).await;
    save(&*store, 3, 2, create("Another")).await;
    let changed = decide(&*store, 1, Decided::Discard).await;
    assert_eq!(ids(&changed), [command_id(1), command_id(2)]);
    assert_eq!(store.case_detail(case_id(1), online()).await.unwrap(), None);
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(3)]);
}

/// CASES F7: later changes that named the decided one name the decision instead, and go.
pub async fn a_superseded_row_gives_its_followers_the_new_name(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    save(&*store, 2, 1, transition(Status::UnderReview)).await;
    save(&*store, 3, 1, note(1, "stays as it is")).await;
    conflicting(&*store, &first).await;
    let instead = draft(4, case_id(1), edit(CaseField::Title, "Theirs", "Both"));
    let changed = decide(&*store, 1, Decided::Supersede(Box::new(instead))).await;
    assert_eq!(ids(&changed)[..3], [command_id(1), command_id(4), command_id(2)]);
    assert_eq!(changed[0].resolution.unwrap().successor, Some(command_id(4)));
    assert_eq!(changed[0].delivery.name(), StateName::Conflict, "a decided row keeps its state");
    let rebased = &changed[3];
    assert_eq!(changed[2].resolution.unwrap().kind, ResolutionKind::Rebased);
    assert_eq!(changed[2].resolution.unwrap().successor, Some(rebased.command_id));
    assert_eq!(rebased.expected, Some(Expected::After(command_id(4))));
    assert_eq!(rebased.delivery, Delivery::Queued);
    assert_eq!(store.history(rebased.command_id).await.unwrap().len(), 1);
    assert_eq!(store.history(command_id(2)).await.unwrap().last().unwrap().event, "rebased");
    let untouched = store.row(command_id(3)).await.unwrap().unwrap();
    assert!(untouched.is_open());
    let open = store.lane(case_id(1).into()).await.unwrap();
    assert_eq!(ids(&open), [command_id(4), rebased.command_id, command_id(3)], "each in the place it came from");
}

/// R5, CASES F7: what comes instead of a conflicting edit goes where that edit stood, before the officer's later
/// edits; what the officer did last is what remains.
pub async fn a_decision_takes_the_place_of_what_it_decides(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    save(&*store, 2, 1, edit(CaseField::Title, "Mine", "Mine, later")).await;
    save(&*store, 3, 1, edit(CaseField::Address, "", "3 Mill Lane")).await;
    conflicting(&*store, &first).await;
    let instead = draft(4, case_id(1), edit(CaseField::Title, "Theirs", "Mine"));
    decide(&*store, 1, Decided::Supersede(Box::new(instead))).await;
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(4)], "the decision goes first, and alone");
    let lane = store.lane(case_id(1).into()).await.unwrap();
    assert_eq!(ids(&lane), [command_id(4), command_id(2), command_id(3)]);
    let shown = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!(shown.case.title, "Mine, later");
}

/// An edit that went on from the value that was given up goes on from the value that was decided.
pub async fn a_later_edit_follows_a_decision_to_another_value(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    save(&*store, 2, 1, edit(CaseField::Title, "Mine", "Mine, later")).await;
    save(&*store, 3, 1, transition(Status::UnderReview)).await;
    conflicting(&*store, &first).await;
    let instead = draft(4, case_id(1), edit(CaseField::Title, "Theirs", "Both"));
    decide(&*store, 1, Decided::Supersede(Box::new(instead))).await;
    let lane = store.lane(case_id(1).into()).await.unwrap();
    let payload = lane[1].payload.as_ref().unwrap();
    assert_eq!(payload["changes"]["title"], serde_json::json!({"from": "Both", "to": "Mine, later"}));
    assert_eq!(lane[2].expected, Some(Expected::After(lane[1].command_id)), "what followed it follows its successor");
    assert_eq!(lane.len(), 3);
}

/// Keeping the server's version sends nothing instead; followers are based on what is there.
pub async fn keeping_theirs_sends_nothing(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let first = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    conflicting(&*store, &first).await;
    let changed = decide(&*store, 1, Decided::KeepTheirs).await;
    assert_eq!(ids(&changed), [command_id(1)]);
    assert_eq!(changed[0].resolution.unwrap().successor, None);
    assert!(claim_all(&*store, START).await.is_empty());
    assert_eq!(store.counts(START).await.unwrap().open, 0);
}

/// What is being sent may be applied this moment; it is decided about when its answer is here.
pub async fn a_row_being_sent_cannot_be_decided(profile: &dyn Profile) {
    let store = open(profile).await;
    let row = save(&*store, 1, 1, create("New")).await;
    send(&*store, &row).await;
    assert_eq!(store.decide(command_id(1), Decided::Discard, START, &new_token).await.unwrap(), None);
    assert!(store.row(command_id(1)).await.unwrap().unwrap().is_open());
}

/// CASES F1, F6: base, mine and theirs are kept until a decision, through a restart and a pull.
pub async fn a_decision_survives_a_restart(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let row = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    conflicting(&*store, &row).await;
    let store = profile.open().await;
    store.recover(START).await.unwrap();
    let theirs = crate::testing::build::a_case(1, "Theirs");
    store.apply(crate::testing::build::page(vec![crate::testing::build::case_item(2, &theirs, None)])).await.unwrap();
    let conflict = store.outbox_detail(command_id(1), online()).await.unwrap().unwrap().conflict.unwrap();
    assert_eq!(conflict.base["title"], "Blocked drain");
    assert_eq!(conflict.mine["title"], "Mine");
    assert_eq!(conflict.theirs["title"], "Theirs");
    decide(&*store, 1, Decided::KeepTheirs).await;
    let again = profile.open().await;
    let kept = again.row(command_id(1)).await.unwrap().unwrap();
    assert_eq!(kept.resolution.unwrap().kind, ResolutionKind::Superseded);
    assert_eq!(kept.resolution.unwrap().at, START);
}
