//! A change as a window's line says it.

use std::collections::BTreeMap;

use domain::{CommandId, Timestamp};

use super::theirs::theirs;
use crate::delivery::{Delivery, OutboxRow};
use crate::mark::mark;
use crate::ports::{Ambient, Base};
use crate::view::{Pending, ResolutionView};

/// When rows in doubt were last sent, out of their histories.
pub type SentTimes = BTreeMap<CommandId, Timestamp>;

/// What a line says beyond its lane.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// How things stand.
    pub ambient: &'a Ambient,
    /// What the server last said of the case. For conflicts, its timeline.
    pub base: &'a Base,
    /// Of the rows for which [`is_sent_time_asked`].
    pub sent: &'a SentTimes,
}

/// Whether only the row's history says when it was last sent, and somebody wants to know.
pub fn is_sent_time_asked(row: &OutboxRow) -> bool {
    row.is_open() && matches!(row.delivery, Delivery::Unknown { .. })
}

/// `lane[index]` as a window's line says it.
pub fn pending(lane: &[OutboxRow], index: usize, around: Around<'_>) -> Pending {
    let row = &lane[index];
    let (mark, reason) = mark(lane, index, around.ambient);
    let last = theirs(row, around.base).filter(|_| row.is_open()).and_then(|theirs| theirs.last);
    Pending {
        command_id: row.command_id,
        case_id: row.case_id(),
        operation: row.operation,
        payload: row.payload.clone().unwrap_or_default(),
        from_status: row.seen.as_ref().map(|case| case.status),
        state: row.delivery.name(),
        mark,
        reason,
        attempt: row.attempt,
        next_attempt_at: planned(row),
        sent_at: match row.delivery {
            Delivery::Sending { sent_at, .. } => Some(sent_at),
            _ => around.sent.get(&row.command_id).copied(),
        },
        their_actor: last.map(|(actor, _)| actor),
        their_at: last.map(|(_, at)| at),
        created_at: row.created_at,
        updated_at: row.updated_at,
        resolution: row.resolution.map(|resolution| ResolutionView {
            kind: resolution.kind,
            by: resolution.by,
            at_ms: resolution.at.0,
        }),
    }
}

/// When the row is tried or asked about next.
pub(super) fn planned(row: &OutboxRow) -> Option<Timestamp> {
    row.delivery.due_at().filter(|_| row.is_open())
}
