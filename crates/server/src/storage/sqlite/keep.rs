//! The parts of a purge: each finds its rows by index, changes them, and says so in the audit, in one transaction.

use domain::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use crate::command::answer::json;
use crate::execution::remains;
use crate::storage::keeping::NUMBERS_SKIPPED;
use crate::storage::sqlite::operation::record;
use crate::storage::sqlite::row::{get, integer, parsed, stored, texts};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, audit};
use crate::storage::{Purge, PurgePart, Purged, StorageError, deeds};

pub(super) async fn purge(db: &Sqlite, part: PurgePart) -> Result<Purged, StorageError> {
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let purged = match part.what {
                Purge::Receipts => reduce_receipts(connection, &part).await?,
                Purge::Records => remove_records(connection, &part).await?,
                Purge::Notifications => expire_notifications(connection, &part).await?,
                Purge::Tombstones => remove_tombstones(connection, &part).await?,
                Purge::Sessions => remove_sessions(connection, &part).await?,
            };
            if purged.count > 0 {
                audit::append(connection, part.tenant, deeds::purged(&part, purged.count)).await?;
            }
            Ok(purged)
        })
    });
    work.await
}

/// Begins another epoch of the feed, in a transaction that is under way. What the data may have forgotten since this
/// moment of it does not come back: sessions that were ended, numbers that were given.
pub(super) async fn new_epoch(connection: &mut SqliteConnection, now: Timestamp) -> Result<String, StorageError> {
    let row = sqlx::query(include_str!("keep/new_epoch.sql")).fetch_one(&mut *connection).await.map_err(fault)?;
    let epoch: String = get(&row, "feed_epoch")?;
    sqlx::query(include_str!("keep/end_all_sessions.sql"))
        .bind(now.0)
        .execute(&mut *connection)
        .await
        .map_err(fault)?;
    let raise = sqlx::query(include_str!("keep/raise_session_versions.sql"));
    raise.execute(&mut *connection).await.map_err(fault)?;
    sqlx::query(include_str!("session/count_end.sql")).execute(&mut *connection).await.map_err(fault)?;
    sqlx::query(include_str!("keep/skip_numbers.sql")).bind(now.0).execute(&mut *connection).await.map_err(fault)?;
    let raise = sqlx::query(include_str!("keep/raise_numbers.sql")).bind(NUMBERS_SKIPPED);
    raise.execute(&mut *connection).await.map_err(fault)?;
    let tenants = sqlx::query("select tenant_id from tenant").fetch_all(&mut *connection).await.map_err(fault)?;
    for row in tenants {
        audit::append(connection, parsed(&row, "tenant_id")?, deeds::epoch_begun(&epoch, now)).await?;
    }
    Ok(epoch)
}

/// Follows the audit, since receipts were written in its order: no index is kept for this alone.
async fn reduce_receipts(connection: &mut SqliteConnection, part: &PurgePart) -> Result<Purged, StorageError> {
    let tenant = part.tenant.to_string();
    let query = sqlx::query(include_str!("keep/receipts.sql")).bind(&tenant).bind(i64::from(part.limit));
    let rows = query.fetch_all(&mut *connection).await.map_err(fault)?;
    let (mut passed, mut reduced) = (None, Vec::new());
    for row in &rows {
        if !part.is_passed(get(row, "occurred_at")?) {
            break;
        }
        passed = Some(get::<i64>(row, "seq")?);
        if get::<Option<i64>>(row, "recorded_at")?.is_some_and(|at| at < part.before.0) {
            let record = record(row, part.tenant)?;
            reduced.extend(remains::reduced(&record).map(|body| (record.command_id, body)));
        }
    }
    let last = rows.last().map(|row| get::<i64>(row, "seq")).transpose()?;
    let is_done = rows.len() < part.limit as usize || passed != last;
    let mut count = 0;
    if !reduced.is_empty() {
        let query = sqlx::query(include_str!("keep/reduce.sql")).bind(&tenant).bind(json(&reduced));
        count = query.execute(&mut *connection).await.map_err(fault)?.rows_affected();
    }
    if passed.is_some() {
        let query = sqlx::query(include_str!("keep/receipts_passed.sql")).bind(&tenant).bind(passed);
        query.execute(connection).await.map_err(fault)?;
    }
    // Several attempts on one key name its record several times.
    Ok(Purged { count, is_done })
}

