//! What a decided group leaves behind, as plain rows for whichever database.

use std::borrow::Cow;

use domain::{ActorId, CommandId, EntityId, Revision, Timestamp};

use crate::execution::chain::Linked;
use crate::execution::events::OutgoingEvent;
use crate::execution::ground::Record;

/// What a group leaves behind, to be written in one transaction.
#[derive(Debug, Default)]
pub struct Writes {
    /// New key records.
    pub records: Vec<Record>,
    /// Changed entities in the order of their feed positions.
    pub changes: Vec<FeedChange>,
    /// External ids of new cases.
    pub external_ids: Vec<(String, EntityId)>,
    /// One entry per attempt, linked to the tenant's audit.
    pub audit: Vec<Linked>,
    /// What other systems are told of.
    pub events: Vec<OutgoingEvent>,
    /// The tenant's newest feed position afterwards.
    pub head: u64,
    /// The year and last case number afterwards, if any was used up.
    pub number: Option<(i16, u64)>,
}

/// An entity's new state at its feed position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "CONTRACT 6")]
pub struct FeedChange {
    pub seq: u64,
    pub kind: &'static str,
    pub id: EntityId,
    pub revision: Revision,
    /// `None`: to the whole tenant.
    pub visible_to: Option<ActorId>,
    pub command_id: Option<CommandId>,
    pub at: Timestamp,
    pub body: String,
}

/// One attempt, for the audit (CONTRACT 7).
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "CONTRACT 7")]
pub struct AuditEntry {
    pub command_id: String,
    pub key: String,
    pub actor_id: String,
    pub entity_type: String,
    pub entity_id: String,
    pub operation: String,
    pub previous_revision: Option<u32>,
    pub next_revision: Option<u32>,
    pub result: Cow<'static, str>,
    pub code: Option<Cow<'static, str>>,
    pub authority: Option<Cow<'static, str>>,
    pub session_version: u32,
    pub issued_under: u32,
    pub request_id: String,
    pub occurred_at: Timestamp,
}
