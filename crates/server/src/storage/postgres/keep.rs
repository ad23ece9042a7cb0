//! The parts of a purge: each finds its rows by index, changes them, and says so in the audit, in one transaction that
//! holds the tenant for as long as that takes.

use domain::{TenantId, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use crate::execution::remains;
use crate::storage::keeping::NUMBERS_SKIPPED;
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::load::record;
use crate::storage::postgres::row::get;
use crate::storage::postgres::transaction::{Opened, Opening, Scope, run};
use crate::storage::postgres::{LOCK_TENANT, Postgres, audit, directory, session};
use crate::storage::{Purge, PurgePart, Purged, StorageError, deeds};

pub(super) async fn purge(db: &Postgres, part: PurgePart) -> Result<Purged, StorageError> {
    let opening = Opening::write(Scope::Tenant(part.tenant)).first(LOCK_TENANT);
    let purged = run(&db.pool, opening, move |Opened { connection, .. }| {
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
    purged.await
}

/// Begins another epoch of the feed; then each tenant's audit says so, since no transaction is about two.
pub(super) async fn new_epoch(db: &Postgres, now: Timestamp) -> Result<String, StorageError> {
    let opening = Opening::write(Scope::Nobody).first(include_str!("keep/new_epoch.sql"));
    let missing = || StorageError::Broken("the table server is empty".to_owned());
    let begun = run(&db.pool, opening, move |opened| {
        Box::pin(async move { Ok(get::<String>(&opened.row.ok_or_else(missing)?, "feed_epoch")?) })
    });
    let epoch = begun.await?;
    for (tenant, _) in directory::all(db).await? {
        let begun = epoch.clone();
        let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
        let entered = run(&db.pool, opening, move |opened| {
            let begun = begun.clone();
            Box::pin(enter_epoch(opened.connection, tenant, begun, now))
        });
        entered.await?;
    }
    Ok(epoch)
}

/// What the data may have forgotten since this moment of it does not come back: sessions that were ended, numbers that
/// were given.
async fn enter_epoch(
    connection: &mut PgConnection,
    tenant: TenantId,
    epoch: String,
    now: Timestamp,
) -> Result<(), Fault> {
    let end = sqlx::query(include_str!("keep/end_all_sessions.sql")).bind(tenant.0).bind(now.0);
    end.execute(&mut *connection).await?;
    sqlx::query(include_str!("keep/raise_session_versions.sql")).bind(tenant.0).execute(&mut *connection).await?;
    session::count_end(connection, tenant).await?;
    let skip = sqlx::query(include_str!("keep/skip_numbers.sql")).bind(tenant.0).bind(now.0);
    skip.execute(&mut *connection).await?;
    let raise = sqlx::query(include_str!("keep/raise_numbers.sql")).bind(tenant.0).bind(NUMBERS_SKIPPED);
    raise.execute(&mut *connection).await?;
    audit::append(connection, tenant, deeds::epoch_begun(&epoch, now)).await
}

/// Follows the audit, since receipts were written in its order: no index is kept for this alone.
async fn reduce_receipts(connection: &mut PgConnection, part: &PurgePart) -> Result<Purged, Fault> {
    let query = sqlx::query(include_str!("keep/receipts.sql")).bind(part.tenant.0).bind(i64::from(part.limit));
    let rows = query.fetch_all(&mut *connection).await?;
    let (mut passed, mut commands, mut bodies) = (None, Vec::new(), Vec::new());
    for row in &rows {
        if !part.is_passed(get(row, "occurred_at")?) {
            break;
        }
        passed = Some(get::<i64>(row, "seq")?);
        if get::<Option<i64>>(row, "recorded_at")?.is_some_and(|at| at < part.before.0) {
            let record = record(row, part.tenant, false)?;
            if let Some(body) = remains::reduced(&record) {
                commands.push(record.command_id.0);
                bodies.push(body);
            }
        }
    }
    let last = rows.last().map(|row| get::<i64>(row, "seq")).transpose()?;
    let is_done = rows.len() < part.limit as usize || passed != last;
    let mut count = 0;
    if !commands.is_empty() {
        let query = sqlx::query(include_str!("keep/reduce.sql")).bind(part.tenant.0).bind(commands).bind(bodies);
        count = query.execute(&mut *connection).await?.rows_affected();
    }
    if passed.is_some() {
        let query = sqlx::query(include_str!("keep/receipts_passed.sql")).bind(part.tenant.0).bind(passed);
        query.execute(connection).await?;
    }
    // Several attempts on one key name its record several times.
    Ok(Purged { count, is_done })
}

/// The horizon rises with the removal and not before: a record that is there answers whatever its age.
async fn remove_records(connection: &mut PgConnection, part: &PurgePart) -> Result<Purged, Fault> {
    let query = sqlx::query(include_str!("keep/records.sql")).bind(part.tenant.0).bind(part.least_id());
    let rows = query.bind(part.before.0).bind(i64::from(part.limit)).fetch_all(&mut *connection).await?;
    let ids: Vec<Uuid> = first_column(&rows)?;
    let count = ids.len();
    if count > 0 {
        let query = sqlx::query(include_str!("keep/raise_horizon.sql")).bind(part.before.0);
        query.execute(&mut *connection).await?;
        let query = sqlx::query(include_str!("keep/remove_records.sql")).bind(part.tenant.0).bind(ids);
        query.execute(connection).await?;
    }
    Ok(part.purged(count))
}

/// Each at a feed position of its own, so that its reader hears of it.
async fn expire_notifications(connection: &mut PgConnection, part: &PurgePart) -> Result<Purged, Fault> {
    let query = sqlx::query(include_str!("keep/notifications.sql")).bind(part.tenant.0).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await?;
    let ids: Vec<Uuid> = first_column(&rows)?;
    let count = ids.len();
    if count > 0 {
        let query = sqlx::query(include_str!("keep/expire.sql")).bind(part.tenant.0).bind(ids).bind(part.now.0);
        query.execute(connection).await?;
    }
    Ok(part.purged(count))
}

async fn remove_tombstones(connection: &mut PgConnection, part: &PurgePart) -> Result<Purged, Fault> {
    let query = sqlx::query(include_str!("keep/tombstones.sql")).bind(part.tenant.0).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await?;
    let positions: Vec<i64> = first_column(&rows)?;
    let count = positions.len();
    if let Some(floor) = positions.last().copied() {
        let query = sqlx::query(include_str!("keep/remove_tombstones.sql")).bind(part.tenant.0).bind(positions);
        query.execute(&mut *connection).await?;
        let query = sqlx::query(include_str!("keep/raise_floor.sql")).bind(part.tenant.0).bind(floor);
        query.execute(connection).await?;
    }
    Ok(part.purged(count))
}

async fn remove_sessions(connection: &mut PgConnection, part: &PurgePart) -> Result<Purged, Fault> {
    let query = sqlx::query(include_str!("keep/sessions.sql")).bind(part.tenant.0).bind(part.before.0);
    let rows = query.bind(i64::from(part.limit)).fetch_all(&mut *connection).await?;
    let ids: Vec<Uuid> = first_column(&rows)?;
    for sql in [include_str!("keep/remove_uses.sql"), include_str!("keep/remove_sessions.sql")] {
        sqlx::query(sql).bind(part.tenant.0).bind(&ids).execute(&mut *connection).await?;
    }
    Ok(part.purged(ids.len()))
}

fn first_column<T>(rows: &[PgRow]) -> Result<Vec<T>, Fault>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}
