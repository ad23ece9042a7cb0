//! What follows from an answer: for the row an event, for the sender what it does next.

use domain::Timestamp;

use super::is_rows_own;
use crate::delivery::retry::{RETRY_AFTER_MS_MAX, SAME_FAILURES_MAX, next_try};
use crate::delivery::{ConflictFound, DeliveryEvent, Hold, KeptReceipt, LastError, OutboxRow, Refusal};
use crate::ports::StepCause;

/// What an answer means.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// For the row.
    pub outcome: Outcome,
    /// The failure's code, if it is one.
    pub code: Option<String>,
    /// For a person; no payload text is in it.
    pub message: String,
    /// How long the server asks to wait, as sent.
    pub retry_after_ms: Option<i64>,
    /// For the sender.
    pub sender: Sender,
}

/// What became of the row.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Committed.
    Received(KeptReceipt),
    /// Surely not applied.
    NotApplied(Hold),
    /// Not known.
    Unknown,
    /// The server no longer keeps answers this old.
    WindowExpired,
    /// The server has no record of it.
    NotSeen,
    /// The target was not what the actor saw.
    Conflict(ConflictFound),
    /// Refused for good.
    Refused(Refusal),
}

/// What the sender does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// The server answered; others go on.
    GoesOn,
    /// No answer of ours came; others go on, but if it happens again and again the server counts as gone.
    Unanswered,
    /// Nothing can be sent; wait for the network.
    Offline,
    /// Somebody else answers there; wait until the server does.
    NotOurServer,
    /// Nothing more before the server's wait is over.
    SlowsDown,
    /// Get a new access token, once, and send this row again.
    Refreshes,
    /// Nothing more before a sign-in.
    SignsIn,
    /// Nothing more: the session was ended.
    Revoked,
}

impl Verdict {
    pub(super) fn of(outcome: Outcome) -> Self {
        Self { outcome, code: None, message: String::new(), retry_after_ms: None, sender: Sender::GoesOn }
    }

    pub(super) fn received(receipt: KeptReceipt) -> Self {
        Self::of(Outcome::Received(receipt))
    }

    pub(super) fn unknown(code: &str, message: &str, sender: Sender) -> Self {
        let (code, message) = (Some(code.to_owned()), message.to_owned());
        Self { code, message, sender, ..Self::of(Outcome::Unknown) }
    }

    pub(super) fn not_applied(hold: Hold, code: &str, message: &str, sender: Sender) -> Self {
        Self { outcome: Outcome::NotApplied(hold), ..Self::unknown(code, message, sender) }
    }

    /// The event for a row that is being sent. `served_at` is when the server last served anything: a server that is
    /// busy for everybody says nothing about one row, and does not quarantine it. `was_in_doubt` is whether an earlier
    /// attempt may have been applied: then an answer that was given before the server looked at the key tells nothing
    /// about the row, and the doubt stays (R7).
    pub fn event(
        &self,
        row: &OutboxRow,
        now: Timestamp,
        fraction: f64,
        served_at: Option<Timestamp>,
        was_in_doubt: bool,
    ) -> (DeliveryEvent, StepCause) {
        let is_same = row.last_error.as_ref().is_some_and(|last| Some(&last.code) == self.code.as_ref());
        let failures = if is_same { row.same_failures.saturating_add(1) } else { 1 };
        let next = next_try(now, failures, fraction, self.retry_after_ms);
        let is_poison = failures >= SAME_FAILURES_MAX && is_rows_own(row, served_at);
        let event = match &self.outcome {
            Outcome::Received(receipt) => DeliveryEvent::ReceiptValid(receipt.clone()),
            Outcome::Unknown | Outcome::NotSeen => DeliveryEvent::OutcomeUnknown { ask_at: next },
            Outcome::WindowExpired => DeliveryEvent::WindowExpired,
            Outcome::Conflict(conflict) => DeliveryEvent::ConflictFound(conflict.clone()),
            Outcome::Refused(refusal) => DeliveryEvent::Refused(refusal.clone()),
            Outcome::NotApplied(Hold::Login) if was_in_doubt => DeliveryEvent::OutcomeUnknown { ask_at: now },
            Outcome::NotApplied(Hold::Time | Hold::Network) if was_in_doubt => {
                DeliveryEvent::OutcomeUnknown { ask_at: next }
            }
            Outcome::NotApplied(Hold::Time | Hold::Dependency) if is_poison => {
                DeliveryEvent::NotApplied { due_at: None, hold: Hold::Quarantined }
            }
            Outcome::NotApplied(hold) => DeliveryEvent::NotApplied { due_at: due(*hold, next), hold: *hold },
        };
        (event, self.cause(now))
    }

    /// The event for a row in doubt that was asked about.
    pub fn event_in_doubt(&self, row: &OutboxRow, now: Timestamp, fraction: f64) -> (DeliveryEvent, StepCause) {
        match &self.outcome {
            Outcome::NotSeen => (DeliveryEvent::NotSeen, self.cause(now)),
            Outcome::Unknown | Outcome::NotApplied(_) => {
                let is_same = row.last_error.as_ref().is_some_and(|last| Some(&last.code) == self.code.as_ref());
                let failures = if is_same { row.same_failures.saturating_add(1) } else { 1 };
                let ask_at = next_try(now, failures, fraction, self.retry_after_ms);
                (DeliveryEvent::StillUnknown { ask_at }, self.cause(now))
            }
            _ => self.event(row, now, fraction, None, true),
        }
    }

    fn cause(&self, now: Timestamp) -> StepCause {
        let asked = self.retry_after_ms.map(|ms| now.plus_ms(ms.clamp(0, RETRY_AFTER_MS_MAX)));
        StepCause {
            error: self.code.as_ref().map(|code| LastError {
                code: code.clone(),
                message: self.message.clone(),
                at_ms: now.0,
            }),
            not_before: asked.filter(|_| matches!(self.outcome, Outcome::NotApplied(_) | Outcome::Unknown)),
            at: now,
        }
    }
}

/// What waits for a person or another event is not due by itself.
fn due(hold: Hold, next: Timestamp) -> Option<Timestamp> {
    matches!(hold, Hold::Time | Hold::Network | Hold::Dependency).then_some(next)
}
