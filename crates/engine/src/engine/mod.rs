//! The engine: accepts intents, delivers them, reads the server's changes, and answers how things stand.
//!
//! One per account and process. It owns no state that must survive: what matters is in the store.

mod types;

use std::sync::Arc;

use domain::{CommandId, Timestamp};
use wire::SessionAnswer;
use wire::session::SignInRequest;

pub use self::types::{Account, EngineError, Intent, Ports, PullReport, SyncOptions, SyncReport, Trigger};
use crate::ports::{Ambient, Store, Transport};
use crate::view::{AskAnswer, ConflictDecision, Discarded, Saved, SyncStatus, Versions};

/// Delivers one account's changes and reads what changed at its server.
pub struct Engine {
    ports: Ports,
    account: std::sync::Mutex<Account>,
}

#[allow(clippy::unused_async, unused_variables)]
impl Engine {
    /// Opens the engine for writing: frees what a dead process left. Sends nothing.
    pub async fn start(ports: Ports, account: Account) -> Result<Arc<Self>, EngineError> {
        ports.store.recover(ports.clock.now()).await?;
        Ok(Self::open_reading(ports, account))
    }
    /// For commands that only read: nothing is recovered, nothing written.
    pub fn open_reading(ports: Ports, account: Account) -> Arc<Self> {
        Arc::new(Self { ports, account: std::sync::Mutex::new(account) })
    }
    /// Makes an intent durable. Works signed out; refused once the session was revoked.
    pub async fn save(&self, intent: Intent) -> Result<Saved, EngineError> {
        Err(EngineError::NotFound)
    }
    /// Delivers and pulls in the background until [`Self::stop`].
    pub async fn run(self: Arc<Self>) {}
    /// Asks the background loop to look now.
    pub fn nudge(&self, trigger: Trigger) {}
    /// Ends the background loop: no further request leaves; what is in flight is in doubt.
    pub async fn stop(&self) {}
    /// Delivers and pulls until nothing is due by itself.
    pub async fn sync_once(&self, options: SyncOptions) -> Result<SyncReport, EngineError> {
        Err(EngineError::Unreachable)
    }
    /// Reads the feed to its end.
    pub async fn pull(&self) -> Result<PullReport, EngineError> {
        Err(EngineError::Unreachable)
    }
    /// Asks the server what became of a change in doubt, and records the answer.
    pub async fn ask(&self, command: CommandId) -> Result<AskAnswer, EngineError> {
        Err(EngineError::NotFound)
    }
    /// Sends a change now, whatever it waits for; one in doubt is asked about first.
    pub async fn retry(&self, command: CommandId) -> Result<(), EngineError> {
        Err(EngineError::NotFound)
    }
    /// [`Self::retry`] for every change that waits. Returns how many.
    pub async fn retry_all(&self) -> Result<u32, EngineError> {
        Ok(0)
    }
    /// Makes the server never apply a change in doubt, unless it has.
    pub async fn seal(&self, command: CommandId) -> Result<AskAnswer, EngineError> {
        Err(EngineError::NotFound)
    }
    /// Discards a change. One in doubt is sealed first; without an answer only `even_in_doubt` discards it.
    pub async fn discard(&self, command: CommandId, even_in_doubt: bool) -> Result<Discarded, EngineError> {
        Err(EngineError::NotFound)
    }
    /// Decides a conflict. `None` if nothing has to be sent instead.
    pub async fn resolve(&self, command: CommandId, decision: ConflictDecision) -> Result<Option<Saved>, EngineError> {
        Err(EngineError::NotFound)
    }
    /// Takes over the answer to a sign-in of this account.
    pub async fn signed_in(&self, answer: SessionAnswer) -> Result<(), EngineError> {
        Ok(())
    }
    /// Signs out: nothing more leaves, the tokens are forgotten, every open row stays.
    pub async fn sign_out(&self) -> Result<(), EngineError> {
        Ok(())
    }
    /// The store, for reading.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.ports.store
    }
    /// What marks depend on besides the store.
    pub fn ambient(&self) -> Ambient {
        Ambient { offline: false, sign_in_needed: false, paused: false, role: self.account().actor.role }
    }
    /// The account, with role and rights as last heard.
    pub fn account(&self) -> Account {
        self.account.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
    /// The connection and the outbox in numbers; `since` bounds what was received today.
    pub async fn sync_status(&self, since: Timestamp) -> Result<SyncStatus, EngineError> {
        Err(EngineError::NotFound)
    }
    /// The newest version of each scope.
    pub async fn versions(&self) -> Result<Versions, EngineError> {
        Ok(self.ports.store.versions().await?)
    }
    /// Pauses or resumes sending.
    pub fn set_paused(&self, paused: bool) {}
}

/// Signs in, before there is a store.
pub async fn sign_in(transport: &dyn Transport, request: SignInRequest) -> Result<SessionAnswer, EngineError> {
    let _ = (transport, request);
    Err(EngineError::Unreachable)
}
