//! Order within a lane: one case's changes leave in the order they were made, unless they commute.

use domain::registry::commute;
use domain::{Operation, Timestamp};

use crate::delivery::{Delivery, Hold, OutboxRow};

/// The nearest earlier row that must be received or decided before `lane[index]` may go.
pub fn blocker(lane: &[OutboxRow], index: usize) -> Option<&OutboxRow> {
    let row = lane.get(index)?;
    lane[..index].iter().rev().find(|earlier| earlier.is_open() && !are_commuting(earlier, row))
}

/// Whether the two may reach the server in either order. What concerns one and the same thing may not, whatever else
/// commutes: a tag is put on before it is taken off, a task is added before it is done.
fn are_commuting(earlier: &OutboxRow, later: &OutboxRow) -> bool {
    let are_about_one = || thing(earlier).is_some_and(|one| thing(later) == Some(one));
    commute(earlier.operation, later.operation) && !are_about_one()
}

/// What a change is about within its target, where others may be about the same: the member that names it, and its
/// name. `None` also if the content is lost.
fn thing(row: &OutboxRow) -> Option<(&'static str, &str)> {
    let member = match row.operation {
        Operation::TagAdd | Operation::TagRemove => "tag",
        Operation::NoteAdd | Operation::NoteRedact => "note_id",
        Operation::TaskAdd | Operation::TaskSetDone => "task_id",
        Operation::CaseCreate
        | Operation::CaseEdit
        | Operation::CaseTransition
        | Operation::CaseAssign
        | Operation::CaseArchive
        | Operation::CaseRestore
        | Operation::TimeLog
        | Operation::InspectionRecord
        | Operation::NoticeIssue
        | Operation::NotificationRead => return None,
    };
    Some((member, row.payload.as_ref()?.get(member)?.as_str()?))
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
