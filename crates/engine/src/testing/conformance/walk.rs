//! A long random walk over everything that changes rows.

use domain::CommandId;

use super::{Profile, ids, open, steps::replayed};
use crate::delivery::{DeliveryEvent, Hold, KeptReceipt, OutboxRow};
use crate::ports::{Decided, Guard, Store};
use crate::present::counts;
use crate::testing::build::{START, at, case_id, create, draft, receipt};
use crate::testing::dice::Dice;

/// CASES B6: after random saves, claims, answers, cancels and crashes, the counts equal a count of the table, no row
/// was lost, versions never fell, and each row's history leads to its state (R18).
pub async fn counts_equal_the_table_after_any_walk(profile: &dyn Profile) {
    let mut dice = Dice::new(6);
    let mut store = open(profile).await;
    let (mut saved, mut versions) = (Vec::<CommandId>::new(), store.versions().await.unwrap());
    for turn in 0..600 {
        match dice.below(20) {
            0..6 => saved.push(save_one(&*store, saved.len()).await),
            6..9 => drop(store.claim(START, dice.below(4), false, &super::new_token).await.unwrap()),
            9..18 => advance(&*store, &saved, &mut dice).await,
            18 => discard(&*store, &saved, &mut dice).await,
            _ => {
                store = profile.open().await;
                store.recover(START).await.unwrap();
            }
        }
        let now = store.versions().await.unwrap();
        assert!(now.cases >= versions.cases && now.outbox >= versions.outbox, "versions never fall");
        versions = now;
        if turn % 20 == 0 {
            let rows = table(&*store, &saved).await;
            assert_eq!(store.counts(START).await.unwrap(), counts(&rows, START), "after turn {turn}");
        }
    }
    let rows = table(&*store, &saved).await;
    assert_eq!(ids(&rows), saved);
    assert_eq!(store.counts(START).await.unwrap(), counts(&rows, START));
    for row in rows {
        assert_eq!(replayed(&store.history(row.command_id).await.unwrap()), Some(row.delivery.name()));
    }
}

async fn table(store: &dyn Store, saved: &[CommandId]) -> Vec<OutboxRow> {
    let mut rows = Vec::new();
    for command in saved {
        rows.push(store.row(*command).await.unwrap().unwrap());
    }
    rows
}

async fn save_one(store: &dyn Store, number: usize) -> CommandId {
    let number = u32::try_from(number).unwrap() + 1;
    store.accept(draft(number, case_id(number), create("Walk"))).await.unwrap().row.command_id
}

/// A random legal step of a random row.
async fn advance(store: &dyn Store, saved: &[CommandId], dice: &mut Dice) {
    if saved.is_empty() {
        return;
    }
    let row = store.row(saved[dice.below(saved.len())]).await.unwrap().unwrap();
    let events = [
        DeliveryEvent::SendMarked { now: START },
        DeliveryEvent::ReceiptValid(KeptReceipt::Full { receipt: receipt(&row, 1) }),
        DeliveryEvent::NotApplied { due_at: Some(START), hold: Hold::Time },
        DeliveryEvent::NotApplied { due_at: None, hold: Hold::Grant },
        DeliveryEvent::NotApplied { due_at: None, hold: Hold::Confirmation },
        DeliveryEvent::Confirmed { at: START },
        DeliveryEvent::OutcomeUnknown { ask_at: START },
        DeliveryEvent::NotSeen,
        DeliveryEvent::WindowExpired,
        DeliveryEvent::Requeued,
        DeliveryEvent::ClaimEnded { ask_at: START },
    ];
    let legal: Vec<DeliveryEvent> =
        events.into_iter().filter(|event| row.after(event.clone(), &at(START)).is_ok()).collect();
    if row.resolution.is_none() && !legal.is_empty() {
        let event = legal[dice.below(legal.len())].clone();
        store.step(row.command_id, Guard::State(row.delivery.name()), event, at(START)).await.unwrap().unwrap();
    }
}

async fn discard(store: &dyn Store, saved: &[CommandId], dice: &mut Dice) {
    if let Some(command) = (!saved.is_empty()).then(|| saved[dice.below(saved.len())]) {
        store.decide(command, Decided::Discard, START, &super::new_token).await.unwrap();
    }
}
