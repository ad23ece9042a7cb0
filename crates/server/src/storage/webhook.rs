//! The part of the storage port that carries events out: endpoints, and deliveries on their way to them.
//!
//! A delivery is claimed under a lease before it is sent and settled afterwards, each in a transaction of its own, so
//! that none is open while the network is waited for; what a dead node had claimed is due again when its lease ends.

use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use domain::{TenantId, Timestamp};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::storage::{AdminError, StorageError};
use crate::webhooks::schedule::Next;

/// The id of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId(pub Uuid);

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl FromStr for EndpointId {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}
impl Serialize for EndpointId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An endpoint to add.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct NewEndpoint {
    pub id: EndpointId,
    pub url: String,
    /// Sealed; `None` for mail.
    pub secret: Option<Vec<u8>>,
    pub events: Vec<&'static str>,
    pub allow_private: bool,
}

/// One row of `webhook list --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "plain")]
pub struct EndpointRow {
    pub endpoint_id: EndpointId,
    pub url: String,
    pub events: Vec<String>,
    pub allow_private: bool,
    pub created_at: Timestamp,
    /// Since it answered 410 Gone.
    pub disabled_at: Option<Timestamp>,
    /// Until when deliveries are signed with the secret that it had before, too; it may be over.
    pub former_secret_until: Option<Timestamp>,
    /// Deliveries on their way.
    pub waiting: u64,
    /// Deliveries that were given up.
    pub dead: u64,
}

/// Which endpoint is meant.
#[derive(Debug, Clone)]
pub enum WhichEndpoint {
    /// The one of this id.
    Id(EndpointId),
    /// The one at this URL, as it is listed.
    Url(String),
}

/// Another secret for an endpoint.
#[derive(Debug, Clone)]
pub struct NewSecret {
    /// Sealed.
    pub secret: Vec<u8>,
    /// Until when the one before it signs as well; `None`: not any more.
    pub former_until: Option<Timestamp>,
}

/// What an administrator does to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointChange {
    /// Nothing is sent there any more; what waited for it is cancelled.
    Remove,
    /// It takes deliveries again after it had answered 410 Gone.
    Enable,
}

impl EndpointChange {
    /// What the audit calls it.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Remove => "webhook.remove",
            Self::Enable => "webhook.enable",
        }
    }
}

/// Which deliveries to list.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    /// In this state only.
    pub state: Option<DeliveryState>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be sent, or sent again.
    Waiting,
    /// The receiver has it.
    Delivered,
    /// Given up.
    Dead,
    /// Its endpoint was removed first.
    Cancelled,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Delivered, Self::Dead, Self::Cancelled];

    /// Its name in the database and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One row of `webhook deliveries --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "plain")]
pub struct DeliveryRow {
    pub webhook_id: String,
    pub endpoint_id: EndpointId,
    pub url: String,
    pub event: String,
    pub state: String,
    /// How many attempts were begun since it was made or sent again.
    pub attempt: u32,
    pub created_at: Timestamp,
    pub attempted_at: Option<Timestamp>,
    /// When it is sent next; of a waiting one only.
    pub due_at: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    /// What the receiver answered.
    pub status: Option<u16>,
    /// The beginning of what it said besides.
    pub note: Option<String>,
}

/// An endpoint that has something due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "plain")]
pub struct Due {
    pub tenant: TenantId,
    pub endpoint: EndpointId,
    pub is_mail: bool,
}

/// Claims deliveries of one endpoint.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "plain")]
pub struct Claim {
    pub tenant: TenantId,
    pub endpoint: EndpointId,
    /// At most so many, the ones due longest.
    pub limit: u32,
}

/// Under which lease.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "plain")]
pub struct Lease {
    pub token: Uuid,
    pub now: Timestamp,
    pub until: Timestamp,
}

/// A delivery to be sent now.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct Claimed {
    pub tenant: TenantId,
    pub webhook_id: String,
    pub endpoint: EndpointId,
    pub lease_token: Uuid,
    pub url: String,
    pub secret: Option<Vec<u8>>,
    /// The one before it, for as long as it signs as well.
    pub former_secret: Option<Vec<u8>>,
    pub allow_private: bool,
    pub body: String,
    pub created_at: Timestamp,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    pub give_up_at: Timestamp,
}

/// How an attempt ended.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct Settled {
    pub tenant: TenantId,
    pub webhook_id: String,
    pub endpoint: EndpointId,
    pub lease_token: Uuid,
    pub next: Next,
    pub at: Timestamp,
    pub failure: Option<&'static str>,
    pub status: Option<u16>,
    pub note: Option<String>,
}

/// How much is on its way, and how much was given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "plain")]
pub struct DeliveryDepth {
    pub waiting: u64,
    pub dead: u64,
}

/// What carrying events out asks of the database.
#[async_trait]
pub trait WebhookStorage: Send + Sync + 'static {
    /// Adds an endpoint; a tenant has each URL once.
    async fn add_endpoint(&self, tenant: TenantId, endpoint: NewEndpoint, now: Timestamp) -> Result<(), AdminError>;
    /// The endpoints that were not removed, oldest first.
    async fn endpoints(&self, tenant: TenantId) -> Result<Vec<EndpointRow>, StorageError>;
    /// Removes or enables an endpoint; false if there is none.
    async fn change_endpoint(
        &self,
        tenant: TenantId,
        which: WhichEndpoint,
        change: EndpointChange,
        now: Timestamp,
    ) -> Result<bool, StorageError>;
    /// Signs with another secret from now on; false if there is no such endpoint, it is not signed, or a former secret of
    /// it still signs and is to go on.
    async fn rotate_secret(
        &self,
        tenant: TenantId,
        endpoint: EndpointId,
        new: NewSecret,
        now: Timestamp,
    ) -> Result<bool, StorageError>;
    /// Deliveries, newest first.
    async fn deliveries(&self, tenant: TenantId, filter: DeliveryFilter) -> Result<Vec<DeliveryRow>, StorageError>;
    /// Makes an event's deliveries due again, to one endpoint or to each, with the same id and body; says how many.
    /// Those of endpoints that were removed or disabled are left.
    async fn resend(
        &self,
        tenant: TenantId,
        webhook_id: &str,
        endpoint: Option<EndpointId>,
        now: Timestamp,
    ) -> Result<u64, StorageError>;

    /// The endpoints that have something due.
    async fn due(&self, now: Timestamp) -> Result<Vec<Due>, StorageError>;
    /// Claims what is due, each delivery for one caller only until the lease ends.
    async fn claim(&self, claims: Vec<Claim>, lease: Lease) -> Result<Vec<Claimed>, StorageError>;
    /// Writes down how attempts ended, where the lease is still the caller's.
    async fn settle(&self, settled: Vec<Settled>) -> Result<(), StorageError>;
    /// Removes deliveries that were delivered or cancelled before `before`, some at a time; says how many.
    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64, StorageError>;
    /// How much there is of what.
    async fn delivery_depth(&self) -> Result<DeliveryDepth, StorageError>;
}
