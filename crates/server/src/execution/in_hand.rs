//! Which keys are being executed by this process right now: what a look-up calls *processing*, and what a
//! second delivery of a running command waits for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::TenantId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

type Key = (TenantId, String);

/// The keys in hand.
#[derive(Debug, Default)]
pub struct InHand(Mutex<HashMap<Key, InHands>>);

/// How many have a key in hand, and who waits for them.
#[derive(Debug, Default)]
struct InHands {
    count: usize,
    /// Made for the first that waits: hardly any key is waited for.
    done: Option<watch::Sender<()>>,
}

/// A key stays in hand until this is dropped.
#[derive(Debug)]
pub struct Held {
    all: Arc<InHand>,
    key: Key,
}

impl InHand {
    /// Takes `key` in hand.
    pub fn hold(self: &Arc<Self>, tenant: TenantId, key: &str) -> Held {
        let key = (tenant, key.to_owned());
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.entry(key.clone()).or_default().count += 1;
        Held { all: Arc::clone(self), key }
    }

    /// Whether `key` is in hand.
    pub fn has(&self, tenant: TenantId, key: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&(tenant, key.to_owned()))
    }

    /// Waits until whoever has `key` in hand now is done with it; false if `deadline` comes first.
    pub async fn wait(&self, tenant: TenantId, key: &str, deadline: Instant) -> bool {
        let running = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let hands = keys.get_mut(&(tenant, key.to_owned()));
            hands.map(|hands| hands.done.get_or_insert_with(|| watch::channel(()).0).subscribe())
        };
        let Some(mut running) = running else { return true };
        timeout_at(deadline, running.changed()).await.is_ok()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut keys = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hands) = keys.get_mut(&self.key) {
            hands.count -= 1;
            if let Some(done) = &hands.done {
                done.send_replace(());
            }
            if hands.count == 0 {
                keys.remove(&self.key);
            }
        }
    }
}
