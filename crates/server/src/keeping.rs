//! Keeping things as long as they are needed and no longer: a purge, in parts so small that officers hardly wait for
//! one. Whatever is not purged yet is simply there a little longer; a purge that breaks off goes on with the next.

use std::sync::Arc;
use std::time::Duration;

use domain::{CommandId, Timestamp};
use tokio::sync::watch;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Config;
use crate::metrics;
use crate::storage::keeping::{Purge, PurgePart};
use crate::storage::{Storage, StorageError};

/// How long a session lives without being refreshed: an officer may be away for a season. One that was ended is kept as
/// long.
pub const SESSION_IDLE: Duration = Duration::from_hours(90 * 24);
/// Rows in one transaction.
const ROWS: u32 = 200;
/// The time between two transactions, which belongs to everybody else: SQLite lets whoever asks first have the file.
const PAUSE: Duration = Duration::from_millis(15);
/// How often a server purges.
const EVERY: Duration = Duration::from_hours(24);

/// How long things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// Answers in full.
    pub receipts: Duration,
    /// What is left of them, and tombstones of the feed; counted from when they were answered, or became tombstones.
    pub tombstones: Duration,
    /// Notifications, once they were read.
    pub notifications: Duration,
}

impl From<&Config> for Ages {
    fn from(config: &Config) -> Self {
        let days = |days: u64| Duration::from_secs(days * 86_400);
        let receipts = days(config.receipt_lifetime_days.0);
        Self {
            receipts,
            // Nothing is forgotten that is still kept in full.
            tombstones: days(config.tombstone_lifetime_days.0).max(receipts),
            notifications: days(config.notification_lifetime_days.0),
        }
    }
}

impl Ages {
    /// Before when something must have happened to be purged at `now`.
    pub fn before(&self, what: Purge, now: Timestamp) -> Timestamp {
        let age = match what {
            Purge::Receipts => self.receipts,
            Purge::Records | Purge::Tombstones => self.tombstones,
            Purge::Notifications => self.notifications,
            Purge::Sessions => SESSION_IDLE,
        };
        Timestamp(now.0.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// How much a purge took away of what.
pub type Tally = Vec<(Purge, u64)>;

/// Purges every tenant.
///
/// # Errors
/// When the database fails; what was done until then is done, counted in the figures and in the audit.
pub async fn purge(storage: &dyn Storage, ages: Ages, now: Timestamp) -> Result<Tally, StorageError> {
    let run = CommandId(Uuid::now_v7());
    let mut tally: Tally = Purge::ALL.map(|what| (what, 0)).to_vec();
    for (tenant, _) in storage.tenants().await? {
        for (what, sum) in &mut tally {
            let part = PurgePart { tenant, what: *what, before: ages.before(*what, now), limit: ROWS, run, now };
            loop {
                let purged = storage.purge(part).await?;
                metrics::purged(*what, purged.count);
                *sum += purged.count;
                if purged.is_done {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    Ok(tally)
}

/// Purges now and then once a day, until the server is told to stop.
pub async fn purge_daily(storage: Arc<dyn Storage>, ages: Ages, clock: Clock, mut stopping: watch::Receiver<bool>) {
    loop {
        let purging = async {
            match purge(&*storage, ages, clock.now()).await {
                Ok(tally) => tell(&tally),
                Err(error) => tracing::warn!(%error, "a purge broke off; the next one goes on"),
            }
            tokio::time::sleep(EVERY).await;
        };
        tokio::select! {
            () = purging => {}
            // A part that runs is finished by the database whoever waits for it.
            _ = stopping.wait_for(|stops| *stops) => return,
        }
    }
}

fn tell(tally: &Tally) {
    for (what, count) in tally.iter().filter(|(_, count)| *count > 0) {
        tracing::info!(count, "{}", what.deed());
    }
}
