//! Reads the feed: what changed, in commit order, and whether anything did.

use domain::{ActorId, TenantId, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::storage::sqlite::Sqlite;
use crate::storage::sqlite::row::{damaged, get, integer, parsed, parsed_option, stored, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::{ChangesSlice, FeedRow, Pulse, StorageError};
use domain::Revision;

pub(super) async fn changes_since(
    db: &Sqlite,
    tenant: TenantId,
    actor: ActorId,
    position: u64,
    limit: u32,
    bytes_max: usize,
) -> Result<ChangesSlice, StorageError> {
    // One transaction: the head must be of the same moment as the rows.
    let mut connection = db.reader().await?;
    let mut tx = connection.begin().await.map_err(fault)?;
    let tenant = tenant.to_string();
    let query = sqlx::query(include_str!("feed/head.sql")).bind(&tenant);
    let head = query.fetch_one(&mut *tx).await.map_err(fault)?;
    let query = sqlx::query(include_str!("feed/sizes.sql")).bind(&tenant).bind(stored(position));
    let sizes = query.bind(i64::from(limit) + 1).bind(actor.to_string()).fetch_all(&mut *tx).await.map_err(fault)?;
    let sizes = sizes.iter().map(|row| integer(row, "bytes")).collect::<Result<Vec<usize>, _>>()?;
    let count = fitting(&sizes, usize::try_from(limit).unwrap_or(usize::MAX), bytes_max);
    let query = sqlx::query(include_str!("feed/changes.sql")).bind(&tenant).bind(stored(position));
    let query = query.bind(i64::try_from(count).unwrap_or(i64::MAX)).bind(actor.to_string());
    let rows = query.fetch_all(&mut *tx).await.map_err(fault)?;
    tx.rollback().await.map_err(fault)?;
    Ok(ChangesSlice {
        head: integer(&head, "feed_head")?,
        epoch: get(&head, "feed_epoch")?,
        floor: integer(&head, "tombstone_floor")?,
        has_more: sizes.len() > count,
        rows: rows.iter().map(feed_row).collect::<Result<_, _>>()?,
    })
}

/// How many of the next bodies make a page: at most `limit`, and as many as fit; one in any case.
fn fitting(sizes: &[usize], limit: usize, bytes_max: usize) -> usize {
    let mut room = bytes_max;
    let fit = sizes.iter().take_while(|bytes| room.checked_sub(**bytes).map(|left| room = left).is_some()).count();
    fit.max(1).min(limit)
}

fn feed_row(row: &SqliteRow) -> Result<FeedRow, StorageError> {
    Ok(FeedRow {
        seq: integer(row, "seq")?,
        kind: get(row, "entity_type")?,
        id: parsed(row, "entity_id")?,
        revision: Revision(integer(row, "revision")?),
        deleted: get::<i64>(row, "deleted")? != 0,
        command_id: parsed_option(row, "command_id")?,
        at: time(row, "changed_at")?,
        entity: serde_json::from_str(get(row, "body")?).map_err(|_| damaged("entity.body"))?,
    })
}

pub(super) async fn epoch(db: &Sqlite) -> Result<String, StorageError> {
    let row = sqlx::query("select feed_epoch from server").fetch_one(&db.readers).await.map_err(fault)?;
    get(&row, "feed_epoch")
}

pub(super) async fn purge_horizon(db: &Sqlite) -> Result<Timestamp, StorageError> {
    let row = sqlx::query("select purge_horizon from server").fetch_one(&db.readers).await.map_err(fault)?;
    time(&row, "purge_horizon")
}

pub(super) async fn pulse(db: &Sqlite, seen: Option<i64>) -> Result<Option<Pulse>, StorageError> {
    let mut watcher = db.watcher.lock().await;
    if watcher.is_none() {
        *watcher = Some(db.readers.acquire().await.map_err(fault)?.detach());
    }
    let Some(connection) = watcher.as_mut() else { return Ok(None) };
    let pulse = pulse_of(connection, seen).await;
    if pulse.is_err() {
        *watcher = None;
    }
    pulse
}

/// SQLite counts the commits of all other connections, but only for one connection that asks again and again.
async fn pulse_of(connection: &mut SqliteConnection, seen: Option<i64>) -> Result<Option<Pulse>, StorageError> {
    let row = sqlx::query("pragma data_version").fetch_one(&mut *connection).await.map_err(fault)?;
    let version: i64 = row.try_get(0).map_err(fault)?;
    if seen == Some(version) {
        return Ok(None);
    }
    let row = sqlx::query("select ended from server").fetch_one(&mut *connection).await.map_err(fault)?;
    let ended = integer(&row, "ended")?;
    let rows = sqlx::query("select tenant_id, feed_head from tenant").fetch_all(connection).await.map_err(fault)?;
    let heads = rows.iter().map(|row| Ok((parsed(row, "tenant_id")?, integer(row, "feed_head")?)));
    Ok(Some(Pulse { version, ended, heads: heads.collect::<Result<_, StorageError>>()? }))
}
