//! The command envelope (CONTRACT 3).

use domain::{CommandId, EntityId, Expected, Operation, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body of `POST /v1/commands`. Reading it strictly, member by member, is the server's work, since
/// it must tell a malformed body from an invalid one; this type is for writing, and for reading our own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRequest {
    /// Made once, by whoever has the intent.
    pub command_id: CommandId,
    /// What to do.
    pub operation: Operation,
    /// The version of the payload's schema.
    pub schema_version: u32,
    /// What it is about.
    pub target: Target,
    /// What the actor saw.
    pub expected: Option<Expected>,
    /// The operation's payload, as hashed.
    pub payload: Value,
    /// See [`crate::payload_hash`].
    pub payload_hash: String,
    /// When the actor did it, by the actor's clock.
    pub issued_at: Timestamp,
    /// When the actor confirmed it again, if it had become old.
    pub confirmed_at: Option<Timestamp>,
    /// The version of the session that sends.
    pub session_version: u32,
    /// The version of the session in which the intent was accepted.
    pub issued_under: u32,
}

/// What a command is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The type that the operation's policy names.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: EntityId,
}

impl Target {
    /// A case as a target.
    pub fn case(id: domain::CaseId) -> Self {
        Self { kind: "case".to_owned(), id: id.into() }
    }

    /// What a command of `operation` is about: the entity `id` of the type that its policy names.
    pub fn of(operation: Operation, id: EntityId) -> Self {
        Self { kind: operation.policy().target.name().to_owned(), id }
    }
}
