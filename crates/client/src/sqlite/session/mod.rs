//! What the store keeps of itself and of the session: owner, versions, cursor. No secret is in it.

use engine::ports::{StoreError, StoredSession};
use engine::view::Versions;
use sqlx::{FromRow, SqliteConnection};

use super::error;

/// The epoch of the process that owns the store.
pub(super) async fn owner_epoch(db: &mut SqliteConnection) -> Result<u64, StoreError> {
    let epoch: i64 = sqlx::query_scalar("select owner_epoch from meta").fetch_one(db).await.map_err(error::of)?;
    Ok(epoch.unsigned_abs())
}

#[derive(FromRow)]
struct VersionColumns {
    cases_version: i64,
    outbox_version: i64,
}

impl From<VersionColumns> for Versions {
    fn from(columns: VersionColumns) -> Self {
        Self {
            cases: columns.cases_version.unsigned_abs(),
            outbox: columns.outbox_version.unsigned_abs(),
            ..Self::default()
        }
    }
}

/// The newest versions.
pub(super) async fn versions(db: &mut SqliteConnection) -> Result<Versions, StoreError> {
    let columns: VersionColumns =
        sqlx::query_as("select cases_version, outbox_version from meta").fetch_one(db).await.map_err(error::of)?;
    Ok(columns.into())
}

/// Raises both versions: a step of a row changes the outbox, and the marks beside the cases.
pub(super) async fn raise_versions(db: &mut SqliteConnection) -> Result<Versions, StoreError> {
    raise(db, true, true).await
}

/// Raises the versions of what changed.
pub(super) async fn raise(db: &mut SqliteConnection, cases: bool, outbox: bool) -> Result<Versions, StoreError> {
    if !cases && !outbox {
        return versions(db).await;
    }
    let columns: VersionColumns = sqlx::query_as(include_str!("raise_versions.sql"))
        .bind(i64::from(cases))
        .bind(i64::from(outbox))
        .fetch_one(db)
        .await
        .map_err(error::of)?;
    Ok(columns.into())
}

#[derive(FromRow)]
struct SessionColumns {
    session_version: i64,
    session_revoked: bool,
    signed_in: bool,
}

/// The stored session.
pub(super) async fn session(db: &mut SqliteConnection) -> Result<StoredSession, StoreError> {
    let columns: SessionColumns = sqlx::query_as("select session_version, session_revoked, signed_in from meta")
        .fetch_one(db)
        .await
        .map_err(error::of)?;
    Ok(StoredSession {
        version: u32::try_from(columns.session_version).unwrap_or_default(),
        revoked: columns.session_revoked,
        signed_in: columns.signed_in,
    })
}

/// Replaces it.
pub(super) async fn set_session(db: &mut SqliteConnection, session: StoredSession) -> Result<Versions, StoreError> {
    sqlx::query("update meta set session_version = ?1, session_revoked = ?2, signed_in = ?3")
        .bind(session.version)
        .bind(session.revoked)
        .bind(session.signed_in)
        .execute(&mut *db)
        .await
        .map_err(error::of)?;
    versions(db).await
}
