//! One change as it is stored: what never changes, where it stands, how it was decided.

use domain::{ActorId, Case, CaseId, CommandId, EntityId, EntityKind, Expected, Operation, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use uuid::Uuid;
use wire::IdempotencyKey;

use super::history::LastError;
use super::state::{Delivery, Hold};

/// The error's code of a row that was read back from a damaged store: a person looks at it first.
pub const RECOVERED: &str = "recovered";

/// The error's code of a row that the server had confirmed and, put back to an earlier time, no longer has. The error's
/// time is when it had been received.
pub const MISSING_AGAIN: &str = "missing-again";

/// One row of the outbox.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    /// Enqueue order; never reused.
    pub seq: i64,
    /// Where it stands in its lane: its own `seq`, or the place of the row that it came instead of. What a person
    /// decided goes where the decided change would have gone, before what was done later. 0 until it is stored.
    pub place: i64,
    /// The intent it came from: the same form sent twice finds the same row.
    pub intent_id: Uuid,
    /// Its number.
    pub command_id: CommandId,
    /// Made once, at enqueue; every attempt carries it.
    pub key: IdempotencyKey,
    /// What is done.
    pub operation: Operation,
    /// The version of the payload's schema.
    pub schema_version: u32,
    /// What it is about: a case, or the notification that is read. Also its lane.
    pub target: EntityId,
    /// What the actor saw, as sent.
    pub expected: Option<Expected>,
    /// As hashed and sent. `None` if it could not be read back or its hash no longer fits: content lost.
    pub payload: Option<Value>,
    /// Made once, at enqueue.
    pub payload_hash: String,
    /// The tenant it belongs to.
    pub tenant_id: TenantId,
    /// Who did it.
    pub actor_id: ActorId,
    /// The session version it was accepted under.
    pub session_version: u32,
    /// When the actor did it.
    pub issued_at: Timestamp,
    /// When the actor confirmed it again.
    pub confirmed_at: Option<Timestamp>,
    /// The case as the actor saw it, with earlier pending changes applied: a conflict's base. Of a notification, the case
    /// that it tells of.
    pub seen: Option<Case>,
    /// Where it stands.
    pub delivery: Delivery,
    /// How many sends were marked.
    pub attempt: u32,
    /// How often in a row it failed the same way.
    pub same_failures: u32,
    /// Why the last attempt did not end in a receipt.
    pub last_error: Option<LastError>,
    /// Until when the server asked to wait.
    pub not_before: Option<Timestamp>,
    /// How it was decided, if it was. A resolved row keeps its state and is never claimed.
    pub resolution: Option<Resolution>,
    /// Whether the server's state held here contains it; only then is an acked row no longer pending.
    pub projected: bool,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// How a row was decided, by whom, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// What was decided.
    pub kind: ResolutionKind,
    /// The command that came instead.
    pub successor: Option<CommandId>,
    /// Who decided.
    pub by: ActorId,
    /// When.
    pub at: Timestamp,
}

/// What was decided about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionKind {
    /// A new command says what the actor wants now, or the server's version was kept.
    Superseded,
    /// It waited behind a row that was decided; a successor names the decision.
    Rebased,
    /// It is never sent.
    Discarded,
}

impl OutboxRow {
    /// The row as it is once the store gave it this `seq`.
    #[must_use]
    pub fn stored_at(mut self, seq: i64) -> Self {
        self.seq = seq;
        if self.place == 0 {
            self.place = seq;
        }
        self
    }

    /// The order within a lane.
    pub fn lane_order(&self) -> (i64, i64) {
        (self.place, self.seq)
    }

    /// The case it is about, itself or by what its target tells of.
    pub fn case_id(&self) -> CaseId {
        let seen = self.seen.as_ref().filter(|_| !self.is_about_case());
        seen.map_or(CaseId(self.target.0), |case| case.id)
    }

    /// Whether its target is a case: then its lane is that case's.
    pub fn is_about_case(&self) -> bool {
        self.operation.policy().target == EntityKind::Case
    }

    /// Neither received nor decided.
    pub fn is_open(&self) -> bool {
        !matches!(self.delivery, Delivery::Acked { .. }) && self.resolution.is_none()
    }

    /// Still drawn over the server's state: open, or received but not yet in the state held here.
    pub fn is_pending(&self) -> bool {
        self.resolution.is_none() && !self.projected
    }

    /// Needs a person before anything more happens (CONTRACT 8, `needs_attention`).
    pub fn needs_attention(&self) -> bool {
        self.is_open()
            && (self.payload.is_none()
                || matches!(self.delivery, Delivery::Conflict { .. } | Delivery::Rejected { .. })
                || matches!(
                    self.delivery.hold(),
                    Some(Hold::Grant | Hold::Confirmation | Hold::Quarantined | Hold::Person)
                ))
    }
}
