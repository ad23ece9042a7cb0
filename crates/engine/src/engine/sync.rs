//! One sync from beginning to end, as the command line asks for it.

use domain::Timestamp;

use super::deliver::is_about_link;
use super::{Engine, EngineError, PullReport, SyncOptions, SyncReport};
use crate::delivery::Hold;
use crate::ports::OutboxFilter;

impl Engine {
    /// Delivers and pulls until nothing is due by itself.
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
        match result {
            Err(error) if !is_about_link(&error) => return Err(error),
            Err(EngineError::Throttled { .. }) => report.asks_to_wait = true,
            Err(EngineError::SignInNeeded | EngineError::Revoked) | Ok(()) => {}
            // What was cut off by the deadline says nothing about the server.
            Err(_) => report.unreachable = !is_over,
        }
        self.sum_up(deadline, is_over, report).await
    }

    async fn work_until(&self, deadline: Timestamp, hurry: bool, report: &mut SyncReport) -> Result<(), EngineError> {
        self.live().network = None;
        if hurry {
            // A right that was given back is found out by trying; so is a case that became visible.
            self.ports.store.release(Hold::Grant, self.now()).await?;
        }
        self.pass().await?;
        let (mut hurry, mut feed_failure) = (hurry, None);
        loop {
            let drained = self.drain(hurry).await?;
            hurry = false;
            report.sent += drained.sent;
            report.acked += drained.acked;
            if self.cannot_go_on() {
                return Ok(());
            }
            // A feed that is busy does not keep changes from being sent.
            let pulled = match self.pull().await {
                Err(error @ (EngineError::Throttled { .. } | EngineError::Refused { .. })) => {
                    feed_failure = Some(error);
                    PullReport::default()
                }
                pulled => pulled?,
            };
            report.pulled += pulled.items;
            let due = self.ports.store.next_due().await?;
            let now = self.now();
            let next = self.live().next_send(due, now);
            match next.filter(|next| *next < deadline && now < deadline) {
                _ if pulled.settled > 0 => {}
                Some(next) => {
                    let least_ms = if drained.sent == 0 { 50 } else { 0 };
                    self.ports.clock.sleep_ms((next.0 - now.0).max(least_ms)).await;
                }
                None => return feed_failure.map_or(Ok(()), Err),
            }
        }
    }

    fn cannot_go_on(&self) -> bool {
        let live = self.live();
        live.needs_sign_in || live.session.revoked || live.network.is_some() || live.stopping || live.paused
    }

    async fn sum_up(
        &self,
        deadline: Timestamp,
        is_over: bool,
        mut report: SyncReport,
    ) -> Result<SyncReport, EngineError> {
        let now = self.now();
        let counts = self.ports.store.counts(now).await?;
        report.open = counts.open;
        report.needs_attention = counts.needs_attention;
        let due = self.ports.store.next_due().await?;
        let is_slowed = {
            let live = self.live();
            report.sign_in_needed = live.needs_sign_in || live.session.revoked;
            report.unreachable |= live.network.is_some();
            live.slow_until.is_some_and(|until| until > now)
        };
        report.asks_to_wait |= is_slowed || self.is_told_to_wait(deadline).await?;
        let waits_longer = due.is_some_and(|due| due >= deadline);
        report.timed_out = counts.open > counts.needs_attention && (is_over || waits_longer);
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
