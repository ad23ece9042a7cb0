//! Opening a store: checks, migrations, the owner's epoch, and what happens to a file that cannot be used.

use std::path::Path;

use domain::{ActorId, TenantId};
use engine::ports::{Owner, StoreError};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Connection, FromRow, SqliteConnection};

use super::{SqliteStore, Writes, connection, error, outbox, replace, salvage};

/// Numbered, one purpose each, frozen once released; each runs in a transaction of its own.
static MIGRATIONS: Migrator = sqlx::migrate!("src/sqlite/migrations");
/// `ONOV`, as the first migration sets it.
const APPLICATION_ID: i64 = 0x4f4e_4f56;

/// Whose store it is, and which program opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The tenant.
    pub tenant_id: TenantId,
    /// The actor.
    pub actor_id: ActorId,
    /// This program's version, kept for a person who meets the store with an older one.
    pub app_version: String,
}

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To write. The caller holds the profile's lock; whoever owned the store before writes nothing any more.
    Own,
    /// To read, also while another process writes.
    Read,
}

/// An open store with what a person must be told about it.
pub struct Opened {
    /// The store.
    pub store: SqliteStore,
    /// Its predecessor was damaged. Said at each opening until [`SqliteStore::acknowledge_damage`].
    pub damage: Option<Damage>,
    /// A newer version wrote it: it is open for reading only.
    pub newer: Option<Newer>,
}

/// What became of a damaged store's rows. The damaged file lies beside the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// Open rows that were read back; each is held for a person, so that nothing is sent before someone looked.
    pub recovered: u32,
    /// Rows known to have been there that could not be read back; `None` if nothing told how many there were.
    pub lost: Option<u32>,
}

/// A newer version of the program wrote the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer {
    /// Which.
    pub written_by: String,
}

/// Why a store was not opened. The file is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The file is another account's store.
    #[error("the store belongs to another account")]
    OtherAccount,
    /// The file is another program's database.
    #[error("the file is a database of another program")]
    OtherProgram,
    /// There is no store to read.
    #[error("there is no store yet")]
    Missing,
    /// The store must be brought up to date by a process that owns it before this version can read it.
    #[error("the store was last used by an older version and was not brought up to date yet")]
    Older,
    /// The SQLite library has a fault that can corrupt the store.
    #[error("SQLite {found} is too old")]
    SqliteTooOld {
        /// Its version.
        found: String,
    },
    /// A setting without which "saved" would not mean saved does not hold.
    #[error("the setting {name} is {found}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it is.
        found: String,
    },
    /// The disk or the database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens to own; a damaged file is replaced first, and so is one that is not there though it was before.
pub(super) async fn to_own(path: &Path, identity: &Identity, was_there: bool) -> Result<Opened, OpenError> {
    replace::finish(path).map_err(|error| error::of_io(&error))?;
    if was_there && is_empty(path)? {
        tracing::error!("the store is gone; a new one takes its place");
        salvage::replace_nothing(path, identity).await?;
    }
    match own(path, identity).await {
        Err(OpenError::Store(StoreError::Damaged(why))) => {
            tracing::error!(%why, "the store is damaged; a new one takes its place");
            salvage::replace(path, identity).await?;
            own(path, identity).await
        }
        outcome => outcome,
    }
}

/// Whether there is no file, or nothing in it. SQLite would take both for a new database.
fn is_empty(path: &Path) -> Result<bool, StoreError> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(file.len() == 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error::of_io(&error)),
    }
}

/// What an own opening found.
enum Found {
    Current(Owner, Option<Damage>),
    Newer(Owner, Newer),
}

async fn own(path: &Path, identity: &Identity) -> Result<Opened, OpenError> {
    let mut db = connection::writing(path).await.map_err(error::of)?;
    match look(&mut db, identity).await {
        Ok(Found::Current(owner, damage)) => {
            Ok(Opened { store: SqliteStore::writing(path, owner, db), damage, newer: None })
        }
        Ok(Found::Newer(owner, newer)) => {
            close(db).await;
            let refusal = StoreError::Newer { written_by: newer.written_by.clone() };
            let store = SqliteStore::new(path, owner, Writes::Never(refusal));
            Ok(Opened { store, damage: None, newer: Some(newer) })
        }
        Err(error) => {
            close(db).await;
            Err(error)
        }
    }
}

/// Waits until the file is let go: a connection that is only dropped ends later, and may still touch the files that
/// are beside it by then.
pub(super) async fn close(db: SqliteConnection) {
    if let Err(error) = db.close().await {
        tracing::warn!(%error, "closing a connection");
    }
}

async fn look(db: &mut SqliteConnection, identity: &Identity) -> Result<Found, OpenError> {
    connection::check_version(db).await?;
    check_integrity(db).await?;
    check_identity(db, identity).await?;
    if newest_migration(db).await? > newest_known() {
        let newer = Newer { written_by: written_by(db).await? };
        return Ok(Found::Newer(owner(db, identity).await?, newer));
    }
    connection::check_settings(db).await?;
    let (owner, damage) = take_over(db, identity).await?;
    Ok(Found::Current(owner, damage))
}

