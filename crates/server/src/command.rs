//! A command on its way through the server: [`Attempt`], and reading one strictly from a request ([`read`]).

pub mod answer;
mod members;
pub mod read;

use domain::{ActorId, TenantId, Timestamp};
use uuid::Uuid;
use wire::IdempotencyKey;

pub use answer::Answer;

/// One delivery of one command: read, authenticated, not yet authorised.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Whose data it is about.
    pub tenant: TenantId,
    /// How the actor got here.
    pub sender: Sender,
    /// The idempotency key; its parts match the command.
    pub key: IdempotencyKey,
    /// The command itself, with its actor.
    pub command: domain::Command,
    /// The hash the server computed.
    pub payload_hash: String,
    /// When the actor confirmed it again.
    pub confirmed_at: Option<Timestamp>,
    /// The session version the request carried.
    pub session_version: u32,
    /// The session version the intent was accepted under.
    pub issued_under: u32,
    /// For the audit and the log.
    pub request_id: String,
    /// The batch it came in, if it did.
    pub batch: Option<Batch>,
}

/// Where an attempt stands in its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Which batch, unique in this process.
    pub id: u64,
    /// An earlier item on the same target is known not to be committed.
    pub blocked: bool,
}

impl Attempt {
    /// Who acts.
    pub fn actor(&self) -> ActorId {
        self.command.actor
    }
}

/// How the actor of an attempt got here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Signed in, with this session; it is checked again inside the transaction.
    Session(Uuid),
    /// The administrator's import, run beside the database.
    Import,
}
