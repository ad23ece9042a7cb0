//! The task of `serve` that carries deliveries out: it claims what is due, attempts it, and writes down how that
//! ended. Any number of nodes may run it on one database; a node that dies leaves leases behind that end by themselves.
//!
//! Deliveries do not wait for each other: each endpoint has a few attempts of its own at a time, and a failing one has
//! one, so that no receiver keeps another waiting.

pub mod attempt;
mod lanes;

use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};
use uuid::Uuid;

use crate::clock::Clock;
use crate::key_file::ServerKey;
use crate::metrics;
use crate::storage::StorageError;
use crate::storage::webhook::{Due, Lease, Settled, WebhookStorage};
use crate::webhooks::carry::attempt::Sinks;
use crate::webhooks::carry::lanes::{Lanes, Permit};
use crate::webhooks::mail::MailServer;
use crate::webhooks::post::Poster;
use crate::webhooks::schedule::Next;

/// How often it is looked for what is due.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a claim lasts: longer than any attempt, with time to write down how it ended.
pub const LEASE_MS: i64 = 90_000;
/// How long attempts in hand may take once the server drains, unless it is said.
const DRAIN: Duration = Duration::from_secs(20);
/// Deliveries that were delivered are kept as long, to be looked up and sent again.
pub const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// How often old ones are looked for.
const FORGET_EVERY_MS: i64 = 10 * 60 * 1000;
/// How often it is counted what waits.
const COUNT_EVERY: Duration = Duration::from_secs(15);

/// Carries deliveries out.
pub struct Carrier {
    storage: Arc<dyn WebhookStorage>,
    clock: Clock,
    sinks: Arc<Sinks>,
    lanes: Lanes,
    attempts: JoinSet<(Settled, Permit)>,
    /// How attempts ended, as long as it could not be written down.
    unsettled: Vec<Settled>,
    drain: Duration,
    forgot_at: Option<Timestamp>,
    counted_at: Option<Instant>,
    has_warned_of_mail: bool,
}

impl Carrier {
    /// A carrier over `storage`. `key` opens the secrets of endpoints; without `mail` this node leaves mail to others.
    pub fn new(storage: Arc<dyn WebhookStorage>, key: ServerKey, clock: Clock, mail: Option<MailServer>) -> Self {
        Self {
            storage,
            clock: clock.clone(),
            sinks: Arc::new(Sinks { key, clock, poster: Poster::default(), mail }),
            lanes: Lanes::default(),
            attempts: JoinSet::new(),
            unsettled: Vec::new(),
            drain: DRAIN,
            forgot_at: None,
            counted_at: None,
            has_warned_of_mail: false,
        }
    }

    /// The same, which gives attempts in hand this long once it is told to stop.
    #[must_use]
    pub fn draining(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }

    /// Works until `stop` turns true, then finishes what is in hand.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !*stop.borrow() {
            tokio::select! {
                _ = ticks.tick() => {}
                Some(ended) = self.attempts.join_next() => self.ended(ended),
                changed = stop.changed() => if changed.is_err() { break },
            }
            if let Err(error) = self.pass().await {
                tracing::warn!(%error, "deliveries wait for the database");
                ticks.tick().await;
            }
        }
        if tokio::time::timeout(self.drain, self.finish()).await.is_err() {
            tracing::warn!("some deliveries did not finish while draining: they are sent again");
        }
    }

    /// Writes down what ended, and begins what is due.
    async fn pass(&mut self) -> Result<(), StorageError> {
        while let Some(ended) = self.attempts.try_join_next() {
            self.ended(ended);
        }
        self.settle().await?;
        self.begin().await?;
        self.keep_house().await
    }

    fn ended(&mut self, ended: Result<(Settled, Permit), tokio::task::JoinError>) {
        match ended {
            Ok((settled, permit)) => {
                self.lanes.ended(&permit, settled.next == Next::Delivered);
                self.unsettled.push(settled);
            }
            // Its lease ends by itself.
            Err(error) => tracing::error!(%error, "an attempt to deliver broke off"),
        }
    }

    async fn settle(&mut self) -> Result<(), StorageError> {
        if self.unsettled.is_empty() {
            return Ok(());
        }
        self.storage.settle(self.unsettled.clone()).await?;
        self.unsettled.drain(..).for_each(|settled| attempt::report(&settled));
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), StorageError> {
        let now = self.clock.now();
        let mut due = self.storage.due(now).await?;
        if self.sinks.mail.is_none() {
            self.leave_mail(&mut due);
        }
        let claims = self.lanes.room_for(&due, self.attempts.len());
        if claims.is_empty() {
            return Ok(());
        }
        let lease = Lease { token: Uuid::now_v7(), now, until: Timestamp(now.0.saturating_add(LEASE_MS)) };
        for claimed in self.storage.claim(claims, lease).await? {
            let Some(permit) = self.lanes.enter(claimed.tenant, claimed.endpoint) else { continue };
            let sinks = Arc::clone(&self.sinks);
            self.attempts.spawn(async move { (sinks.attempt(claimed).await, permit) });
        }
        Ok(())
    }

    fn leave_mail(&mut self, due: &mut Vec<Due>) {
        let before = due.len();
        due.retain(|due| !due.is_mail);
        if due.len() < before && !std::mem::replace(&mut self.has_warned_of_mail, true) {
            tracing::warn!("mail waits to be sent, and this server has no smtp_url");
        }
    }

    /// Forgets what was delivered long ago, and counts what waits.
    async fn keep_house(&mut self) -> Result<(), StorageError> {
        let now = self.clock.now();
        if self.forgot_at.is_none_or(|at| now.0 - at.0 >= FORGET_EVERY_MS) {
            // Some at a time, as commands wait meanwhile; the rest at the next pass.
            if self.storage.forget_deliveries(Timestamp(now.0 - KEPT_MS)).await? == 0 {
                self.forgot_at = Some(now);
            }
        }
        if self.counted_at.is_none_or(|at| at.elapsed() >= COUNT_EVERY) {
            let depth = self.storage.delivery_depth().await?;
            metrics::deliveries(depth.waiting, depth.dead);
            self.counted_at = Some(Instant::now());
        }
        Ok(())
    }

    async fn finish(&mut self) {
        while let Some(ended) = self.attempts.join_next().await {
            self.ended(ended);
        }
        while let Err(error) = self.settle().await {
            tracing::warn!(%error, "deliveries wait for the database");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
