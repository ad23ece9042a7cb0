//! What client and server say to each other (CONTRACT 1–6): plain serde types, the payload hash, the
//! idempotency key and strict JSON. Versioned by `schema_version` and the `/v1` path.

pub mod command;
pub mod feed;
pub mod hash;
pub mod json;
pub mod key;
pub mod operation;
pub mod problem;
pub mod receipt;
pub mod session;

pub use command::{CommandRequest, Target};
pub use feed::{ChangesPage, FeedEntity, FeedItem, PresenceEvent, WakeEvent};
pub use hash::payload_hash;
pub use key::IdempotencyKey;
pub use operation::{LookedUpKey, Lookup, LookupAnswer, OperationState, OperationStatus};
pub use problem::{Code, KnownEffect, Problem, Retry};
pub use receipt::{Fence, Receipt, ResultRef};
pub use session::{ActorInfo, SessionAnswer, SessionInfo, TenantInfo};

/// The content type of every problem (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";
/// The payload schema version this build writes.
pub const SCHEMA_VERSION: u32 = 1;
/// Bytes a request body may have.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Bytes a batch may have.
pub const BATCH_BYTES_MAX: usize = 4 << 20;
/// Commands a batch may have.
pub const BATCH_COMMANDS_MAX: usize = 100;
/// Keys a look-up may have.
pub const LOOKUP_KEYS_MAX: usize = 200;
/// The header that says an answer is a stored one.
pub const REPLAYED_HEADER: &str = "idempotent-replayed";