/// The horizon rises with the removal and not before: a record that is there answers whatever its age.
async fn remove_records(connection: &mut SqliteConnection, part: &PurgePart) -> Result<Purged, StorageError> {
    let tenant = part.tenant.to_string();
    let query = sqlx::query(include_str!("keep/records.sql")).bind(&tenant).bind(part.least_id().to_string());
    let rows = query.bind(part.before.0).bind(i64::from(part.limit)).fetch_all(&mut *connection).await;
    let commands = texts_of(&rows.map_err(fault)?)?;
    if !commands.is_empty() {
        let query = sqlx::query(include_str!("keep/raise_horizon.sql")).bind(part.before.0);
        query.execute(&mut *connection).await.map_err(fault)?;
        let query = sqlx::query(include_str!("keep/remove_records.sql")).bind(&tenant).bind(texts(&commands));
        query.execute(connection).await.map_err(fault)?;
    }
    Ok(part.purged(commands.len()))
}

/// Each at a feed position of its own, so that its reader hears of it.
async fn expire_notifications(connection: &mut SqliteConnection, part: &PurgePart) -> Result<Purged, StorageError> {
    let tenant = part.tenant.to_string();
    let query = sqlx::query(include_str!("keep/notifications.sql")).bind(&tenant).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await.map_err(fault)?;
    let ids = texts_of(&rows)?;
    if !ids.is_empty() {
        let query = sqlx::query(include_str!("keep/expire.sql")).bind(&tenant).bind(json(&ids)).bind(part.now.0);
        query.execute(&mut *connection).await.map_err(fault)?;
        let query = sqlx::query("update tenant set feed_head = feed_head + ?2 where tenant_id = ?1").bind(&tenant);
        query.bind(i64::try_from(ids.len()).unwrap_or(0)).execute(connection).await.map_err(fault)?;
    }
    Ok(part.purged(ids.len()))
}

async fn remove_tombstones(connection: &mut SqliteConnection, part: &PurgePart) -> Result<Purged, StorageError> {
    let tenant = part.tenant.to_string();
    let query = sqlx::query(include_str!("keep/tombstones.sql")).bind(&tenant).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await.map_err(fault)?;
    let positions = rows.iter().map(|row| integer(row, "seq")).collect::<Result<Vec<u64>, _>>()?;
    if let Some(floor) = positions.iter().max() {
        let query = sqlx::query(include_str!("keep/remove_tombstones.sql")).bind(&tenant).bind(json(&positions));
        query.execute(&mut *connection).await.map_err(fault)?;
        let query = sqlx::query(include_str!("keep/raise_floor.sql")).bind(&tenant);
        query.bind(stored(*floor)).execute(connection).await.map_err(fault)?;
    }
    Ok(part.purged(positions.len()))
}

async fn remove_sessions(connection: &mut SqliteConnection, part: &PurgePart) -> Result<Purged, StorageError> {
    let tenant = part.tenant.to_string();
    let query = sqlx::query(include_str!("keep/sessions.sql")).bind(&tenant).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await.map_err(fault)?;
    let ids = json(&texts_of(&rows)?);
    for sql in [include_str!("keep/remove_uses.sql"), include_str!("keep/remove_sessions.sql")] {
        sqlx::query(sql).bind(&tenant).bind(&ids).execute(&mut *connection).await.map_err(fault)?;
    }
    Ok(part.purged(rows.len()))
}

/// The first column, texts.
fn texts_of(rows: &[SqliteRow]) -> Result<Vec<String>, StorageError> {
    rows.iter().map(|row| row.try_get(0).map_err(fault)).collect()
}
