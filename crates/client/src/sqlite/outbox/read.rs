//! Finding rows.

use std::collections::BTreeMap;

use domain::{CommandId, EntityId, EntityKind, Timestamp};
use engine::delivery::OutboxRow;
use engine::ports::StoreError;
use engine::present::{SentTimes, is_sent_time_asked};
use engine::projection::makes;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::row::Columns;
use crate::sqlite::error;
use crate::sqlite::text::json;

fn rows(columns: Vec<Columns>) -> Result<Vec<OutboxRow>, StoreError> {
    columns.into_iter().map(OutboxRow::try_from).collect()
}

/// Rows by a query that binds one text.
pub(super) async fn select(
    db: &mut SqliteConnection,
    sql: &'static str,
    text: String,
) -> Result<Vec<OutboxRow>, StoreError> {
    rows(sqlx::query_as(sql).bind(text).fetch_all(db).await.map_err(error::of)?)
}

/// Rows by a query that binds one number.
pub(super) async fn select_since(
    db: &mut SqliteConnection,
    sql: &'static str,
    number: i64,
) -> Result<Vec<OutboxRow>, StoreError> {
    rows(sqlx::query_as(sql).bind(number).fetch_all(db).await.map_err(error::of)?)
}

/// The row of an intent.
pub(super) async fn by_intent(db: &mut SqliteConnection, intent: Uuid) -> Result<Option<OutboxRow>, StoreError> {
    let rows = select(db, "select * from outbox where intent_id = ?1", intent.to_string()).await?;
    Ok(rows.into_iter().next())
}

/// One row.
pub(crate) async fn by_command(db: &mut SqliteConnection, id: CommandId) -> Result<Option<OutboxRow>, StoreError> {
    let rows = select(db, "select * from outbox where command_id = ?1", id.to_string()).await?;
    Ok(rows.into_iter().next())
}

/// The rows of one lane that are pending or open, in enqueue order.
pub(crate) async fn lane(db: &mut SqliteConnection, lane: EntityId) -> Result<Vec<OutboxRow>, StoreError> {
    select(db, include_str!("lane.sql"), lane.to_string()).await
}

/// When those of `rows` that are in doubt were last sent.
pub(crate) async fn sent_times<'a>(
    db: &mut SqliteConnection,
    rows: impl IntoIterator<Item = &'a OutboxRow>,
) -> Result<SentTimes, StoreError> {
    let asked: Vec<CommandId> =
        rows.into_iter().filter(|row| is_sent_time_asked(row)).map(|row| row.command_id).collect();
    if asked.is_empty() {
        return Ok(SentTimes::new());
    }
    let times: Vec<(String, i64)> =
        sqlx::query_as(include_str!("sent.sql")).bind(json(&asked)).fetch_all(db).await.map_err(error::of)?;
    Ok(times.into_iter().filter_map(|(id, at)| Some((id.parse().ok()?, Timestamp(at)))).collect())
}

/// Lanes by their id.
pub(crate) type Lanes = BTreeMap<EntityId, Vec<OutboxRow>>;

fn by_lane(rows: Vec<OutboxRow>) -> Lanes {
    let mut lanes = Lanes::new();
    for row in rows {
        lanes.entry(row.target).or_default().push(row);
    }
    lanes
}

/// The same for several lanes; one without such rows is absent.
pub(crate) async fn lanes(db: &mut SqliteConnection, ids: &[EntityId]) -> Result<Lanes, StoreError> {
    if ids.is_empty() {
        return Ok(Lanes::new());
    }
    Ok(by_lane(select(db, include_str!("lanes.sql"), json(&ids)).await?))
}

/// Every lane with a row that is pending or open.
pub(super) async fn live_lanes(db: &mut SqliteConnection) -> Result<Lanes, StoreError> {
    let live = sqlx::query_as(include_str!("live.sql")).fetch_all(db).await.map_err(error::of)?;
    Ok(by_lane(rows(live)?))
}

/// The rows that make this entity and are drawn doing so.
pub(crate) async fn makers(
    db: &mut SqliteConnection,
    kind: EntityKind,
    id: EntityId,
) -> Result<Vec<OutboxRow>, StoreError> {
    let lanes = live_lanes(db).await?;
    Ok(lanes.into_values().flatten().filter(|row| makes(row, (kind, id))).collect())
}
