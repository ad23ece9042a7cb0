//! What goes into and comes out of the storage port, as plain data.

use domain::{ActorId, Role, TenantId, Timestamp};
use serde_json::value::RawValue;
use uuid::Uuid;
use wire::feed::FeedItem;
use wire::{IdempotencyKey, TenantInfo};

use crate::command::Answer;
use crate::execution::Record;

/// A group, executed.
#[derive(Debug)]
pub struct Executed {
    /// One answer per attempt, in order.
    pub answers: Vec<Answer>,
    /// The tenant's newest feed position.
    pub head: u64,
}

/// Who asks about operations.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    /// Of this tenant only.
    pub tenant: TenantId,
    /// Own keys only …
    pub actor: ActorId,
    /// … unless a supervisor asks.
    pub sees_all: bool,
}

impl Asker {
    /// Whether `record` is this one's to know of. What was sealed before it was seen is everybody's.
    pub fn may_see(&self, record: &Record) -> bool {
        self.sees_all || record.actor == self.actor || record.payload_hash.is_none()
    }
}

/// What is known under a key.
#[derive(Debug, Clone)]
pub enum LookedUp {
    /// What it came to, or that it never will come to anything.
    Recorded(Box<Record>),
    /// Nothing, as of a moment after it was asked: whatever was begun before has ended.
    NotSeen,
    /// Nothing yet, and somebody is still at work who may be about to record it.
    Processing,
    /// Nothing, and it is so old that it may have come to something that was forgotten.
    Forgotten,
}

/// A seal to be set.
#[derive(Debug, Clone)]
pub struct Sealing {
    /// On which key.
    pub key: IdempotencyKey,
    /// By which request, for the audit.
    pub request_id: String,
    /// Of the session that asks.
    pub session_version: u32,
    /// The time.
    pub now: Timestamp,
}

/// What a seal came to.
#[derive(Debug)]
pub enum Seal {
    /// The key's record: the new seal, or what was there before.
    Recorded(Box<Record>),
    /// The key is somebody else's: to this asker it does not exist.
    Foreign,
    /// It has no record, and is so old that it may have had one: nobody can say that it never took effect.
    Forgotten,
}

/// One page of the feed as stored.
#[derive(Debug)]
pub struct ChangesSlice {
    /// The newest position of the tenant.
    pub head: u64,
    /// The feed's epoch.
    pub epoch: String,
    /// The newest position at which a tombstone was removed.
    pub floor: u64,
    /// Up to the limits.
    pub rows: Vec<FeedRow>,
    /// Whether more rows follow.
    pub has_more: bool,
}

/// One entity of the feed, as text that is passed on as it stands.
pub type FeedRow = FeedItem<Box<RawValue>>;

/// What event streams need to know.
#[derive(Debug)]
pub struct Pulse {
    /// The database's version, to be given back.
    pub version: i64,
    /// How often sessions have ended.
    pub ended: u64,
    /// Each tenant's newest feed position.
    pub heads: Vec<(TenantId, u64)>,
}

/// How a pool of connections is used.
#[derive(Debug, Clone, Copy)]
pub struct PoolUse {
    /// Which one.
    pub name: &'static str,
    /// Its connections.
    pub connections: u32,
    /// Of these, how many are at rest.
    pub idle: usize,
}

/// What a sign-in compares with.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct Account {
    pub tenant: TenantId,
    pub actor: ActorId,
    pub password_hash: String,
    pub disabled: bool,
}

/// A session to begin.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct NewSession {
    pub tenant: TenantId,
    pub actor: ActorId,
    pub session: Uuid,
    /// The hash that the given password was compared with: it must still be the account's.
    pub password_hash: String,
    pub device_id: String,
    pub device_name: String,
    pub refresh_hash: String,
    pub now: Timestamp,
}

/// A session with its actor as of now.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct SessionRow {
    pub session: Uuid,
    pub session_version: u32,
    pub tenant: TenantInfo,
    pub actor: ActorId,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    /// It was not ended, the account is not disabled, and its version is the actor's.
    pub is_valid: bool,
}

/// A refresh token to use up.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct Rotate {
    pub tenant: TenantId,
    pub session: Uuid,
    /// The token's place in its family.
    pub count: i64,
    /// The hash of the token given.
    pub given_hash: String,
    /// The hash of the one after it.
    pub successor_hash: String,
    pub device_id: String,
    /// How long the same successor is given again.
    pub grace_ms: i64,
    /// How long a session lives without being refreshed.
    pub idle_ms: i64,
    pub now: Timestamp,
}

/// What a rotation came to.
#[derive(Debug)]
pub enum Rotation {
    /// The token's successor is to be given: it is now the current token, or was given for this one just before.
    Rotated(SessionRow),
    /// The session is over; if this token was used before or by another device, it is since now.
    Ended,
}
