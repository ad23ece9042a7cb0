//! A person decides a conflict: a new change comes instead, or nothing does.

use domain::{CommandId, Operation};

use super::{Engine, EngineError, Trigger};
use crate::decision::decided_payload;
use crate::delivery::{Delivery, OutboxRow, StateName};
use crate::ports::{Base, Decided, Draft};
use crate::view::{ConflictDecision, Saved};

impl Engine {
    /// Decides a conflict, or a refusal. `None` if nothing has to be sent instead.
    pub async fn resolve(&self, command: CommandId, decision: ConflictDecision) -> Result<Option<Saved>, EngineError> {
        let row = self.row(command).await?;
        if !row.is_open() || !matches!(row.delivery.name(), StateName::Conflict | StateName::Rejected) {
            return Err(EngineError::NotAllowed("it is not waiting for a decision".to_owned()));
        }
        let base = self.newest_base(&row).await?;
        let payload = decided_payload(&row, &decision, &base).map_err(EngineError::NotAllowed)?;
        let Some(payload) = payload else {
            self.decide(command, nothing_instead(&row)).await?;
            return Ok(None);
        };
        let session = self.ports.store.session().await?;
        if session.revoked {
            return Err(EngineError::Revoked);
        }
        let draft = Draft {
            intent_id: self.ports.ids.new_id(),
            command_id: CommandId(self.ports.ids.new_id()),
            payload,
            target: row.target,
            session_version: session.version,
            issued_at: self.now(),
        };
        let successor = draft.command_id;
        let rows = self.decide(command, Decided::Supersede(Box::new(draft))).await?;
        Ok(rows.into_iter().find(|row| row.command_id == successor).map(|row| Saved {
            case_id: row.case_id(),
            command_id: row.command_id,
            operation: row.operation,
            saved_at: row.created_at,
            already_saved: false,
        }))
    }

    async fn decide(&self, command: CommandId, decided: Decided) -> Result<Vec<OutboxRow>, EngineError> {
        let ids = || self.ports.ids.new_id();
        let rows = self.ports.store.decide(command, decided, self.now(), &ids).await?;
        self.tell_rows().await;
        self.nudge(Trigger::Saved);
        rows.ok_or_else(|| EngineError::NotAllowed("it is decided already".to_owned()))
    }

    /// The server's state; read again first if the conflict is about a newer one than is held here.
    async fn newest_base(&self, row: &OutboxRow) -> Result<Base, EngineError> {
        let case = row.case_id();
        let base = self.ports.store.base(case).await?;
        let held = base.case.as_ref().map_or(0, |case| case.revision.0);
        let is_older = match &row.delivery {
            Delivery::Conflict { conflict } => conflict.current_revision.is_some_and(|revision| revision > held),
            _ => false,
        };
        if !is_older {
            return Ok(base);
        }
        // Without the network the decision is based on what the conflict itself said.
        if let Err(error) = self.pull().await {
            tracing::debug!(%error, "decided without a newer state");
        }
        Ok(self.ports.store.base(case).await?)
    }
}

/// A case that was never opened takes its lane with it.
fn nothing_instead(row: &OutboxRow) -> Decided {
    if row.operation == Operation::CaseCreate { Decided::Discard } else { Decided::KeepTheirs }
}
