//! Sessions: begun, read with each request, rotated, ended.

use domain::{Role, TenantId, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use wire::TenantInfo;

use crate::storage::deeds::{self, SessionEnd};
use crate::storage::rows::Rotate;
use crate::storage::sqlite::row::{get, integer, named, parsed, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, audit};
use crate::storage::{Account, NewSession, Rotation, SessionRow, StorageError};

pub(super) async fn find_account(db: &Sqlite, slug: &str, username: &str) -> Result<Option<Account>, StorageError> {
    let query = sqlx::query(include_str!("session/account.sql")).bind(slug).bind(username);
    let Some(row) = query.fetch_optional(&db.readers).await.map_err(fault)? else { return Ok(None) };
    Ok(Some(Account {
        tenant: parsed(&row, "tenant_id")?,
        actor: parsed(&row, "actor_id")?,
        password_hash: get(&row, "password_hash")?,
        disabled: get::<i64>(&row, "disabled")? != 0,
    }))
}

pub(super) async fn begin(db: &Sqlite, new: NewSession) -> Result<Option<SessionRow>, StorageError> {
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let (tenant, session) = (new.tenant.to_string(), new.session.to_string());
            let query = sqlx::query(include_str!("session/begin.sql")).bind(&tenant).bind(new.actor.to_string());
            let query = query.bind(&session).bind(&new.device_id).bind(&new.device_name).bind(&new.refresh_hash);
            let query = query.bind(new.now.0).bind(&new.password_hash);
            query.execute(&mut *connection).await.map_err(fault)?;
            row_of(connection, &tenant, &session).await?.as_ref().map(session_row).transpose()
        })
    });
    work.await
}

pub(super) async fn find(db: &Sqlite, tenant: TenantId, session: Uuid) -> Result<Option<SessionRow>, StorageError> {
    let row = row_of(&mut *db.reader().await?, &tenant.to_string(), &session.to_string()).await?;
    row.as_ref().map(session_row).transpose()
}

async fn row_of(
    executor: impl SqliteExecutor<'_>,
    tenant: &str,
    session: &str,
) -> Result<Option<SqliteRow>, StorageError> {
    let query = sqlx::query(include_str!("session/get.sql")).bind(tenant).bind(session);
    query.fetch_optional(executor).await.map_err(fault)
}

fn session_row(row: &SqliteRow) -> Result<SessionRow, StorageError> {
    Ok(SessionRow {
        session: parsed(row, "session_id")?,
        session_version: integer(row, "session_version")?,
        tenant: TenantInfo { id: parsed(row, "tenant_id")?, slug: get(row, "slug")?, name: get(row, "name")? },
        actor: parsed(row, "actor_id")?,
        username: get(row, "username")?,
        display_name: get(row, "display_name")?,
        role: named(row, "role", Role::named)?,
        is_valid: get::<i64>(row, "is_valid")? != 0,
    })
}

pub(super) async fn rotate(db: &Sqlite, rotate: Rotate) -> Result<Rotation, StorageError> {
    let work = db.writer.run(move |connection| Box::pin(rotate_inside(connection, rotate)));
    work.await
}

async fn rotate_inside(connection: &mut SqliteConnection, rotate: Rotate) -> Result<Rotation, StorageError> {
    let (tenant, session) = (rotate.tenant.to_string(), rotate.session.to_string());
    let Some(row) = row_of(&mut *connection, &tenant, &session).await? else { return Ok(Rotation::Ended) };
    let found = session_row(&row)?;
    if !found.is_valid {
        return Ok(Rotation::Ended);
    }
    let count: i64 = get(&row, "refresh_count")?;
    let current: &str = get(&row, "refresh_hash")?;
    let age_ms = rotate.now.0 - time(&row, "rotated_at")?.0;
    let same_device = get::<&str>(&row, "device_id")? == rotate.device_id;
    let is_current = count == rotate.count && current == rotate.given_hash && age_ms <= rotate.idle_ms;
    if same_device && rotate.count < count && was_just_used(connection, &rotate, &tenant, &session).await? {
        return Ok(Rotation::Rotated(found));
    }
    if !(same_device && is_current) {
        end_inside(connection, rotate.tenant, rotate.session, SessionEnd::TokenReused, rotate.now).await?;
        return Ok(Rotation::Ended);
    }
    let query = sqlx::query(include_str!("session/rotate.sql")).bind(&tenant).bind(&session).bind(rotate.count);
    let query = query.bind(&rotate.successor_hash).bind(rotate.now.0);
    query.execute(&mut *connection).await.map_err(fault)?;
    let oldest = rotate.now.0.saturating_sub(rotate.grace_ms);
    let query = sqlx::query(include_str!("session/forget_uses.sql")).bind(&tenant).bind(&session).bind(oldest);
    query.execute(&mut *connection).await.map_err(fault)?;
    let query = sqlx::query(include_str!("session/add_use.sql")).bind(&tenant).bind(&session).bind(rotate.count);
    query.bind(rotate.now.0).execute(connection).await.map_err(fault)?;
    Ok(Rotation::Rotated(found))
}

/// Whether this token was used within the grace, whatever was done with its successor since. That it is one of ours
/// is known: it carries our signature, which is all that can be compared, as only the current one's hash is kept.
async fn was_just_used(
    connection: &mut SqliteConnection,
    rotate: &Rotate,
    tenant: &str,
    session: &str,
) -> Result<bool, StorageError> {
    let query = sqlx::query(include_str!("session/use.sql")).bind(tenant).bind(session).bind(rotate.count);
    let row = query.fetch_optional(connection).await.map_err(fault)?;
    let used_at = row.map(|row| time(&row, "used_at")).transpose()?;
    Ok(used_at.is_some_and(|at| rotate.now.0 - at.0 <= rotate.grace_ms))
}

pub(super) async fn end(db: &Sqlite, tenant: TenantId, session: Uuid, now: Timestamp) -> Result<(), StorageError> {
    let work =
        db.writer.run(move |connection| Box::pin(end_inside(connection, tenant, session, SessionEnd::SignedOut, now)));
    work.await
}

async fn end_inside(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    session: Uuid,
    end: SessionEnd,
    now: Timestamp,
) -> Result<(), StorageError> {
    let query = sqlx::query(include_str!("session/end.sql")).bind(tenant.to_string()).bind(session.to_string());
    let Some(row) = query.bind(now.0).fetch_optional(&mut *connection).await.map_err(fault)? else { return Ok(()) };
    sqlx::query(include_str!("session/count_end.sql")).execute(&mut *connection).await.map_err(fault)?;
    audit::append(connection, tenant, deeds::session_ended(session, parsed(&row, "actor_id")?, end, now)).await
}
