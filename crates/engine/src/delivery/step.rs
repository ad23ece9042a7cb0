//! One step of a row: its state by [`Delivery::after`], and what goes with it. Every store stores exactly this.

use super::history::HistoryEntry;
use super::row::OutboxRow;
use super::state::{Delivery, DeliveryEvent, EventName, Hold, IllegalTransition};
use crate::ports::StepCause;

impl OutboxRow {
    /// The row after `event`, with the entry for its history.
    ///
    /// # Errors
    /// [`IllegalTransition`] if `event` cannot happen in this state.
    pub fn after(&self, event: DeliveryEvent, cause: &StepCause) -> Result<(Self, HistoryEntry), IllegalTransition> {
        let name = event.name();
        let confirmed_at = match event {
            DeliveryEvent::Confirmed { at } => Some(at),
            _ => self.confirmed_at,
        };
        let freed_from = self.delivery.hold();
        let mut row = self.clone();
        row.delivery = self.delivery.clone().after(event)?;
        row.updated_at = cause.at;
        row.not_before = cause.not_before;
        row.confirmed_at = confirmed_at;
        if name == EventName::MissingAgain {
            // What is held of the server's state will not contain it: it is drawn over that once more.
            row.projected = false;
        }
        if name == EventName::SendMarked {
            row.attempt = row.attempt.saturating_add(1);
        }
        if let Some(error) = &cause.error {
            let is_same = self.last_error.as_ref().is_some_and(|last| last.code == error.code);
            row.same_failures = if is_same { self.same_failures.saturating_add(1) } else { 1 };
            row.last_error = Some(error.clone());
        }
        if matches!(row.delivery, Delivery::Acked { .. }) {
            row.same_failures = 0;
            row.last_error = None;
        }
        // A person or the network asked for it: it starts afresh. What waits for others keeps its count, or it
        // would be freed and refused for ever.
        let is_freed = matches!(name, EventName::Requeued | EventName::Confirmed);
        if is_freed && !matches!(freed_from, Some(Hold::Dependency | Hold::Grant | Hold::Login)) {
            row.same_failures = 0;
        }
        let entry = HistoryEntry {
            at_ms: cause.at.0,
            from: Some(self.delivery.name()),
            to: row.delivery.name(),
            event: name.name().to_owned(),
            attempt: row.attempt,
            code: cause.error.as_ref().map(|error| error.code.clone()),
        };
        Ok((row, entry))
    }
}

impl EventName {
    /// The name in the history.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::ClaimedBy => "claimed_by",
            Self::ClaimEnded => "claim_ended",
            Self::SendMarked => "send_marked",
            Self::ReceiptValid => "receipt_valid",
            Self::ReceiptFenced => "receipt_fenced",
            Self::NotApplied => "not_applied",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::StillUnknown => "still_unknown",
            Self::WindowExpired => "window_expired",
            Self::NotSeen => "not_seen",
            Self::ResendDue => "resend_due",
            Self::FeedShowed => "feed_showed",
            Self::ConflictFound => "conflict_found",
            Self::Refused => "refused",
            Self::MissingAgain => "missing_again",
            Self::Requeued => "requeued",
            Self::Confirmed => "confirmed",
            Self::Superseded => "superseded",
            Self::Rebased => "rebased",
            Self::Discarded => "discarded",
            Self::Projected => "projected",
        }
    }
}
