//! Order within a lane: one case's changes leave in the order they were made, unless they commute.

use domain::registry::commute;
use domain::{Operation, Payload, Timestamp};

use crate::delivery::{Delivery, Hold, OutboxRow};
use crate::projection::payload_of;

/// The nearest earlier row that must be received or decided before `lane[index]` may go.
pub fn blocker(lane: &[OutboxRow], index: usize) -> Option<&OutboxRow> {
    let row = lane.get(index)?;
    lane[..index].iter().rev().find(|earlier| earlier.is_open() && !are_commuting(earlier, row))
}

/// Whether the two may reach the server in either order. Adding and removing one tag may not, whatever else commutes.
fn are_commuting(earlier: &OutboxRow, later: &OutboxRow) -> bool {
    let is_tag = |operation| matches!(operation, Operation::TagAdd | Operation::TagRemove);
    let are_opposite = earlier.operation != later.operation && is_tag(earlier.operation) && is_tag(later.operation);
    commute(earlier.operation, later.operation) && !(are_opposite && tag_of(earlier) == tag_of(later))
}

fn tag_of(row: &OutboxRow) -> Option<String> {
    match payload_of(row)? {
        Payload::TagAdd(tag) | Payload::TagRemove(tag) => Some(tag.tag),
        _ => None,
    }
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
