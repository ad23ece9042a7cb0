//! A word to one person that somebody else did something on their case.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, NotificationId, Revision, Timestamp};
use crate::registry::Operation;

/// One notification as the feed carries it, to its recipient alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Notification {
    /// The id of the command that caused it, and of that command's line in the timeline.
    pub id: NotificationId,
    /// The case it is about.
    pub case_id: CaseId,
    /// Who is told.
    pub recipient_id: ActorId,
    /// What was done.
    pub operation: Operation,
    /// When the recipient read it, by the recipient's clock.
    pub read_at: Option<Timestamp>,
    /// Rises once, when it is read.
    pub revision: Revision,
    /// When the server committed what it tells of.
    pub created_at: Timestamp,
    /// Who did it.
    pub created_by: ActorId,
}
