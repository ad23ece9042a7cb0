//! The storage port. Its methods are whole units of work, so that each database does them in the
//! transaction that suits it, and routes know none.

pub mod admin;
mod deeds;
pub mod error;
pub mod keeping;
pub mod postgres;
pub mod rows;
pub mod sqlite;
mod unseen;
mod user;
pub mod webhook;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{ActorId, TenantId, Timestamp};
use uuid::Uuid;
use wire::IdempotencyKey;

pub use admin::{AdminError, AuditFilter, AuditRow, CheckReport, NewUser, UserChange};
pub use error::StorageError;
pub use keeping::{Purge, PurgePart, Purged};
pub use rows::{
    Account, Asker, ChangesSlice, Executed, FeedRow, LookedUp, NewSession, PoolUse, Pulse, Rotation, Seal, Sealing,
    SessionRow,
};
pub use webhook::WebhookStorage;

use crate::command::Attempt;
use crate::execution::AuditEntry;

/// What the receiver asks of its database. Every method is one unit of work: it commits as a whole or not
/// at all, and never lends out a transaction.
#[async_trait]
pub trait Storage: WebhookStorage + Send + Sync + 'static {
    /// Loads what `group` needs, folds it, writes keys, effects, feed and audit, and commits, all at once.
    async fn execute(&self, tenant: TenantId, group: Arc<[Attempt]>, now: Timestamp) -> Result<Executed, StorageError>;
    /// Adds the audit entry of an attempt that was refused before it could be decided.
    async fn audit_refusal(&self, tenant: TenantId, entry: AuditEntry) -> Result<(), StorageError>;
    /// What is known of `keys`, in the same order; what `asker` may not know of was not seen.
    async fn look_up(&self, asker: Asker, keys: Vec<IdempotencyKey>) -> Result<Vec<LookedUp>, StorageError>;
    /// Makes sure that an unseen key will never be applied.
    async fn seal(&self, asker: Asker, sealing: Sealing) -> Result<Seal, StorageError>;
    /// Each entity `actor` may see that changed after `position`, at its newest state, in feed order: at most `limit`, and no
    /// more than `bytes_max` of bodies unless the first alone is longer.
    async fn changes_since(
        &self,
        tenant: TenantId,
        actor: ActorId,
        position: u64,
        limit: u32,
        bytes_max: usize,
    ) -> Result<ChangesSlice, StorageError>;
    /// The feed's epoch.
    async fn feed_epoch(&self) -> Result<String, StorageError>;
    /// Commands made before this may have no record any more.
    async fn purge_horizon(&self) -> Result<Timestamp, StorageError>;
    /// What event streams need to know, if the database changed since the version `seen`.
    async fn pulse(&self, seen: Option<i64>) -> Result<Option<Pulse>, StorageError>;
    /// Its pools of connections, as of now.
    fn pools(&self) -> Vec<PoolUse> {
        Vec::new()
    }
    /// Whether this key is the one that every node of the database works with: the first one asked about is. Always
    /// so where one process has the database for itself.
    async fn agrees_on_key(&self, _fingerprint: &str) -> Result<bool, StorageError> {
        Ok(true)
    }
    /// Commits a transaction that changes nothing: fails if one that does would fail.
    async fn try_write(&self) -> Result<(), StorageError>;

    /// The account of this tenant and name.
    async fn find_account(&self, slug: &str, username: &str) -> Result<Option<Account>, StorageError>;
    /// Begins a session; `None` if the account was disabled or changed its password meanwhile.
    async fn begin_session(&self, session: NewSession) -> Result<Option<SessionRow>, StorageError>;
    /// The session with its actor as of now.
    async fn session(&self, tenant: TenantId, session: Uuid) -> Result<Option<SessionRow>, StorageError>;
    /// Uses up a refresh token, or says why not; see [`Rotation`].
    async fn rotate(&self, rotation: rows::Rotate) -> Result<Rotation, StorageError>;
    /// Ends a session; ending it again changes nothing.
    async fn end_session(&self, tenant: TenantId, session: Uuid, now: Timestamp) -> Result<(), StorageError>;

    /// Every tenant with its slug.
    async fn tenants(&self) -> Result<Vec<(TenantId, String)>, StorageError>;
    /// The tenant of this slug.
    async fn tenant_of(&self, slug: &str) -> Result<Option<TenantId>, StorageError>;
    /// Adds a tenant.
    async fn add_tenant(&self, slug: &str, name: &str, now: Timestamp) -> Result<TenantId, AdminError>;
    /// Adds a user and its `member` entity.
    async fn add_user(&self, user: NewUser, now: Timestamp) -> Result<ActorId, AdminError>;
    /// Changes a user; what ends sessions is in [`UserChange`].
    async fn change_user(
        &self,
        slug: &str,
        username: &str,
        change: UserChange,
        now: Timestamp,
    ) -> Result<(), AdminError>;
    /// Everybody of the tenant with their names, whether or not they may still sign in.
    async fn usernames(&self, tenant: TenantId) -> Result<Vec<(ActorId, String)>, StorageError>;
    /// Which of `external_ids` the tenant has already.
    async fn known_external_ids(
        &self,
        tenant: TenantId,
        external_ids: Vec<String>,
    ) -> Result<Vec<String>, StorageError>;
    /// The audit, oldest first.
    async fn audit(&self, tenant: TenantId, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageError>;
    /// Begins another epoch of the feed, so that every reader reads it anew; leaves an audit entry in each tenant.
    async fn new_epoch(&self, now: Timestamp) -> Result<String, StorageError>;
    /// Takes away the next rows of a purge, and leaves an audit entry if there were any.
    async fn purge(&self, part: PurgePart) -> Result<Purged, StorageError>;
    /// Whether what is stored is whole.
    async fn check(&self) -> Result<CheckReport, StorageError>;
    /// Writes a consistent copy to `file`, which must not exist.
    async fn backup(&self, file: &Path) -> Result<(), StorageError>;
}
