//! Which mark and which sentence stand for a row (UI, section 4). The words are the window's.

use domain::{Role, Timestamp};

use crate::delivery::{Delivery, Hold, KeptReceipt, MISSING_AGAIN, OutboxRow, RECOVERED};
use crate::lane::blocker;
use crate::ports::Ambient;
use crate::view::{Mark, OutboxGroup, Reason};

/// Mark and reason of `lane[index]`.
pub fn mark(lane: &[OutboxRow], index: usize, ambient: &Ambient) -> (Mark, Reason) {
    let row = &lane[index];
    if row.payload.is_none() && row.is_open() {
        return (Mark::ContentLost, Reason::ContentLost);
    }
    match &row.delivery {
        Delivery::Sending { .. } | Delivery::Unknown { .. } if ambient.received.contains(&row.command_id) => {
            (Mark::ReceivedSavingHere, Reason::Received)
        }
        Delivery::Queued | Delivery::Claimed { .. } => waiting(lane, index, ambient),
        Delivery::Sending { sent_at, .. } => (Mark::Sending, Reason::AwaitingAnswer { sent_at: *sent_at }),
        Delivery::RetryableFailed { hold, .. } => held(row, *hold, lane, index, ambient),
        Delivery::Unknown { hold: Some(_), .. } if is_recovered(row) => (Mark::InDoubt, Reason::Recovered),
        Delivery::Unknown { hold: Some(_), .. } => (Mark::InDoubt, Reason::TooOld),
        Delivery::Unknown { hold: None, .. } => (Mark::InDoubt, doubt(row)),
        Delivery::Conflict { conflict } => {
            (Mark::Conflict, Reason::Conflict { fields: conflict.conflicting_fields.clone() })
        }
        Delivery::Rejected { refusal } => refused(&refusal.code, refusal.reason.as_deref()),
        Delivery::Acked { .. } if row.projected => (Mark::Received, Reason::Received),
        Delivery::Acked { receipt: KeptReceipt::Withheld } => (Mark::Received, Reason::Received),
        Delivery::Acked { .. } => (Mark::ReceivedSavingHere, Reason::Received),
    }
}

fn waiting(lane: &[OutboxRow], index: usize, ambient: &Ambient) -> (Mark, Reason) {
    if let Some(earlier) = blocker(lane, index) {
        let place = lane.iter().position(|row| row.command_id == earlier.command_id).unwrap_or(0);
        let (mark, _) = self::mark(lane, place, ambient);
        let reason = Reason::After { command_id: earlier.command_id, operation: earlier.operation, mark };
        return (Mark::Waiting, reason);
    }
    if ambient.sign_in_needed {
        (Mark::Waiting, Reason::SignIn)
    } else if ambient.paused {
        (Mark::Waiting, Reason::Paused)
    } else if ambient.offline {
        (Mark::Waiting, Reason::Offline)
    } else {
        (Mark::SavedHere, Reason::Next)
    }
}

fn held(row: &OutboxRow, hold: Hold, lane: &[OutboxRow], index: usize, ambient: &Ambient) -> (Mark, Reason) {
    let code = row.last_error.as_ref().map_or("", |error| error.code.as_str());
    match hold {
        Hold::Login => (Mark::Waiting, Reason::SignIn),
        Hold::Grant if code == "target-not-found" => (Mark::NoLongerYours, Reason::Hidden),
        Hold::Grant => (Mark::NotAllowed, Reason::Role),
        Hold::Confirmation => (Mark::ConfirmToSend, Reason::Confirmation),
        Hold::Dependency => (Mark::Waiting, Reason::Dependency),
        Hold::Person if code == MISSING_AGAIN => {
            let received_at = row.last_error.as_ref().map_or(row.updated_at, |error| Timestamp(error.at_ms));
            (Mark::MissingAgain, Reason::MissingAgain { received_at })
        }
        Hold::Person if is_recovered(row) => (Mark::Stopped, Reason::Recovered),
        Hold::Quarantined | Hold::Person => (Mark::Stopped, Reason::Quarantined { code: code.to_owned() }),
        Hold::Network | Hold::Time => match code {
            _ if blocker(lane, index).is_some() => waiting(lane, index, ambient),
            "not-our-answer" => (Mark::WillRetry, Reason::NotOurServer),
            "rate-limited" => (Mark::WillRetry, Reason::SlowDown),
            "temporarily-unavailable" => (Mark::WillRetry, Reason::ServerBusy),
            _ => (Mark::WillRetry, Reason::ConnectionFailed),
        },
    }
}

/// Read back from a damaged store and not yet put back.
fn is_recovered(row: &OutboxRow) -> bool {
    row.last_error.as_ref().is_some_and(|error| error.code == RECOVERED)
}

fn doubt(row: &OutboxRow) -> Reason {
    match row.operation.policy().unknown_outcome {
        domain::registry::UnknownOutcome::ReconcileFirst => Reason::AskFirst,
        domain::registry::UnknownOutcome::Resend => Reason::Resend,
    }
}

fn refused(code: &str, reason: Option<&str>) -> (Mark, Reason) {
    match code {
        "operation-sealed" => (Mark::StoppedForGood, Reason::Sealed),
        "target-deleted" => (Mark::Refused, Reason::Archived),
        "payload-too-large" => (Mark::Refused, Reason::TooLarge),
        "idempotency-key-reused" => (Mark::Refused, Reason::NumberReused),
        "dependency-failed" => (Mark::Refused, Reason::DependencyFailed),
        "domain-rejected" => (Mark::Refused, Reason::Rule { reason: reason.unwrap_or_default().to_owned() }),
        _ => (Mark::Refused, Reason::NotUnderstood),
    }
}

/// Which group of the sync centre a row stands in.
pub fn group(row: &OutboxRow) -> OutboxGroup {
    if row.resolution.is_some() {
        OutboxGroup::Discarded
    } else if !row.is_open() {
        OutboxGroup::Received
    } else if row.needs_attention() {
        OutboxGroup::NeedsYou
    } else if matches!(row.delivery, Delivery::Unknown { .. }) {
        OutboxGroup::InDoubt
    } else {
        OutboxGroup::Waiting
    }
}

/// Whether `role` may take the case to `to` (closing and reopening need a supervisor).
pub fn may_take_to(role: Role, to: domain::Status) -> bool {
    let payload = domain::Payload::CaseTransition(domain::payload::CaseTransition {
        to,
        reason_code: String::new(),
        comment: None,
    });
    role >= domain::Operation::least_role_for(&payload)
}
