//! The background loop: triggers collapse, one drain at a time, a timer, wake-ups from the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::Timestamp;
use futures_util::StreamExt;

use super::deliver::is_about_link;
use super::{Engine, EngineError, Trigger};
use crate::delivery::Hold;
use crate::ports::{StoreError, Wakeup};
use crate::view::Link;

/// The feed is read at least this often, whatever happened to wake-ups.
const PULL_EVERY_MS: i64 = 60_000;
/// The shortest rest between two rounds that nobody asked for.
const REST_MS: i64 = 250;
/// How soon a step that the disk refused is tried again.
const LEFTOVER_MS: i64 = 1_000;
/// The longest wait before the stream of wake-ups is opened again.
const LISTEN_WAIT_MS_MAX: i64 = 30_000;

impl Engine {
    /// Delivers and pulls in the background until [`Self::stop`].
    pub async fn run(self: Arc<Self>) {
        self.nudge(Trigger::Start);
        tokio::select! {
            biased;
            () = self.work() => {}
            () = self.listen() => {}
        }
    }

    /// Asks the background loop to look now.
    pub fn nudge(&self, trigger: Trigger) {
        self.live().triggers.insert(trigger);
        self.woken.notify_one();
    }

    /// Ends the background loop: no further request leaves; what is in flight is in doubt, and recorded so.
    pub async fn stop(&self) {
        self.live().stopping = true;
        self.cut_off();
        self.woken.notify_one();
        self.until_quiet().await;
    }

    /// Waits until nothing is under way. One lock after the other: a drain that ends may need the next one.
    pub(super) async fn until_quiet(&self) {
        drop(self.draining.lock().await);
        drop(self.pulling.lock().await);
        drop(self.refreshing.lock().await);
    }

    async fn work(&self) {
        let mut last = self.now();
        while !self.live().stopping {
            let triggers = self.next_triggers().await;
            if self.live().stopping {
                return;
            }
            let now = self.now();
            let jumped_back = now < last;
            last = now;
            let round = async {
                if jumped_back {
                    self.ports.store.recover(now).await?;
                }
                self.round(&triggers).await
            };
            match round.await {
                Ok(()) => {}
                Err(EngineError::Store(StoreError::OwnerLost)) => {
                    tracing::error!("another process owns the store; this one stops");
                    self.live().stopping = true;
                    self.cut_off();
                }
                Err(error) => tracing::warn!(%error, "a round did not end well"),
            }
        }
    }

    /// Waits for a trigger or for what is due; those that came together are one round.
    async fn next_triggers(&self) -> BTreeSet<Trigger> {
        loop {
            let triggers = std::mem::take(&mut self.live().triggers);
            if !triggers.is_empty() || self.live().stopping {
                return triggers;
            }
            let wait_ms = self.rest_ms().await;
            tokio::select! {
                biased;
                () = self.woken.notified() => {}
                () = self.ports.clock.sleep_ms(wait_ms) => return [Trigger::Timer].into(),
            }
        }
    }

    async fn rest_ms(&self) -> i64 {
        let due = self.ports.store.next_due().await.ok().flatten();
        let now = self.now();
        let live = self.live();
        let next = match (live.needs_sign_in || live.session.revoked, live.network) {
            _ if !live.leftovers.is_empty() => Some(now.plus_ms(LEFTOVER_MS)),
            (true, _) => None,
            (false, Some(wait)) => Some(wait.until),
            (false, None) if live.paused => None,
            (false, None) => live.next_send(due, now),
        };
        next.map_or(PULL_EVERY_MS, |next| next.0.saturating_sub(now.0)).clamp(REST_MS, PULL_EVERY_MS)
    }

    /// One look at everything: the network if it was gone, then what may go, then the feed.
    pub(super) async fn round(&self, triggers: &BTreeSet<Trigger>) -> Result<(), EngineError> {
        let any = |list: &[Trigger]| list.iter().any(|trigger| triggers.contains(trigger));
        let (was_lost, is_due) = {
            let (now, live) = (self.now(), self.live());
            (live.network.is_some(), live.network.is_some_and(|wait| wait.until <= now))
        };
        {
            let live = self.live();
            if live.needs_sign_in || live.session.revoked {
                return Ok(());
            }
        }
        if was_lost {
            let looks_now = is_due || any(&[Trigger::Online, Trigger::TryNow, Trigger::Start, Trigger::Focus]);
            if !looks_now || !self.is_reachable().await? {
                return Ok(());
            }
        }
        if any(&[Trigger::TryNow, Trigger::Start]) {
            self.ports.store.release(Hold::Grant, self.now()).await?;
        }
        let hurry = was_lost || any(&[Trigger::Online, Trigger::TryNow]);
        let drained = self.drain(hurry).await?;
        let is_asked = any(&[Trigger::Start, Trigger::Online, Trigger::Wake, Trigger::TryNow, Trigger::Focus]);
        if (was_lost || is_asked || drained.acked > 0 || self.has_waited_to_pull().await?) && self.may_read() {
            match self.pull().await {
                Ok(report) if report.settled + report.found_again > 0 => self.nudge(Trigger::Saved),
                Ok(_) => {}
                Err(error) if is_about_link(&error) => tracing::debug!(%error, "the feed was not read"),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn may_read(&self) -> bool {
        let live = self.live();
        !live.stopping && !live.needs_sign_in && !live.session.revoked && live.network.is_none()
    }

    async fn has_waited_to_pull(&self) -> Result<bool, EngineError> {
        let last = self.ports.store.last_pull_at().await?;
        Ok(last.is_none_or(|last| (self.now().0 - last.0).abs() >= PULL_EVERY_MS))
    }

    /// Keeps the stream of wake-ups open while the server answers.
    async fn listen(&self) {
        let mut failures = 0_u32;
        loop {
            if self.live().link == Link::Online && self.may_read() {
                let opened_at = self.now();
                if let Err(error) = self.listen_once().await {
                    tracing::debug!(%error, "the wake-ups ended");
                }
                failures = if lasted(opened_at, self.now()) { 0 } else { failures.saturating_add(1) };
            }
            let wait_ms = (1_000_i64 << failures.min(5)).min(LISTEN_WAIT_MS_MAX);
            self.ports.clock.sleep_ms(wait_ms).await;
        }
    }

    async fn listen_once(&self) -> Result<(), EngineError> {
        let pass = self.pass().await?;
        let mut cut = self.cut.subscribe();
        let heard = async {
            let mut stream = match self.ports.transport.wake_ups(pass.access.clone()).await {
                Ok(stream) => stream,
                // It may be refused because the session was ended meanwhile: asked under the session, the server says so.
                Err(failure) if !failure.is_surely_unsent() => return self.is_reachable().await.map(drop),
                Err(_) => return Err(EngineError::Unreachable),
            };
            while let Some(Ok(wakeup)) = stream.next().await {
                match wakeup {
                    Wakeup::Wake(_) => self.nudge(Trigger::Wake),
                    // Believed only when the server says so under the session itself.
                    Wakeup::Revoked => drop(self.is_reachable().await?),
                }
            }
            // What changed while nobody listened is read now.
            self.nudge(Trigger::Wake);
            Ok(())
        };
        tokio::select! {
            biased;
            _ = cut.wait_for(|generation| *generation != pass.generation) => Ok(()),
            result = heard => result,
        }
    }
}

/// A stream that held for a while was a good one.
fn lasted(from: Timestamp, to: Timestamp) -> bool {
    to.0 - from.0 >= 10_000
}
