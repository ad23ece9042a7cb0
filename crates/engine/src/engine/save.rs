//! Making an intent durable.

use domain::{CommandId, EntityId, Payload};

use super::{Engine, EngineError, Intent, Trigger};
use crate::accept::AcceptError;
use crate::failpoint::{Boundary, Failed, hit};
use crate::ports::{Draft, StoreError};
use crate::view::Saved;

impl Engine {
    /// Makes an intent durable. Works signed out; refused once the session was revoked, and if it changes nothing.
    pub async fn save(&self, intent: Intent) -> Result<Saved, EngineError> {
        let target = match (&intent.payload, intent.case_id) {
            (Payload::NotificationRead(read), _) => read.notification_id.into(),
            (_, Some(case_id)) => case_id.into(),
            (Payload::CaseCreate(_), None) => EntityId(self.ports.ids.new_id()),
            (_, None) => return Err(StoreError::Refused(AcceptError::UnknownCase).into()),
        };
        check_changes(&intent.payload)?;
        let session = self.ports.store.session().await?;
        if session.revoked {
            return Err(EngineError::Revoked);
        }
        let draft = Draft {
            intent_id: intent.intent_id,
            command_id: CommandId(self.ports.ids.new_id()),
            payload: intent.payload,
            target,
            session_version: session.version,
            issued_at: self.now(),
        };
        hit(Boundary::BeforeOutboxWrite).map_err(failed)?;
        let accepted = self.ports.store.accept(draft).await?;
        // It is saved: whatever fails from here on, the answer is not that it is not.
        if hit(Boundary::AfterOutboxWrite).is_ok() {
            self.tell_versions(accepted.versions);
        }
        if !accepted.already {
            self.nudge(Trigger::Saved);
        }
        Ok(Saved {
            case_id: accepted.row.case_id(),
            command_id: accepted.row.command_id,
            operation: accepted.row.operation,
            saved_at: accepted.row.created_at,
            already_saved: accepted.already,
        })
    }
}

/// Refuses an edit after which everything is as it was: it would raise the case's revision for nothing.
fn check_changes(payload: &Payload) -> Result<(), StoreError> {
    let pointer = match payload {
        Payload::CaseEdit(edit) if edit.changes.values().all(|change| change.from == change.to) => "/changes",
        Payload::CaseAssign(assign) if assign.from == assign.to => "/to",
        _ => return Ok(()),
    };
    let detail = "nothing would change".to_owned();
    Err(StoreError::Refused(AcceptError::Invalid { pointer: pointer.to_owned(), detail }))
}

pub(super) fn failed(_: Failed) -> EngineError {
    StoreError::Io("a step was made to fail".to_owned()).into()
}
