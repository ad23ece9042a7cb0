//! The storage port over one PostgreSQL database, which several nodes share. The migration's head says who sees what.
//!
//! Everything of one tenant is done one after the other, whichever node does it: a transaction that writes for it
//! begins by locking its row of `tenant_head`, so nothing that is read after that can change before the commit.

mod admin;
mod audit;
mod check;
mod directory;
mod execute;
mod fault;
mod feed;
mod keep;
mod load;
mod open;
mod operation;
mod pool;
mod row;
mod session;
mod take_in;
#[cfg(test)]
mod tests;
mod transaction;
mod webhook;
mod write;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{ActorId, TenantId, Timestamp};
use uuid::Uuid;
use wire::IdempotencyKey;

pub use open::{OpenError, Place, Postgres};
pub use take_in::{TakeInError, TakenIn};

use crate::command::Attempt;
use crate::execution::AuditEntry;
use crate::storage::rows::Rotate;
use crate::storage::{
    Account, AdminError, Asker, AuditFilter, AuditRow, ChangesSlice, CheckReport, Executed, LookedUp, NewSession,
    NewUser, PoolUse, Pulse, PurgePart, Purged, Rotation, Seal, Sealing, SessionRow, Storage, StorageError, UserChange,
};

/// Locks the tenant that a transaction is about, and tells where its feed and audit end.
const LOCK_TENANT: &str = include_str!("postgres/lock_tenant.sql");

#[async_trait]
impl Storage for Postgres {
    async fn execute(&self, tenant: TenantId, group: Arc<[Attempt]>, now: Timestamp) -> Result<Executed, StorageError> {
        execute::execute(self, tenant, group, now).await
    }
    async fn audit_refusal(&self, tenant: TenantId, entry: AuditEntry) -> Result<(), StorageError> {
        audit::add(self, tenant, entry).await
    }
    async fn look_up(&self, asker: Asker, keys: Vec<IdempotencyKey>) -> Result<Vec<LookedUp>, StorageError> {
        operation::look_up(self, asker, keys).await
    }
    async fn seal(&self, asker: Asker, sealing: Sealing) -> Result<Seal, StorageError> {
        operation::seal(self, asker, sealing).await
    }
    async fn changes_since(
        &self,
        tenant: TenantId,
        actor: ActorId,
        position: u64,
        limit: u32,
        bytes_max: usize,
    ) -> Result<ChangesSlice, StorageError> {
        feed::changes_since(self, tenant, actor, position, limit, bytes_max).await
    }
    async fn feed_epoch(&self) -> Result<String, StorageError> {
        feed::epoch(self).await
    }
    async fn purge_horizon(&self) -> Result<Timestamp, StorageError> {
        feed::purge_horizon(self).await
    }
    async fn pulse(&self, seen: Option<i64>) -> Result<Option<Pulse>, StorageError> {
        feed::pulse(self, seen).await
    }
    fn pools(&self) -> Vec<PoolUse> {
        vec![self.pool.in_use()]
    }
    async fn agrees_on_key(&self, fingerprint: &str) -> Result<bool, StorageError> {
        check::agrees_on_key(self, fingerprint).await
    }
    async fn try_write(&self) -> Result<(), StorageError> {
        check::try_write(self).await
    }

    async fn find_account(&self, slug: &str, username: &str) -> Result<Option<Account>, StorageError> {
        session::find_account(self, slug, username).await
    }
    async fn begin_session(&self, session: NewSession) -> Result<Option<SessionRow>, StorageError> {
        session::begin(self, session).await
    }
    async fn session(&self, tenant: TenantId, session: Uuid) -> Result<Option<SessionRow>, StorageError> {
        session::find(&self.finds, &self.pool, tenant, session).await
    }
    async fn rotate(&self, rotation: Rotate) -> Result<Rotation, StorageError> {
        session::rotate(self, rotation).await
    }
    async fn end_session(&self, tenant: TenantId, session: Uuid, now: Timestamp) -> Result<(), StorageError> {
        session::end(self, tenant, session, now).await
    }

    async fn tenants(&self) -> Result<Vec<(TenantId, String)>, StorageError> {
        directory::all(self).await
    }
    async fn tenant_of(&self, slug: &str) -> Result<Option<TenantId>, StorageError> {
        directory::tenant_of(self, slug).await
    }
    async fn add_tenant(&self, slug: &str, name: &str, now: Timestamp) -> Result<TenantId, AdminError> {
        admin::add_tenant(self, slug, name, now).await
    }
    async fn add_user(&self, user: NewUser, now: Timestamp) -> Result<ActorId, AdminError> {
        admin::add_user(self, user, now).await
    }
    async fn change_user(
        &self,
        slug: &str,
        username: &str,
        change: UserChange,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        admin::change_user(self, slug, username, change, now).await
    }
    async fn usernames(&self, tenant: TenantId) -> Result<Vec<(ActorId, String)>, StorageError> {
        admin::usernames(self, tenant).await
    }
    async fn known_external_ids(
        &self,
        tenant: TenantId,
        external_ids: Vec<String>,
    ) -> Result<Vec<String>, StorageError> {
        admin::known_external_ids(self, tenant, external_ids).await
    }
    async fn audit(&self, tenant: TenantId, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageError> {
        audit::list(self, tenant, filter).await
    }
    async fn new_epoch(&self, now: Timestamp) -> Result<String, StorageError> {
        keep::new_epoch(self, now).await
    }
    async fn purge(&self, part: PurgePart) -> Result<Purged, StorageError> {
        keep::purge(self, part).await
    }
    async fn check(&self) -> Result<CheckReport, StorageError> {
        check::check(self).await
    }
    async fn backup(&self, file: &Path) -> Result<(), StorageError> {
        Err(check::backup(file))
    }
}
