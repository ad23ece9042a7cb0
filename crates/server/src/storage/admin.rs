//! What the administrator's command line asks for.

use domain::{Role, Timestamp};
use serde::Serialize;

use crate::execution::AuditEntry;
use crate::storage::StorageError;

/// A user to add.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct NewUser {
    pub slug: String,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    pub password_hash: String,
    /// A disabled one cannot sign in: the importer.
    pub disabled: bool,
}

/// A change to a user.
#[derive(Debug, Clone)]
pub enum UserChange {
    /// Another role. Ends nothing; it is kept since when.
    Role(Role),
    /// Ends all sessions.
    Revoke,
    /// Disabling ends all sessions, enabling none.
    Disabled(bool),
    /// Another password, already hashed; ends all sessions.
    Password(String),
}

/// Why an administrator's change was not made.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is one already.
    #[error("{0} exists already")]
    Exists(String),
    /// There is none.
    #[error("there is no {0}")]
    Unknown(String),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Which audit rows to list.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Of this command only.
    pub command: Option<String>,
    /// Of this target only.
    pub target: Option<String>,
}

/// One row of `audit --json`.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "CONTRACT 7")]
pub struct AuditRow {
    /// Its place in the tenant's audit: 1, 2, 3 …
    pub audit_id: String,
    /// Over the hash before it and everything it says.
    pub hash: String,
    pub command_id: String,
    pub idempotency_key: String,
    pub actor_id: String,
    pub tenant_id: String,
    pub entity_type: String,
    pub entity_id: String,
    pub operation: String,
    pub previous_revision: Option<u32>,
    pub next_revision: Option<u32>,
    pub result: String,
    pub code: Option<String>,
    pub authority: Option<String>,
    pub session_version: u32,
    pub issued_under: u32,
    pub request_id: String,
    pub occurred_at: Timestamp,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        Self {
            command_id: row.command_id,
            key: row.idempotency_key,
            actor_id: row.actor_id,
            entity_type: row.entity_type,
            entity_id: row.entity_id,
            operation: row.operation,
            previous_revision: row.previous_revision,
            next_revision: row.next_revision,
            result: row.result.into(),
            code: row.code.map(Into::into),
            authority: row.authority.map(Into::into),
            session_version: row.session_version,
            issued_under: row.issued_under,
            request_id: row.request_id,
            occurred_at: row.occurred_at,
        }
    }
}

/// What `check` found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CheckReport {
    /// What is wrong; empty if all is well.
    pub faults: Vec<String>,
    /// What is whole, and still needs somebody's attention.
    pub warnings: Vec<String>,
    /// How much there is of what.
    pub counts: Vec<(String, u64)>,
}
