//! A task on a case.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, Revision, TaskId, Timestamp};

/// One task as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Task {
    /// The task's id, made by its author's computer.
    pub id: TaskId,
    /// The case it belongs to.
    pub case_id: CaseId,
    /// What is to be done.
    pub title: String,
    /// By when, `YYYY-MM-DD`.
    pub due_on: Option<String>,
    /// Whether it is done.
    pub done: bool,
    /// Rises when it is done or opened again.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who added it.
    pub created_by: ActorId,
}
