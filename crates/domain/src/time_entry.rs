//! A stretch of work on a case.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, Revision, TimeEntryId, Timestamp};

/// One time entry as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TimeEntry {
    /// The entry's id, made by its author's computer.
    pub id: TimeEntryId,
    /// The case it belongs to.
    pub case_id: CaseId,
    /// 1 to 1440.
    pub minutes: u16,
    /// `YYYY-MM-DD`.
    pub worked_on: String,
    /// What was done.
    pub note: Option<String>,
    /// Always 1.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who worked.
    pub created_by: ActorId,
}
