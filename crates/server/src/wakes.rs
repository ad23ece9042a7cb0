//! Tells open event streams that their tenant's feed has moved, and that sessions have ended.
//!
//! Commits of this process are announced at once; those of other processes on the same database (an
//! import, a user added, another node) are found by looking, four times a second, and the database says first
//! whether anything changed at all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::TenantId;
use tokio::sync::watch;

use crate::storage::Storage;

const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The newest feed position of each tenant, and how many sessions have ended.
#[derive(Debug)]
pub struct Wakes {
    heads: Mutex<HashMap<TenantId, watch::Sender<u64>>>,
    ended: watch::Sender<u64>,
}

impl Default for Wakes {
    fn default() -> Self {
        Self { heads: Mutex::default(), ended: watch::channel(0).0 }
    }
}

impl Wakes {
    /// The head of `tenant` is at least `head`.
    pub fn announce(&self, tenant: TenantId, head: u64) {
        self.sender(tenant).send_if_modified(|known| {
            let moved = head > *known;
            *known = head.max(*known);
            moved
        });
    }

    /// Follows the head of `tenant`.
    pub fn follow(&self, tenant: TenantId) -> watch::Receiver<u64> {
        self.sender(tenant).subscribe()
    }

    /// Some session has ended: streams look whether it was theirs.
    pub fn session_ended(&self) {
        self.ended.send_modify(|_| ());
    }

    /// Follows the ends of sessions.
    pub fn follow_ends(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }

    /// The sum of the newest positions of all tenants that were heard of.
    pub fn heads_sum(&self) -> u64 {
        let heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        heads.values().map(|head| *head.borrow()).sum()
    }

    fn sender(&self, tenant: TenantId) -> watch::Sender<u64> {
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        heads.entry(tenant).or_insert_with(|| watch::channel(0).0).clone()
    }

    /// Looks for what other processes committed, for as long as the server runs.
    pub async fn watch_storage(self: Arc<Self>, storage: Arc<dyn Storage>) {
        let mut seen = None;
        loop {
            match storage.pulse(seen).await {
                Ok(Some(pulse)) => {
                    seen = Some(pulse.version);
                    for (tenant, head) in pulse.heads {
                        self.announce(tenant, head);
                    }
                    self.ended.send_if_modified(|known| std::mem::replace(known, pulse.ended) != pulse.ended);
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "cannot look for changes"),
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
