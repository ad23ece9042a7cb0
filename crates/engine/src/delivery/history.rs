//! What happened to a row: one entry a step, never changed. Replaying the entries gives the stored state.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::state::StateName;

/// One step of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HistoryEntry {
    /// When, by this computer's clock.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// The state before; `None` for the first entry.
    pub from: Option<StateName>,
    /// The state after.
    pub to: StateName,
    /// The event's name, see [`super::EventName`].
    pub event: String,
    /// How many sends were marked by then.
    pub attempt: u32,
    /// The failure's code, if one was the cause.
    pub code: Option<String>,
}

/// Whether a row with this past may have been applied: it was in doubt, and nothing has told since. Being queued or sent
/// again tells nothing.
pub fn may_be_applied(history: &[HistoryEntry]) -> bool {
    let is_told =
        |entry: &&HistoryEntry| !matches!(entry.to, StateName::Queued | StateName::Claimed | StateName::Sending);
    history.iter().rev().find(is_told).is_some_and(|entry| entry.to == StateName::Unknown)
}

/// Why the last attempt did not end in a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LastError {
    /// A problem's code, or one of ours: `unreachable`, `timeout`, `cut`, `not-our-answer`, `fence-mismatch`.
    pub code: String,
    /// For a person. No payload text and no secret is in it.
    pub message: String,
    /// When, by this computer's clock.
    #[ts(type = "number")]
    pub at_ms: i64,
}
