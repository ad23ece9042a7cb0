//! One sync from beginning to end, as the command line asks for it.

use domain::Timestamp;

use super::deliver::is_about_link;
use super::{Engine, EngineError, SyncOptions, SyncReport};
use crate::delivery::Hold;
use crate::delivery::retry::next_try;
use crate::ports::OutboxFilter;

/// The least rest between two rounds of which the second has nothing new to send.
const REST_MS_LEAST: i64 = 50;

impl Engine {
    /// Delivers and pulls until nothing is due by itself before the deadline. A server that is busy, or that does not
    /// answer once it was reached, is tried again; one that cannot be reached ends it.
    pub async fn sync_once(&self, options: SyncOptions) -> Result<SyncReport, EngineError> {
        let deadline = self.now().plus_ms(options.deadline_ms);
        let (mut report, mut is_over) = (SyncReport::default(), false);
        let result = {
            let work = self.work_until(deadline, options.ignore_backoff, &mut report);
            tokio::pin!(work);
            tokio::select! {
                biased;
                result = &mut work => result,
                () = self.ports.clock.sleep_ms(options.deadline_ms) => {
                    is_over = true;
                    self.cut_off();
                    work.await
                }
            }
        };
        report.timed_out |= is_over;
        match result {
            Err(error) if !is_about_link(&error) => return Err(error),
            Err(EngineError::Throttled { .. }) => report.asks_to_wait = true,
            Err(EngineError::SignInNeeded | EngineError::Revoked) | Ok(()) => {}
            Err(error) => {
                report.unreachable = true;
                report.failure = Some(error);
            }
        }
        self.sum_up(deadline, report).await
    }

    /// Rounds until nothing is due before the deadline. The error is what the last whole round said about the link.
    async fn work_until(&self, deadline: Timestamp, hurry: bool, report: &mut SyncReport) -> Result<(), EngineError> {
        let generation = self.generation();
        self.live().network = None;
        if hurry {
            // A right that was given back is found out by trying; so is a case that became visible.
            self.ports.store.release(Hold::Grant, self.now()).await?;
        }
        let (mut hurry, mut failures, mut failure) = (hurry, 0_u32, None);
        loop {
            let round = self.sync_round(generation, &mut hurry, report).await;
            if generation != self.generation() {
                // What was cut off by the deadline says nothing about the server.
                return failure.map_or(Ok(()), Err);
            }
            let has_settled = match round {
                Err(error) if !is_about_link(&error) => return Err(error),
                Err(error) => {
                    failures += 1;
                    failure = Some(error);
                    false
                }
                Ok(settled) => {
                    (failures, failure) = (0, None);
                    settled > 0
                }
            };
            if self.cannot_go_on() {
                return failure.map_or(Ok(()), Err);
            }
            if has_settled {
                continue;
            }
            let due = self.ports.store.next_due().await?;
            let now = self.now();
            let again = failure.as_ref().and_then(|error| self.next_round(error, failures));
            let next = [self.live().next_send(due, now), again].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next < deadline && now < deadline) else {
                report.timed_out = now >= deadline && next.is_some_and(|next| next < deadline);
                return failure.map_or(Ok(()), Err);
            };
            self.ports.clock.sleep_ms((next.0 - now.0).max(REST_MS_LEAST)).await;
        }
    }

    /// Sends what may go, then reads the feed. Returns how many rows that settled, or made ready to be.
    async fn sync_round(&self, generation: u64, hurry: &mut bool, report: &mut SyncReport) -> Result<u32, EngineError> {
        self.live().forgive_silence();
        self.pass().await?;
        let drained = self.drain(std::mem::take(hurry)).await?;
        report.sent += drained.sent;
        report.acked += drained.acked;
        if generation != self.generation() || self.cannot_go_on() {
            return Ok(0);
        }
        let pulled = self.pull().await?;
        report.pulled += pulled.items;
        report.acked += pulled.settled;
        Ok(pulled.settled + pulled.found_again)
    }

    /// When a round is worth another try after `error`, the last of as many failures. A feed that is busy does not keep
    /// changes from being sent, nor the other way round.
    fn next_round(&self, error: &EngineError, failures: u32) -> Option<Timestamp> {
        let asked = match error {
            EngineError::Throttled { retry_after_ms } => Some(*retry_after_ms),
            EngineError::Unreachable | EngineError::ServerFailed { .. } => None,
            _ => return None,
        };
        Some(next_try(self.now(), failures, self.ports.ids.fraction(), asked))
    }

    fn cannot_go_on(&self) -> bool {
        let live = self.live();
        live.needs_sign_in || live.session.revoked || live.is_out_of_reach() || live.stopping || live.paused
    }

    async fn sum_up(&self, deadline: Timestamp, mut report: SyncReport) -> Result<SyncReport, EngineError> {
        let now = self.now();
        let counts = self.ports.store.counts(now).await?;
        report.open = counts.open;
        report.needs_attention = counts.needs_attention;
        let due = self.ports.store.next_due().await?;
        let slow_until = {
            let live = self.live();
            report.sign_in_needed = live.needs_sign_in || live.session.revoked;
            report.unreachable |= live.network.is_some();
            report.link = live.link;
            live.slow_until.filter(|until| *until > now)
        };
        report.asks_to_wait |= slow_until.is_some() || self.is_told_to_wait(deadline).await?;
        if !report.timed_out {
            let due = due.filter(|due| counts.open > 0 && *due >= deadline);
            report.waits_until = due.map(|due| due.max(slow_until.unwrap_or(due))).or(slow_until);
        }
        Ok(report)
    }

    /// Whether the server asked to wait with some row until after the deadline.
    async fn is_told_to_wait(&self, deadline: Timestamp) -> Result<bool, EngineError> {
        for view in self.ports.store.outbox(OutboxFilter::default()).await? {
            if view.next_attempt_at_ms.is_some_and(|at| at >= deadline.0) {
                let row = self.row(view.command_id).await?;
                if row.not_before.is_some_and(|not_before| not_before >= deadline) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
