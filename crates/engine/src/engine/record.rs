//! Storing steps. A step that the disk refuses is kept and stored before anything else is sent (CASES B1).

use super::live::Leftover;
use super::{Engine, EngineError};
use crate::delivery::{DeliveryEvent, OutboxRow};
use crate::ports::{Guard, StepCause, StoreError};

impl Engine {
    /// Stores a step. If that fails, `instead` is stored later: the same event for an answer that came, the end of
    /// the claim for a mark that could not be set.
    pub(super) async fn record(
        &self,
        row: &OutboxRow,
        guard: Guard,
        event: DeliveryEvent,
        cause: StepCause,
        instead: DeliveryEvent,
    ) -> Result<Option<OutboxRow>, EngineError> {
        match self.ports.store.step(row.command_id, guard, event, cause.clone()).await {
            Ok(stepped) => {
                self.tell_rows().await;
                Ok(stepped)
            }
            Err(error) => {
                if !matches!(error, StoreError::OwnerLost | StoreError::Illegal(_)) {
                    self.keep_for_later(row, guard, instead, cause);
                }
                Err(error.into())
            }
        }
    }

    pub(super) fn keep_for_later(&self, row: &OutboxRow, guard: Guard, event: DeliveryEvent, cause: StepCause) {
        let leftover = Leftover { command: row.command_id, guard, event, cause };
        let is_receipt = leftover.is_receipt();
        self.live().leftovers.push(leftover);
        if is_receipt {
            // The store has no new version to tell of; what the marks say is new all the same.
            self.tell_link();
        }
    }

    /// Stores what could not be stored before.
    pub(super) async fn store_leftovers(&self) -> Result<(), EngineError> {
        loop {
            let Some(leftover) = self.live().leftovers.first().cloned() else { return Ok(()) };
            let Leftover { command, guard, event, cause } = leftover;
            self.ports.store.step(command, guard, event, cause).await?;
            self.live().leftovers.remove(0);
            self.tell_rows().await;
        }
    }
}
