//! The engine: accepts intents, delivers them, reads the server's changes, and answers how things stand.
//!
//! One per account and process. It owns no state that must survive: what matters is in the store.

mod ask;
mod conflict;
mod deliver;
mod drain;
mod live;
mod pull;
mod record;
mod request;
mod restored;
mod run;
mod save;
mod session;
mod sign_in;
mod sign_out;
mod status;
mod sync;
mod tell;
mod types;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, Notify, watch};

use self::live::Live;
pub use self::sign_in::sign_in;
pub use self::types::{Account, EngineError, Intent, Ports, PullReport, SyncOptions, SyncReport, Trigger};
use crate::ports::{Store, StoredSession};

/// Delivers one account's changes and reads what changed at its server.
pub struct Engine {
    ports: Ports,
    live: Mutex<Live>,
    /// Rises when nothing that is under way may go on: stop, sign-out, sign-in, revocation, a deadline.
    cut: watch::Sender<u64>,
    woken: Notify,
    draining: AsyncMutex<()>,
    pulling: AsyncMutex<()>,
    refreshing: AsyncMutex<()>,
}

impl Engine {
    /// Opens the engine for writing: frees what a dead process left. Sends nothing.
    pub async fn start(ports: Ports, account: Account) -> Result<Arc<Self>, EngineError> {
        ports.store.recover(ports.clock.now()).await?;
        let session = ports.store.session().await?;
        Ok(Arc::new(Self::new(ports, account, session)))
    }

    /// For commands that only read: nothing is recovered, nothing written.
    pub fn open_reading(ports: Ports, account: Account) -> Arc<Self> {
        let session = StoredSession { version: 0, revoked: false, signed_in: true };
        Arc::new(Self::new(ports, account, session))
    }

    fn new(ports: Ports, account: Account, session: StoredSession) -> Self {
        let live = Live::new(account, session, ports.store.owner().epoch);
        Self {
            ports,
            live: Mutex::new(live),
            cut: watch::Sender::new(0),
            woken: Notify::new(),
            draining: AsyncMutex::new(()),
            pulling: AsyncMutex::new(()),
            refreshing: AsyncMutex::new(()),
        }
    }

    /// The store, for reading.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.ports.store
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> domain::Timestamp {
        self.ports.clock.now()
    }

    fn generation(&self) -> u64 {
        *self.cut.borrow()
    }

    /// Ends everything that is under way: no request of it leaves any more, no answer of it is waited for.
    fn cut_off(&self) {
        self.cut.send_modify(|generation| *generation += 1);
    }
}
