//! Order within a lane: one case's changes leave in the order they were made, unless they commute.

use domain::Timestamp;
use domain::registry::commute;

use crate::delivery::{Delivery, Hold, OutboxRow};

/// The nearest earlier row that must be received or decided before `lane[index]` may go.
pub fn blocker(lane: &[OutboxRow], index: usize) -> Option<&OutboxRow> {
    let row = lane.get(index)?;
    lane[..index].iter().rev().find(|earlier| earlier.is_open() && !commute(earlier.operation, row.operation))
}

/// The rows of one lane that may be claimed now, in order.
pub fn claimable(lane: &[OutboxRow], now: Timestamp, ignore_backoff: bool) -> Vec<usize> {
    (0..lane.len())
        .filter(|&index| is_due(&lane[index], now, ignore_backoff) && blocker(lane, index).is_none())
        .collect()
}

/// Whether a row may be claimed as far as its own state goes.
pub fn is_due(row: &OutboxRow, now: Timestamp, ignore_backoff: bool) -> bool {
    if row.payload.is_none() || row.resolution.is_some() {
        return false;
    }
    match &row.delivery {
        Delivery::Queued => true,
        Delivery::RetryableFailed { due_at: Some(due_at), hold } => {
            let may_hurry = ignore_backoff
                && matches!(hold, Hold::Time | Hold::Network | Hold::Dependency)
                && row.not_before.is_none_or(|not_before| not_before <= now);
            *due_at <= now || may_hurry
        }
        _ => false,
    }
}