/// Brings the schema up to date and makes this process the owner.
pub(super) async fn take_over(
    db: &mut SqliteConnection,
    identity: &Identity,
) -> Result<(Owner, Option<Damage>), OpenError> {
    // `run` would do, but a future that holds it is not `Send`.
    MIGRATIONS.run_direct(None, &mut *db, false).await.map_err(of_migration)?;
    let mut tx = db.begin_with("begin immediate").await.map_err(error::of)?;
    sqlx::query(include_str!("session/take_over.sql"))
        .bind(identity.tenant_id.to_string())
        .bind(identity.actor_id.to_string())
        .bind(&identity.app_version)
        .execute(&mut *tx)
        .await
        .map_err(error::of)?;
    outbox::find_lost_content(&mut tx).await?;
    let owner = owner(&mut tx, identity).await?;
    let damage = damage(&mut tx).await?;
    tx.commit().await.map_err(error::of)?;
    Ok((owner, damage))
}

/// Opens to read: no epoch, no migration, no lock.
pub(super) async fn to_read(path: &Path, identity: &Identity, was_there: bool) -> Result<Opened, OpenError> {
    if was_there && is_empty(path)? {
        return Err(StoreError::Damaged("its file is empty or gone".to_owned()).into());
    }
    if !path.try_exists().map_err(|error| error::of_io(&error))? {
        return Err(OpenError::Missing);
    }
    let mut db = connection::reading(path).await.map_err(error::of)?;
    let found = look_only(&mut db, identity).await;
    close(db).await;
    let (owner, damage, newer) = found?;
    Ok(Opened { store: SqliteStore::new(path, owner, Writes::Never(StoreError::ReadOnly)), damage, newer })
}

async fn look_only(
    db: &mut SqliteConnection,
    identity: &Identity,
) -> Result<(Owner, Option<Damage>, Option<Newer>), OpenError> {
    connection::check_version(db).await?;
    check_identity(db, identity).await?;
    let found = newest_migration(db).await?;
    if found < newest_known() {
        return Err(OpenError::Older);
    }
    let owner = owner(db, identity).await?;
    if found > newest_known() {
        let newer = Newer { written_by: written_by(db).await? };
        return Ok((owner, None, Some(newer)));
    }
    Ok((owner, damage(db).await?, None))
}

async fn check_integrity(db: &mut SqliteConnection) -> Result<(), OpenError> {
    let found: String = sqlx::query_scalar("pragma quick_check(1)").fetch_one(db).await.map_err(error::of)?;
    if found == "ok" { Ok(()) } else { Err(StoreError::Damaged(found).into()) }
}

async fn table_exists(db: &mut SqliteConnection, name: &str) -> Result<bool, StoreError> {
    sqlx::query_scalar("select exists (select 1 from sqlite_schema where type = 'table' and name = ?1)")
        .bind(name)
        .fetch_one(db)
        .await
        .map_err(error::of)
}

/// Nobody else's file is touched: neither another program's nor another account's.
pub(super) async fn check_identity(db: &mut SqliteConnection, identity: &Identity) -> Result<(), OpenError> {
    let application: i64 = sqlx::query_scalar("pragma application_id").fetch_one(&mut *db).await.map_err(error::of)?;
    if application != APPLICATION_ID {
        let tables = "select count(*) from sqlite_schema where name <> '_sqlx_migrations' and name not like 'sqlite_%'";
        let count: i64 = sqlx::query_scalar(tables).fetch_one(&mut *db).await.map_err(error::of)?;
        return if count == 0 { Ok(()) } else { Err(OpenError::OtherProgram) };
    }
    if !table_exists(db, "meta").await? {
        return Ok(());
    }
    let account: Option<(String, String)> =
        sqlx::query_as("select tenant_id, actor_id from meta").fetch_optional(db).await.map_err(error::of)?;
    let ours = (identity.tenant_id.to_string(), identity.actor_id.to_string());
    if account.is_none_or(|account| account == ours) { Ok(()) } else { Err(OpenError::OtherAccount) }
}

fn newest_known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

async fn newest_migration(db: &mut SqliteConnection) -> Result<i64, StoreError> {
    if !table_exists(db, "_sqlx_migrations").await? {
        return Ok(0);
    }
    sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations").fetch_one(db).await.map_err(error::of)
}

fn of_migration(error: MigrateError) -> OpenError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error::of(error).into(),
        error => StoreError::Io(error.to_string()).into(),
    }
}

async fn written_by(db: &mut SqliteConnection) -> Result<String, StoreError> {
    sqlx::query_scalar("select written_by from meta").fetch_one(db).await.map_err(error::of)
}

async fn owner(db: &mut SqliteConnection, identity: &Identity) -> Result<Owner, StoreError> {
    let epoch = super::session::owner_epoch(db).await?;
    Ok(Owner { epoch, tenant_id: identity.tenant_id, actor_id: identity.actor_id })
}

#[derive(FromRow)]
struct DamageColumns {
    damage_recovered: Option<u32>,
    damage_lost: Option<u32>,
}

async fn damage(db: &mut SqliteConnection) -> Result<Option<Damage>, StoreError> {
    let columns: DamageColumns =
        sqlx::query_as("select damage_recovered, damage_lost from meta").fetch_one(db).await.map_err(error::of)?;
    Ok(columns.damage_recovered.map(|recovered| Damage { recovered, lost: columns.damage_lost }))
}

/// Remembers that a person must be told of a damaged predecessor.
pub(super) async fn remember_damage(db: &mut SqliteConnection, damage: Damage) -> Result<(), StoreError> {
    sqlx::query("update meta set damage_recovered = ?1, damage_lost = ?2")
        .bind(damage.recovered)
        .bind(damage.lost)
        .execute(db)
        .await
        .map_err(error::of)?;
    Ok(())
}

/// A person was told.
pub(super) async fn forget_damage(db: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query("update meta set damage_recovered = null, damage_lost = null").execute(db).await.map_err(error::of)?;
    Ok(())
}
