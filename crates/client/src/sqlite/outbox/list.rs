//! The outbox as people and programs read it.

use domain::{CommandId, EntityId, Timestamp};
use engine::delivery::{HistoryEntry, OutboxRow, StateName};
use engine::ports::{Ambient, Base, OutboxFilter, StoreError};
use engine::present::{Around, outbox_detail, outbox_line, row_view};
use engine::view::{Counts, OutboxDetail, OutboxLine, OutboxPage, OutboxRowView};
use sqlx::{FromRow, SqliteConnection};

use super::read::{self, Lanes};
use super::row::Columns;
use crate::sqlite::{case, error, session};

/// Every row, in enqueue order.
async fn all(db: &mut SqliteConnection) -> Result<Vec<OutboxRow>, StoreError> {
    let columns: Vec<Columns> =
        sqlx::query_as("select * from outbox order by seq").fetch_all(db).await.map_err(error::of)?;
    columns.into_iter().map(OutboxRow::try_from).collect()
}

/// The open rows among `lanes`, in enqueue order.
fn open(lanes: &Lanes) -> Vec<&OutboxRow> {
    let mut open: Vec<&OutboxRow> = lanes.values().flatten().filter(|row| row.is_open()).collect();
    open.sort_by_key(|row| row.seq);
    open
}

#[derive(FromRow)]
struct EntryColumns {
    at: i64,
    from_state: Option<String>,
    to_state: String,
    event: String,
    attempt: u32,
    code: Option<String>,
}

/// What happened to a row, oldest first.
pub(crate) async fn history(db: &mut SqliteConnection, id: CommandId) -> Result<Vec<HistoryEntry>, StoreError> {
    let entries: Vec<EntryColumns> =
        sqlx::query_as(include_str!("history.sql")).bind(id.to_string()).fetch_all(db).await.map_err(error::of)?;
    let state = |name: &str| {
        StateName::named(name).ok_or_else(|| StoreError::Damaged("a state in the history is not readable".to_owned()))
    };
    let mut history = Vec::with_capacity(entries.len());
    for entry in entries {
        history.push(HistoryEntry {
            at_ms: entry.at,
            from: entry.from_state.as_deref().map(state).transpose()?,
            to: state(&entry.to_state)?,
            event: entry.event,
            attempt: entry.attempt,
            code: entry.code,
        });
    }
    Ok(history)
}

#[derive(FromRow)]
struct CountColumns {
    state: String,
    rows: u32,
    needs_attention: u32,
}

/// The outbox in numbers, each out of an index.
pub(crate) async fn counts(db: &mut SqliteConnection, since: Timestamp) -> Result<Counts, StoreError> {
    let by_state: Vec<CountColumns> =
        sqlx::query_as(include_str!("counts.sql")).fetch_all(&mut *db).await.map_err(error::of)?;
    let mut counts = Counts::default();
    let mut attention_in_doubt = 0;
    for columns in by_state {
        let Some(state) = StateName::named(&columns.state) else { continue };
        counts.by_state.insert(state, columns.rows);
        if state != StateName::Acked {
            counts.open += columns.rows;
            counts.needs_attention += columns.needs_attention;
        }
        if state == StateName::Unknown {
            counts.in_doubt = columns.rows;
            attention_in_doubt = columns.needs_attention;
        }
    }
    // A row in doubt that needs a person is counted as both; it waits for neither.
    counts.waiting = counts.open - counts.needs_attention - (counts.in_doubt - attention_in_doubt);
    let cases = "select count(distinct lane) from outbox
                 where resolution is null and projected = 0 and state <> 'acked' and operation <> 'notification.read'";
    counts.open_cases = sqlx::query_scalar(cases).fetch_one(&mut *db).await.map_err(error::of)?;
    let received = "select count(*) from outbox where resolution is null and state = 'acked' and updated_at >= ?1";
    counts.received_today = sqlx::query_scalar(received).bind(since.0).fetch_one(db).await.map_err(error::of)?;
    Ok(counts)
}

fn lane_of<'a>(lanes: &'a Lanes, row: &OutboxRow) -> &'a [OutboxRow] {
    lanes.get(&row.target).map_or(&[], Vec::as_slice)
}

/// Rows for programs, in enqueue order.
pub(crate) async fn outbox(db: &mut SqliteConnection, filter: &OutboxFilter) -> Result<Vec<OutboxRowView>, StoreError> {
    let lanes = read::live_lanes(db).await?;
    let every = if filter.all { all(db).await? } else { Vec::new() };
    let rows = if filter.all { every.iter().collect() } else { open(&lanes) };
    let is_wanted = |row: &&OutboxRow| filter.states.is_empty() || filter.states.contains(&row.delivery.name());
    Ok(rows.into_iter().filter(is_wanted).map(|row| row_view(row, lane_of(&lanes, row))).collect())
}

/// The cases with a conflict among `rows`.
fn in_conflict(rows: &[&OutboxRow]) -> Vec<EntityId> {
    let conflicts = rows.iter().filter(|row| row.is_open() && row.delivery.name() == StateName::Conflict);
    let mut ids: Vec<EntityId> = conflicts.map(|row| row.target).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Rows for the sync centre: those open, then, newest first, those received or discarded since `since`.
pub(crate) async fn page(
    db: &mut SqliteConnection,
    since: Timestamp,
    ambient: Ambient,
) -> Result<OutboxPage, StoreError> {
    let lanes = read::live_lanes(db).await?;
    let over = read::select_since(db, include_str!("over.sql"), since.0).await?;
    let rows: Vec<&OutboxRow> = open(&lanes).into_iter().chain(&over).collect();
    let mut ids: Vec<EntityId> = rows.iter().map(|row| row.case_id().into()).collect();
    ids.sort_unstable();
    ids.dedup();
    let cases = case::base_cases(db, &ids).await?;
    let sent = read::sent_times(db, rows.iter().copied()).await?;
    let timelines = case::timelines(db, &in_conflict(&rows)).await?;
    let line = |row: &OutboxRow| -> OutboxLine {
        let timeline = timelines.get(&row.target).cloned().unwrap_or_default();
        let base = Base { case: cases.get(&row.case_id().into()).cloned(), timeline, ..Base::default() };
        outbox_line(row, lane_of(&lanes, row), Around { ambient: &ambient, base: &base, sent: &sent })
    };
    Ok(OutboxPage { lines: rows.into_iter().map(line).collect(), version: session::versions(db).await?.outbox })
}

/// One row with its past.
pub(crate) async fn detail(
    db: &mut SqliteConnection,
    id: CommandId,
    ambient: Ambient,
) -> Result<Option<OutboxDetail>, StoreError> {
    let Some(row) = read::by_command(db, id).await? else { return Ok(None) };
    let lane = read::lane(db, row.target).await?;
    let base = case::base(db, row.case_id()).await?;
    let history = history(db, id).await?;
    Ok(Some(outbox_detail(&row, &lane, &base, history, &ambient)))
}
