//! The table of DESIGN 3, written out: every state meets every event.

use domain::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::state::{
    Claim, ConflictFound, Delivery, DeliveryEvent, EventName as E, Hold, IllegalTransition, KeptReceipt, Refusal,
    StateName as S,
};

const NOW: Timestamp = Timestamp(1_000);
const LATER: Timestamp = Timestamp(2_000);

fn claim() -> Claim {
    Claim { epoch: 1, token: Uuid::from_u128(7) }
}

fn conflict() -> ConflictFound {
    ConflictFound { current_revision: None, current: Value::Null, conflicting_fields: Vec::new() }
}

fn refusal() -> Refusal {
    Refusal { code: String::new(), reason: None, detail: String::new() }
}

/// Each state, with a name for each of its variants that matter.
fn states() -> Vec<(&'static str, Delivery)> {
    let failed = |due_at| Delivery::RetryableFailed { due_at, hold: Hold::Time };
    vec![
        ("queued", Delivery::Queued),
        ("claimed", Delivery::Claimed { claim: claim() }),
        ("sending", Delivery::Sending { claim: claim(), sent_at: NOW }),
        ("failed, due", failed(Some(NOW))),
        ("failed, not due", failed(Some(LATER))),
        ("failed, held", failed(None)),
        ("failed, unconfirmed", Delivery::RetryableFailed { due_at: None, hold: Hold::Confirmation }),
        ("unknown, due", Delivery::Unknown { ask_at: Some(NOW), hold: None }),
        ("unknown, not due", Delivery::Unknown { ask_at: Some(LATER), hold: None }),
        ("unknown, held", Delivery::Unknown { ask_at: None, hold: Some(Hold::Person) }),
        ("conflict", Delivery::Conflict { conflict: conflict() }),
        ("rejected", Delivery::Rejected { refusal: refusal() }),
        ("acked", Delivery::Acked { receipt: KeptReceipt::Withheld }),
    ]
}

fn events() -> Vec<DeliveryEvent> {
    vec![
        DeliveryEvent::ClaimedBy { claim: claim(), now: NOW },
        DeliveryEvent::ClaimEnded { ask_at: NOW },
        DeliveryEvent::SendMarked { now: NOW },
        DeliveryEvent::ReceiptValid(KeptReceipt::Withheld),
        DeliveryEvent::ReceiptFenced(KeptReceipt::Withheld),
        DeliveryEvent::NotApplied { due_at: None, hold: Hold::Login },
        DeliveryEvent::OutcomeUnknown { ask_at: NOW },
        DeliveryEvent::StillUnknown { ask_at: NOW },
        DeliveryEvent::WindowExpired,
        DeliveryEvent::NotSeen,
        DeliveryEvent::ResendDue { now: NOW },
        DeliveryEvent::FeedShowed { position: 1 },
        DeliveryEvent::ConflictFound(conflict()),
        DeliveryEvent::Refused(refusal()),
        DeliveryEvent::MissingAgain,
        DeliveryEvent::Requeued,
        DeliveryEvent::Confirmed { at: NOW },
    ]
}

/// Every legal pair, and where it leads.
const LEGAL: &[(&str, E, S)] = &[
    ("queued", E::ClaimedBy, S::Claimed),
    ("claimed", E::ClaimEnded, S::Queued),
    ("claimed", E::SendMarked, S::Sending),
    ("sending", E::ClaimEnded, S::Unknown),
    ("sending", E::ReceiptValid, S::Acked),
    ("sending", E::ReceiptFenced, S::Acked),
    ("sending", E::NotApplied, S::RetryableFailed),
    ("sending", E::OutcomeUnknown, S::Unknown),
    ("sending", E::WindowExpired, S::Unknown),
    ("sending", E::ConflictFound, S::Conflict),
    ("sending", E::Refused, S::Rejected),
    ("acked", E::MissingAgain, S::RetryableFailed),
    ("failed, due", E::ClaimedBy, S::Claimed),
    ("failed, due", E::Requeued, S::Queued),
    ("failed, not due", E::Requeued, S::Queued),
    ("failed, held", E::Requeued, S::Queued),
    ("failed, unconfirmed", E::Requeued, S::Queued),
    ("failed, unconfirmed", E::Confirmed, S::Queued),
    ("unknown, due", E::ReceiptValid, S::Acked),
    ("unknown, due", E::ReceiptFenced, S::Acked),
    ("unknown, due", E::StillUnknown, S::Unknown),
    ("unknown, due", E::WindowExpired, S::Unknown),
    ("unknown, due", E::NotSeen, S::Queued),
    ("unknown, due", E::ResendDue, S::Queued),
    ("unknown, due", E::FeedShowed, S::Acked),
    ("unknown, due", E::ConflictFound, S::Conflict),
    ("unknown, due", E::Refused, S::Rejected),
    ("unknown, not due", E::ReceiptValid, S::Acked),
    ("unknown, not due", E::ReceiptFenced, S::Acked),
    ("unknown, not due", E::StillUnknown, S::Unknown),
    ("unknown, not due", E::WindowExpired, S::Unknown),
    ("unknown, not due", E::NotSeen, S::Queued),
    ("unknown, not due", E::FeedShowed, S::Acked),
    ("unknown, not due", E::ConflictFound, S::Conflict),
    ("unknown, not due", E::Refused, S::Rejected),
    ("unknown, held", E::ReceiptValid, S::Acked),
    ("unknown, held", E::ReceiptFenced, S::Acked),
    ("unknown, held", E::StillUnknown, S::Unknown),
    ("unknown, held", E::WindowExpired, S::Unknown),
    ("unknown, held", E::NotSeen, S::Queued),
    ("unknown, held", E::FeedShowed, S::Acked),
    ("unknown, held", E::ConflictFound, S::Conflict),
    ("unknown, held", E::Refused, S::Rejected),
];

#[test]
fn every_pair_is_legal_as_the_table_says_or_refused() {
    for (name, state) in states() {
        for event in events() {
            let (from, event_name) = (state.name(), event.name());
            let after = state.clone().after(event);
            let legal = LEGAL.iter().find(|(one, event, _)| *one == name && *event == event_name);
            if let Some((_, _, to)) = legal {
                assert_eq!(after.map(|state| state.name()), Ok(*to), "{name} meets {event_name:?}");
            } else {
                let refused = IllegalTransition { state: from, event: event_name };
                assert_eq!(after, Err(refused), "{name} meets {event_name:?}");
            }
        }
    }
}

/// CASES E3: a sent row cannot be parked, and one held for a person stays so until evidence comes.
#[test]
fn a_row_in_doubt_keeps_its_hold() {
    let held = Delivery::Unknown { ask_at: None, hold: Some(Hold::Person) };
    assert_eq!(held.clone().after(DeliveryEvent::StillUnknown { ask_at: NOW }), Ok(held));
}
