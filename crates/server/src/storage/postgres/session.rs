//! Sessions: begun, read with each request, rotated, ended.

mod find;

use domain::{Role, TenantId, Timestamp};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;
use wire::TenantInfo;

pub(super) use find::{Finds, find};

use crate::storage::deeds::{self, SessionEnd};
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::{get, id, integer, named, time};
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::{Postgres, audit, directory};
use crate::storage::rows::Rotate;
use crate::storage::{Account, NewSession, Rotation, SessionRow, StorageError};

pub(super) async fn find_account(db: &Postgres, slug: &str, username: &str) -> Result<Option<Account>, StorageError> {
    let Some(tenant) = directory::tenant_of(db, slug).await? else { return Ok(None) };
    let username = username.to_owned();
    let account = run(&db.pool, Opening::read(Scope::Tenant(tenant)), move |opened| {
        let query = sqlx::query(include_str!("session/account.sql")).bind(tenant.0).bind(username.clone());
        Box::pin(async move {
            let Some(row) = query.fetch_optional(opened.connection).await? else { return Ok(None) };
            Ok(Some(Account {
                tenant,
                actor: id(&row, "actor_id")?,
                password_hash: get(&row, "password_hash")?,
                disabled: get(&row, "disabled")?,
            }))
        })
    });
    account.await
}

pub(super) async fn begin(db: &Postgres, new: NewSession) -> Result<Option<SessionRow>, StorageError> {
    let begun = run(&db.pool, Opening::write(Scope::Tenant(new.tenant)), move |opened| {
        let (tenant, session) = (new.tenant, new.session);
        let query = sqlx::query(include_str!("session/begin.sql")).bind(tenant.0).bind(new.actor.0).bind(session);
        let query = query.bind(new.device_id.clone()).bind(new.device_name.clone()).bind(new.refresh_hash.clone());
        let query = query.bind(new.now.0).bind(new.password_hash.clone());
        Box::pin(async move {
            query.execute(&mut *opened.connection).await?;
            let row = row_of(opened.connection, tenant, session).await?;
            Ok(row.as_ref().map(session_row).transpose()?)
        })
    });
    begun.await
}

async fn row_of(connection: &mut PgConnection, tenant: TenantId, session: Uuid) -> Result<Option<PgRow>, Fault> {
    let query = sqlx::query(include_str!("session/get.sql")).bind(tenant.0).bind(vec![session]);
    Ok(query.fetch_optional(connection).await?)
}

fn session_row(row: &PgRow) -> Result<SessionRow, StorageError> {
    Ok(SessionRow {
        session: get(row, "session_id")?,
        session_version: integer(row, "session_version")?,
        tenant: TenantInfo { id: id(row, "tenant_id")?, slug: get(row, "slug")?, name: get(row, "name")? },
        actor: id(row, "actor_id")?,
        username: get(row, "username")?,
        display_name: get(row, "display_name")?,
        role: named(row, "role", Role::named)?,
        is_valid: get(row, "is_valid")?,
    })
}

pub(super) async fn rotate(db: &Postgres, rotate: Rotate) -> Result<Rotation, StorageError> {
    let rotated = run(&db.pool, Opening::write(Scope::Tenant(rotate.tenant)), move |opened| {
        Box::pin(rotate_inside(opened.connection, rotate.clone()))
    });
    rotated.await
}

/// The row is locked, so that two uses of one token come one after the other.
async fn rotate_inside(connection: &mut PgConnection, rotate: Rotate) -> Result<Rotation, Fault> {
    let (tenant, session) = (rotate.tenant, rotate.session);
    sqlx::query(include_str!("session/lock.sql")).bind(tenant.0).bind(session).execute(&mut *connection).await?;
    let Some(row) = row_of(connection, tenant, session).await? else { return Ok(Rotation::Ended) };
    let found = session_row(&row)?;
    if !found.is_valid {
        return Ok(Rotation::Ended);
    }
    let count: i64 = get(&row, "refresh_count")?;
    let current: &str = get(&row, "refresh_hash")?;
    let age_ms = rotate.now.0 - time(&row, "rotated_at")?.0;
    let same_device = get::<&str>(&row, "device_id")? == rotate.device_id;
    let is_current = count == rotate.count && current == rotate.given_hash && age_ms <= rotate.idle_ms;
    if same_device && rotate.count < count && was_just_used(connection, &rotate).await? {
        return Ok(Rotation::Rotated(found));
    }
    if !(same_device && is_current) {
        end_inside(connection, tenant, session, SessionEnd::TokenReused, rotate.now).await?;
        return Ok(Rotation::Ended);
    }
    let query = sqlx::query(include_str!("session/rotate.sql")).bind(tenant.0).bind(session).bind(rotate.count);
    query.bind(&rotate.successor_hash).bind(rotate.now.0).execute(&mut *connection).await?;
    let oldest = rotate.now.0.saturating_sub(rotate.grace_ms);
    let query = sqlx::query(include_str!("session/forget_uses.sql")).bind(tenant.0).bind(session).bind(oldest);
    query.execute(&mut *connection).await?;
    let query = sqlx::query(include_str!("session/add_use.sql")).bind(tenant.0).bind(session).bind(rotate.count);
    query.bind(rotate.now.0).execute(connection).await?;
    Ok(Rotation::Rotated(found))
}

/// Whether this token was used within the grace, whatever was done with its successor since. That it is one of ours
/// is known: it carries our signature, which is all that can be compared, as only the current one's hash is kept.
async fn was_just_used(connection: &mut PgConnection, rotate: &Rotate) -> Result<bool, Fault> {
    let query = sqlx::query(include_str!("session/use.sql")).bind(rotate.tenant.0).bind(rotate.session);
    let row = query.bind(rotate.count).fetch_optional(connection).await?;
    let used_at = row.map(|row| time(&row, "used_at")).transpose()?;
    Ok(used_at.is_some_and(|at| rotate.now.0 - at.0 <= rotate.grace_ms))
}

pub(super) async fn end(db: &Postgres, tenant: TenantId, session: Uuid, now: Timestamp) -> Result<(), StorageError> {
    let ended = run(&db.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
        Box::pin(end_inside(opened.connection, tenant, session, SessionEnd::SignedOut, now))
    });
    ended.await
}

async fn end_inside(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: Uuid,
    end: SessionEnd,
    now: Timestamp,
) -> Result<(), Fault> {
    let query = sqlx::query(include_str!("session/end.sql")).bind(tenant.0).bind(session).bind(now.0);
    let Some(row) = query.fetch_optional(&mut *connection).await? else { return Ok(()) };
    count_end(connection, tenant).await?;
    audit::append(connection, tenant, deeds::session_ended(session, id(&row, "actor_id")?, end, now)).await
}

/// Lets every node see that some session of the tenant has ended.
pub(super) async fn count_end(connection: &mut PgConnection, tenant: TenantId) -> Result<(), Fault> {
    sqlx::query(include_str!("session/count_end.sql")).bind(tenant.0).execute(connection).await?;
    Ok(())
}
