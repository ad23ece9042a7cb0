//! Waits that lie too far ahead, after a clock that jumped or a long sleep, are pulled back (DESIGN 3).

use domain::Timestamp;

use super::retry::{BACKOFF_MS_MAX, RETRY_AFTER_MS_MAX};
use super::row::OutboxRow;
use super::state::Delivery;

impl OutboxRow {
    /// The row with no wait beyond its cap from `now`; `None` if none was.
    pub fn with_wait_within_cap(&self, now: Timestamp) -> Option<Self> {
        let not_before = self.not_before.map(|at| at.min(now.plus_ms(RETRY_AFTER_MS_MAX)));
        let cap = now.plus_ms(BACKOFF_MS_MAX).max(not_before.unwrap_or(now));
        let mut row = self.clone();
        row.not_before = not_before;
        match &mut row.delivery {
            Delivery::RetryableFailed { due_at: Some(at), .. } | Delivery::Unknown { ask_at: Some(at), .. } => {
                *at = (*at).min(cap);
            }
            _ => {}
        }
        (row != *self).then_some(row)
    }
}
