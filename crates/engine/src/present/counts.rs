//! The outbox in numbers: each is a count of rows, nothing is kept beside them.

use std::collections::BTreeSet;

use domain::Timestamp;

use crate::delivery::{Delivery, OutboxRow};
use crate::mark::group;
use crate::view::{Counts, OutboxGroup};

/// Counts `rows`; `since` bounds `received_today`.
pub fn counts<'a>(rows: impl IntoIterator<Item = &'a OutboxRow>, since: Timestamp) -> Counts {
    let mut counts = Counts::default();
    let mut open_cases = BTreeSet::new();
    for row in rows {
        if row.resolution.is_none() {
            *counts.by_state.entry(row.delivery.name()).or_default() += 1;
        }
        if row.is_open() {
            counts.open += 1;
            open_cases.extend(row.is_about_case().then_some(row.target));
            counts.waiting += u32::from(group(row) == OutboxGroup::Waiting);
            counts.in_doubt += u32::from(matches!(row.delivery, Delivery::Unknown { .. }));
            counts.needs_attention += u32::from(row.needs_attention());
        }
        let is_received = matches!(row.delivery, Delivery::Acked { .. }) && row.resolution.is_none();
        counts.received_today += u32::from(is_received && row.updated_at >= since);
    }
    counts.open_cases = u32::try_from(open_cases.len()).unwrap_or(u32::MAX);
    counts
}
