//! Every state meets every event, through the store.

use serde_json::json;

use super::{Profile, new_token, open, save};
use crate::delivery::{
    Claim, ConflictFound, DeliveryEvent, HistoryEntry, Hold, KeptReceipt, LastError, OutboxRow, Refusal, StateName,
};
use crate::ports::{Guard, StepCause, Store, StoreError};
use crate::testing::build::{START, at, create, receipt};

/// A way to each state, with what makes its variants differ.
fn ways(row: &OutboxRow, epoch: u64) -> Vec<Vec<DeliveryEvent>> {
    let [claimed, sending] = {
        let claim = Claim { epoch, token: new_token() };
        [DeliveryEvent::ClaimedBy { claim, now: START }, DeliveryEvent::SendMarked { now: START }]
    };
    let failed = |due_at, hold| DeliveryEvent::NotApplied { due_at, hold };
    let ends = vec![
        failed(Some(START), Hold::Time),
        failed(Some(START.plus_ms(60_000)), Hold::Network),
        failed(None, Hold::Login),
        failed(None, Hold::Confirmation),
        DeliveryEvent::OutcomeUnknown { ask_at: START },
        DeliveryEvent::WindowExpired,
        DeliveryEvent::ConflictFound(conflict()),
        DeliveryEvent::Refused(refusal()),
        DeliveryEvent::ReceiptValid(KeptReceipt::Full { receipt: receipt(row, 5) }),
    ];
    let mut ways = vec![Vec::new(), vec![claimed.clone()], vec![claimed.clone(), sending.clone()]];
    ways.extend(ends.into_iter().map(|end| vec![claimed.clone(), sending.clone(), end]));
    ways
}

fn conflict() -> ConflictFound {
    ConflictFound {
        current_revision: Some(4),
        current: json!({"title": "x"}),
        conflicting_fields: vec!["title".into()],
    }
}

fn refusal() -> Refusal {
    Refusal { code: "domain-rejected".into(), reason: Some("illegal-transition".into()), detail: "no".into() }
}

fn events(row: &OutboxRow, epoch: u64) -> Vec<DeliveryEvent> {
    let claim = Claim { epoch, token: new_token() };
    vec![
        DeliveryEvent::ClaimedBy { claim, now: START },
        DeliveryEvent::ClaimEnded { ask_at: START },
        DeliveryEvent::SendMarked { now: START },
        DeliveryEvent::ReceiptValid(KeptReceipt::Full { receipt: receipt(row, 5) }),
        DeliveryEvent::ReceiptFenced(KeptReceipt::Withheld),
        DeliveryEvent::NotApplied { due_at: Some(START.plus_ms(1_000)), hold: Hold::Dependency },
        DeliveryEvent::OutcomeUnknown { ask_at: START.plus_ms(1_000) },
        DeliveryEvent::StillUnknown { ask_at: START.plus_ms(1_000) },
        DeliveryEvent::WindowExpired,
        DeliveryEvent::NotSeen,
        DeliveryEvent::ResendDue { now: START },
        DeliveryEvent::FeedShowed { position: 9 },
        DeliveryEvent::ConflictFound(conflict()),
        DeliveryEvent::Refused(refusal()),
        DeliveryEvent::MissingAgain,
        DeliveryEvent::Requeued,
        DeliveryEvent::Confirmed { at: START.plus_ms(3) },
    ]
}

/// R7, R18: each legal step is taken as the pure function says, with its history; each other is refused and changes
/// nothing; replaying the history gives the stored state.
pub async fn every_step_is_taken_or_refused_as_the_states_say(profile: &dyn Profile) {
    let store = open(profile).await;
    let epoch = store.owner().epoch;
    let sample = save(&*store, 1, 1, create("Sample")).await;
    let (ways_count, events_count) = (ways(&sample, epoch).len(), events(&sample, epoch).len());
    let mut number = 1;
    for way in 0..ways_count {
        for event in 0..events_count {
            number += 1;
            let mut row = save(&*store, number, number, create("Pair")).await;
            for step in ways(&row, epoch).swap_remove(way) {
                let guard = Guard::State(row.delivery.name());
                row = store.step(row.command_id, guard, step, at(START)).await.unwrap().unwrap();
            }
            meets(&*store, &row, events(&row, epoch).swap_remove(event)).await;
        }
    }
}

async fn meets(store: &dyn Store, row: &OutboxRow, event: DeliveryEvent) {
    let error = LastError { code: "temporarily-unavailable".into(), message: "busy".into(), at_ms: START.0 + 7 };
    let cause = StepCause { error: Some(error), not_before: Some(START.plus_ms(500)), at: START.plus_ms(7) };
    let guard = Guard::State(row.delivery.name());
    let taken = store.step(row.command_id, guard, event.clone(), cause.clone()).await;
    let history = store.history(row.command_id).await.unwrap();
    if let Ok((expected, entry)) = row.after(event.clone(), &cause) {
        assert_eq!(taken.as_ref(), Ok(&Some(expected.clone())), "{:?} meets {event:?}", row.delivery);
        assert_eq!(store.row(row.command_id).await.unwrap(), Some(expected.clone()));
        assert_eq!(history.last(), Some(&entry));
        assert_eq!(replayed(&history), Some(expected.delivery.name()));
    } else {
        let text = format!("{:?} meets {event:?}: {taken:?}", row.delivery);
        assert!(matches!(taken, Err(StoreError::Illegal(_))), "{text}");
        assert_eq!(store.row(row.command_id).await.unwrap().as_ref(), Some(row), "{text}");
        assert_eq!(replayed(&history), Some(row.delivery.name()));
    }
}

/// The state a history leads to; `None` if its steps do not join.
pub(super) fn replayed(history: &[HistoryEntry]) -> Option<StateName> {
    history.iter().try_fold(None, |state, entry| (entry.from == state).then_some(Some(entry.to))).flatten()
}
