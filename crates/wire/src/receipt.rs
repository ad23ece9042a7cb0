//! The receipt: proof that a command is committed, with the fence that says whose (CONTRACT 3).

use domain::{ActorId, CommandId, EntityId, Revision, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// The answer to a committed command. It holds ids, revisions and positions, never the entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The command's id.
    pub operation_id: CommandId,
    /// Always `committed`.
    pub state: Committed,
    /// Whose command it was, on what.
    pub fence: Fence,
    /// What was created or changed.
    pub result: ResultRef,
    /// The feed position of its last effect.
    pub feed_position: u64,
    /// By the server's clock.
    pub committed_at: Timestamp,
    /// Set when only the tombstone of the receipt is left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub receipt_reduced: bool,
}

/// The one state a receipt has; any other text is no receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Committed {
    /// The command is committed.
    Committed,
}

/// What an answer must match to be this row's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// The tenant it was committed in.
    pub tenant_id: TenantId,
    /// Who ran it.
    pub actor_id: ActorId,
    /// The session version the request carried.
    pub session_version: u32,
    /// The hash the server computed.
    pub payload_hash: String,
    /// The target's type.
    pub entity_type: String,
    /// The target.
    pub entity_id: EntityId,
    /// The target's revision after the command.
    pub entity_revision: Revision,
}

/// What a command created or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultRef {
    /// A feed type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: EntityId,
    /// Its revision after the command.
    pub revision: Revision,
}
