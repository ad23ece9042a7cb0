//! A note on a case.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, NoteId, Revision, Timestamp};

/// One note as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Note {
    /// The note's id, made by its author's computer.
    pub id: NoteId,
    /// The case it belongs to.
    pub case_id: CaseId,
    /// Byte for byte as typed; never interpreted as HTML. Empty once it is redacted.
    pub text: String,
    /// Whether its text was taken away for good.
    #[serde(default)]
    pub redacted: bool,
    /// Why, if it was.
    #[serde(default)]
    pub redaction_reason: Option<String>,
    /// Starts at 1.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Its author.
    pub created_by: ActorId,
}
