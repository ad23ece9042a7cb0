//! Sending everything that may go, a few lanes at a time, one drain at a time.

use std::collections::BTreeSet;

use domain::CommandId;
use domain::registry::UnknownOutcome;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::deliver::{Attempt, is_about_link};
use super::{Engine, EngineError};
use crate::delivery::{DeliveryEvent, Hold, OutboxRow, StateName};
use crate::ports::Guard;

/// How many rows are under way at once.
const LANES: usize = 4;
/// How many rows in doubt are looked at in one drain.
const DOUBTS: usize = 200;

/// What a drain did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Drained {
    pub(super) sent: u32,
    pub(super) acked: u32,
}

impl Engine {
    /// Sends what may go. With `hurry`, rows in back-off go too, each once.
    pub(super) async fn drain(&self, hurry: bool) -> Result<Drained, EngineError> {
        let _one = self.draining.lock().await;
        let generation = self.generation();
        self.store_leftovers().await?;
        let mut drained = self.settle_doubts(generation, hurry).await?;
        loop {
            let round = self.send_claimable(generation, hurry && drained == Drained::default()).await?;
            drained.sent += round.sent;
            drained.acked += round.acked;
            // What waited for something that was received just now is tried again.
            if round.acked == 0 || self.ports.store.release(Hold::Dependency, self.now()).await? == 0 {
                return Ok(drained);
            }
        }
    }

    async fn send_claimable(&self, generation: u64, mut hurry: bool) -> Result<Drained, EngineError> {
        let (mut drained, mut failure) = (Drained::default(), None);
        let mut tried: BTreeSet<CommandId> = BTreeSet::new();
        let mut flights = FuturesUnordered::new();
        loop {
            while failure.is_none() && self.may_claim(generation) {
                // One row first: if the network or the session is gone, no more than one row has to find out.
                let lanes = if drained.sent == 0 { 1 } else { LANES };
                let free = lanes.saturating_sub(flights.len());
                if free == 0 {
                    break;
                }
                let tokens = || self.ports.ids.new_id();
                let rows = match self.ports.store.claim(self.now(), free, hurry, &tokens).await {
                    Ok(rows) => rows,
                    Err(error) => {
                        failure = Some(error.into());
                        break;
                    }
                };
                if rows.is_empty() {
                    break;
                }
                hurry = hurry && rows.iter().all(|row| tried.insert(row.command_id));
                flights.extend(rows.into_iter().map(|row| self.deliver(row, generation)));
            }
            match flights.next().await {
                None => break,
                Some(Ok(Attempt { sent, received })) => {
                    drained.sent += u32::from(sent);
                    drained.acked += u32::from(received);
                }
                Some(Err(error)) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            // How the link and the session stand is noted; the drain just ends here.
            Some(error) if !is_about_link(&error) => Err(error),
            _ => Ok(drained),
        }
    }

    fn may_claim(&self, generation: u64) -> bool {
        generation == self.generation() && self.live().may_send(self.now())
    }

    /// Rows in doubt that are due: the server is asked, or the row is sent again with its key.
    async fn settle_doubts(&self, generation: u64, hurry: bool) -> Result<Drained, EngineError> {
        let mut drained = Drained::default();
        let now = self.now();
        for row in self.ports.store.in_doubt(now, DOUBTS, hurry).await? {
            if !self.may_claim(generation) {
                break;
            }
            let is_asked_to_wait = row.not_before.is_some_and(|not_before| not_before > now);
            if row.delivery.hold().is_some() || is_asked_to_wait {
                continue;
            }
            match row.operation.policy().unknown_outcome {
                UnknownOutcome::Resend => self.resend(&row).await?,
                UnknownOutcome::ReconcileFirst => drained.acked += u32::from(self.look_up(&row).await?.is_received()),
            }
        }
        Ok(drained)
    }

    async fn resend(&self, row: &OutboxRow) -> Result<(), EngineError> {
        let now = row.delivery.due_at().unwrap_or(self.now()).max(self.now());
        let (guard, event) = (Guard::State(StateName::Unknown), DeliveryEvent::ResendDue { now });
        self.record(row, guard, event.clone(), self.plainly(), event).await.map(drop)
    }
}
