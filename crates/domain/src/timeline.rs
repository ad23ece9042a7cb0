//! One line of a case's timeline: what a committed command did.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, CommandId, Revision, Timestamp};
use crate::payload::Payload;
use crate::registry::Operation;

/// One per committed command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Activity {
    /// The command that did it.
    pub id: CommandId,
    /// The case it was done on.
    pub case_id: CaseId,
    /// What was done.
    pub operation: Operation,
    /// What exactly: the command's payload without the texts that an entity of their own holds.
    #[ts(type = "unknown")]
    pub payload: serde_json::Value,
    /// For a status change, where it came from.
    pub from_status: Option<crate::case::Status>,
    /// When the actor did it, by the actor's clock.
    pub issued_at: Timestamp,
    /// Always 1.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who did it.
    pub created_by: ActorId,
}

impl Activity {
    /// The line for a command on `case_id` that was committed at `at`; `case` is the case before it.
    pub fn of(
        command: &crate::decide::Command,
        case_id: CaseId,
        case: Option<&crate::case::Case>,
        at: Timestamp,
    ) -> Self {
        Self {
            id: command.id,
            case_id,
            operation: command.payload.operation(),
            payload: command.payload.summary(),
            from_status: match command.payload {
                Payload::CaseTransition(_) => case.map(|case| case.status),
                _ => None,
            },
            issued_at: command.issued_at,
            revision: Revision(1),
            created_at: at,
            created_by: command.actor,
        }
    }
}
