//! What the server knows about an operation (CONTRACT 5).

use domain::{CommandId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::key::IdempotencyKey;
use crate::problem::Problem;
use crate::receipt::Receipt;

/// Where an operation stands at the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    /// The server has no record of the key; a resend with the same key is allowed, nothing else. If it is final and
    /// `problem` says `operation-window-expired`, the record may have been forgotten: what the command did is not known,
    /// and a resend is refused with the same problem.
    NotSeen,
    /// It is running now.
    Processing,
    /// It took effect; the receipt is in `result`.
    Committed,
    /// It had no effect and never will; the reason is in `problem`.
    Failed,
}

/// The answer to a look-up or a seal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationStatus {
    /// The command's id.
    pub operation_id: CommandId,
    /// Where it stands.
    pub state: OperationState,
    /// Whether it can still change.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The receipt of a committed operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Receipt>,
    /// The problem of a failed one, and of one too old to be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// By the server's clock.
    pub as_of: Timestamp,
}

/// Which keys are looked up together: at most [`crate::LOOKUP_KEYS_MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The keys.
    pub keys: Vec<IdempotencyKey>,
}

/// The answer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookupAnswer {
    /// In the order of the keys.
    pub results: Vec<LookedUpKey>,
}

/// What is known about one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookedUpKey {
    /// The key.
    pub idempotency_key: IdempotencyKey,
    /// Where its operation stands.
    #[serde(flatten)]
    pub status: OperationStatus,
}
