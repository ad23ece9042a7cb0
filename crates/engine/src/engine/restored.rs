//! The server was put back to an earlier time: its feed has another epoch (CASES B4).
//!
//! What it had confirmed before may be gone there. Before a page of the new epoch is applied, the server is asked about
//! every received row; those it has not seen come back to their actor, who decides: nothing is sent again by itself, and
//! nothing is forgotten. If it is sent again, it goes under its old key. If the wrong backup had been put back and the right
//! one follows, what is there again is not missing any more. The epoch is remembered only when every row was
//! asked about, so that a crash or a lost connection on the way asks again.

use wire::{Lookup, LookupAnswer};

use super::request::asked;
use super::{Engine, EngineError};
use crate::classify::{Outcome, of_status};
use crate::delivery::{Delivery, DeliveryEvent, Hold, KeptReceipt, LastError, MISSING_AGAIN, OutboxRow, StateName};
use crate::ports::{Guard, Method, OutboxFilter, StepCause};
use crate::view::OutboxRowView;

impl Engine {
    /// Asks about what was received if `epoch` is not the one it was received under. A cursor that the server took
    /// belongs to its epoch. Returns how many missing rows the server has again.
    pub(super) async fn compare_epoch(&self, epoch: &str, took_cursor: bool) -> Result<u32, EngineError> {
        let known = self.ports.store.feed_epoch().await?;
        if known.as_deref() == Some(epoch) {
            return Ok(0);
        }
        let found_again = self.ask_about_missing().await?;
        let is_same = known.is_none() && took_cursor;
        if is_same || self.ask_about_received().await? {
            self.ports.store.set_feed_epoch(epoch.to_owned()).await?;
        }
        Ok(found_again)
    }

    /// How many rows that the server no longer has wait for a decision.
    pub async fn missing_again(&self) -> Result<u32, EngineError> {
        Ok(u32::try_from(self.missing().await?.len()).unwrap_or(u32::MAX))
    }

    async fn missing(&self) -> Result<Vec<OutboxRowView>, EngineError> {
        let filter = OutboxFilter { states: vec![StateName::RetryableFailed], all: false };
        let mut rows = self.ports.store.outbox(filter).await?;
        let is_missing = |error: &LastError| error.code == MISSING_AGAIN;
        rows.retain(|row| row.hold == Some(Hold::Person) && row.last_error.as_ref().is_some_and(is_missing));
        Ok(rows)
    }

    /// What the server has again needs nobody's decision: it goes for the receipt that its key gives.
    async fn ask_about_missing(&self) -> Result<u32, EngineError> {
        let mut found_again = 0;
        for views in self.missing().await?.chunks(wire::LOOKUP_KEYS_MAX) {
            let mut rows = Vec::with_capacity(views.len());
            for view in views {
                rows.push(self.row(view.command_id).await?);
            }
            for (row, outcome) in self.look_up_all(rows).await? {
                if matches!(outcome, Outcome::Received(_)) {
                    self.put_back(&row).await?;
                    found_again += 1;
                }
            }
        }
        Ok(found_again)
    }

    /// What a session's windows say of missing rows changes with each decision about one.
    pub(super) fn tell_decided(&self, row: &OutboxRow) {
        if row.last_error.as_ref().is_some_and(|error| error.code == MISSING_AGAIN) {
            self.tell_session();
        }
    }

    /// Asks about every received row. False if the server could not say of some yet.
    async fn ask_about_received(&self) -> Result<bool, EngineError> {
        // A receipt that could not be stored so far is one of them.
        self.store_leftovers().await?;
        let (mut after, mut is_whole, mut missing) = (0, true, 0_u32);
        loop {
            let rows = self.ports.store.received_after(after, wire::LOOKUP_KEYS_MAX).await?;
            let Some(last) = rows.last() else { break };
            after = last.seq;
            for (row, outcome) in self.look_up_all(rows).await? {
                match outcome {
                    // A refusal under a key that had been received: it was sealed after the server was put back.
                    Outcome::NotSeen | Outcome::Conflict(_) | Outcome::Refused(_) => {
                        missing += u32::from(self.came_back(&row).await?);
                    }
                    Outcome::Unknown | Outcome::NotApplied(_) => is_whole = false,
                    // Of those older than the server keeps answers it says nothing: they count as received.
                    Outcome::Received(_) | Outcome::WindowExpired => {}
                }
            }
        }
        if missing > 0 {
            tracing::warn!(missing, "the server was put back to an earlier time and no longer has these changes");
            self.tell_rows().await;
            self.tell_session();
        }
        Ok(is_whole)
    }

    async fn look_up_all(&self, rows: Vec<OutboxRow>) -> Result<Vec<(OutboxRow, Outcome)>, EngineError> {
        let lookup = Lookup { keys: rows.iter().map(|row| row.key.clone()).collect() };
        let body = serde_json::to_vec(&lookup).map_err(|_| EngineError::NotFound)?;
        let path = "/v1/operations/lookup";
        let (_, _, said) = self.read_about::<LookupAnswer>(Method::Post, path, Some(body)).await?;
        let answer = asked(said)?;
        let is_in_order = answer.results.len() == rows.len()
            && answer.results.iter().zip(&rows).all(|(found, row)| found.idempotency_key == row.key);
        if !is_in_order {
            return Err(EngineError::NotOurServer);
        }
        let outcomes = rows.into_iter().zip(answer.results).map(|(row, found)| {
            let outcome = of_status(found.status, &row).outcome;
            (row, outcome)
        });
        Ok(outcomes.collect())
    }

    /// Puts a row that the server no longer has before its actor.
    async fn came_back(&self, row: &OutboxRow) -> Result<bool, EngineError> {
        let received_at = match &row.delivery {
            Delivery::Acked { receipt: KeptReceipt::Full { receipt } } => receipt.committed_at,
            _ => row.updated_at,
        };
        let message = "the server was put back to an earlier time and no longer has it".to_owned();
        let error = LastError { code: MISSING_AGAIN.to_owned(), message, at_ms: received_at.0 };
        let cause = StepCause { error: Some(error), not_before: None, at: self.now() };
        let guard = Guard::State(StateName::Acked);
        let stepped = self.ports.store.step(row.command_id, guard, DeliveryEvent::MissingAgain, cause).await?;
        Ok(stepped.is_some())
    }
}
