//! What goes into the engine and what comes out of it, besides the views.

use std::sync::Arc;

use domain::{CaseId, Payload, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ports::{Clock, Ids, Signals, Store, StoreError, Transport, Vault, VaultError};
use crate::view::Link;

/// The world, as the engine sees it.
#[derive(Clone)]
pub struct Ports {
    /// This account's durable state.
    pub store: Arc<dyn Store>,
    /// The way to the server.
    pub transport: Arc<dyn Transport>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
    /// The session's secrets.
    pub vault: Arc<dyn Vault>,
    /// Who is told that something changed.
    pub signals: Arc<dyn Signals>,
}

/// Whose store it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The server's base address.
    pub server: String,
    /// This computer, as the server knows it.
    pub device_id: String,
    /// The organization.
    pub tenant: wire::TenantInfo,
    /// The person, with the rights last heard of.
    pub actor: wire::ActorInfo,
}

/// Why something asked of the engine did not happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The store failed or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing is sent before a sign-in.
    #[error("sign-in is needed")]
    SignInNeeded,
    /// The server ended this account's sessions.
    #[error("the server ended this session")]
    Revoked,
    /// The server did not answer.
    #[error("the server does not answer")]
    Unreachable,
    /// Something answered that is not an Onceover server.
    #[error("what answers there is not an Onceover server")]
    NotOurServer,
    /// The server's certificate is not trusted.
    #[error("the server's certificate is not trusted")]
    Tls,
    /// The server's certificate is not valid at this computer's time.
    #[error("this computer's clock is off; the server's certificate cannot be checked")]
    Clock,
    /// The server speaks no TLS there.
    #[error("the server does not speak https at this address")]
    NotTls,
    /// The server itself failed; it may do better later.
    #[error("the server failed ({code}); try again later")]
    ServerFailed {
        /// The problem's code.
        code: String,
    },
    /// The server refused.
    #[error("the server refused ({code}): {detail}")]
    Refused {
        /// The problem's code.
        code: String,
        /// The problem's detail, for a person.
        detail: String,
    },
    /// The server asks to wait.
    #[error("the server asks to wait {} s", seconds(*.retry_after_ms))]
    Throttled {
        /// How long.
        retry_after_ms: i64,
    },
    /// There is no such change.
    #[error("there is no such change")]
    NotFound,
    /// This cannot be done to it now; the text says why.
    #[error("{0}")]
    NotAllowed(String),
    /// The secrets could not be read or written.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// Whole seconds that are not too few.
fn seconds(ms: i64) -> i64 {
    ms.max(0).saturating_add(999) / 1_000
}

/// What a person wants, as the form says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// Made when the form was opened: a second press of the same button is the same intent.
    pub intent_id: Uuid,
    /// On which case; `None` for a new one, and where the payload names its target itself (a notification).
    pub case_id: Option<CaseId>,
    /// What to do.
    pub payload: Payload,
}

/// Why the sender should look now. Triggers that come together are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trigger {
    /// The program started.
    Start,
    /// The network came back.
    Online,
    /// The feed moved.
    Wake,
    /// Something is due.
    Timer,
    /// A person asks for it: back-off is ignored.
    TryNow,
    /// Something was saved.
    Saved,
    /// A window gained focus.
    Focus,
}

/// How far [`super::Engine::sync_once`] goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncOptions {
    /// It ends after this many milliseconds.
    pub deadline_ms: i64,
    /// Rows in back-off go at once, unless the server asked to wait.
    pub ignore_backoff: bool,
}

/// What [`super::Engine::sync_once`] did, and how things stand after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, each one an exit code")]
pub struct SyncReport {
    /// Sends that were marked.
    pub sent: u32,
    /// Rows that were received, as their receipts, a look-up or the feed said.
    pub acked: u32,
    /// Feed items that were applied.
    pub pulled: u32,
    /// Open rows left.
    pub open: u32,
    /// Open rows that need a person.
    pub needs_attention: u32,
    /// The server does not answer.
    pub unreachable: bool,
    /// What was wrong with its answer, if it is known.
    pub failure: Option<EngineError>,
    /// What the last request met.
    pub link: Link,
    /// The server asks to wait beyond the deadline.
    pub asks_to_wait: bool,
    /// Sign-in is needed first.
    pub sign_in_needed: bool,
    /// The deadline ended it.
    pub timed_out: bool,
    /// It ended before the deadline, because the next try is due only then.
    pub waits_until: Option<Timestamp>,
}

/// What one pull did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PullReport {
    /// Feed items that were applied.
    pub items: u32,
    /// Rows in doubt that the feed settled.
    pub settled: u32,
    /// Rows that were missing and that the server has again: they go for their receipts.
    pub found_again: u32,
    /// Whether the feed was read to its end.
    pub complete: bool,
    /// The feed's newest position.
    pub head: u64,
}
