//! Pages of the list, and how many cases each fixed view has.

use domain::{ActorId, EntityId, Priority, Status};
use engine::ports::{Ambient, StoreError};
use engine::present::due::{due, plus_days};
use engine::present::list_mark;
use engine::view::{CasePage, CaseQuery, CaseRow, CaseSort, DueGroup, ViewCounts};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, FromRow, SqliteConnection};

use super::query::{Restriction, order, restriction};
use crate::sqlite::text::read;
use crate::sqlite::{error, outbox, session};

/// More rows than this no page has.
const LIMIT_MAX: u32 = 500;

#[derive(FromRow)]
struct Columns {
    id: String,
    number: Option<String>,
    external_id: Option<String>,
    title: String,
    address: Option<String>,
    kind: String,
    status: String,
    priority: String,
    due_on: Option<String>,
    assignee_id: Option<String>,
    assignee_name: Option<String>,
    pending_fields: String,
    live_changes: i64,
    open_changes: u32,
}

/// A page of the list, read in one transaction.
pub(crate) async fn page(
    db: &mut SqliteConnection,
    query: &CaseQuery,
    ambient: Ambient,
    me: ActorId,
) -> Result<CasePage, StoreError> {
    let restriction = restriction(query, me);
    let columns = page_columns(db, query, &restriction).await?;
    let lanes_of: Vec<EntityId> = columns
        .iter()
        .filter(|columns| columns.live_changes > 0)
        .filter_map(|columns| columns.id.parse().ok())
        .collect();
    let lanes = outbox::lanes(db, &lanes_of).await?;
    let mut rows = Vec::with_capacity(columns.len());
    for columns in columns {
        let mut row = row(columns, &query.today)?;
        if let Some((mark, next_attempt_at)) = lanes.get(&row.id.into()).and_then(|lane| list_mark(lane, &ambient)) {
            (row.mark, row.next_attempt_at) = (Some(mark), next_attempt_at);
        }
        rows.push(row);
    }
    let (total, groups) = totals(db, query, &restriction).await?;
    let version = session::versions(db).await?.cases;
    Ok(CasePage { rows, offset: query.offset, total, groups, version })
}

async fn page_columns(
    db: &mut SqliteConnection,
    query: &CaseQuery,
    restriction: &Restriction,
) -> Result<Vec<Columns>, StoreError> {
    let sql = include_str!("page.sql").replace("/*restriction*/", &restriction.sql).replace("/*order*/", order(query));
    let mut question = sqlx::query_as(AssertSqlSafe(sql));
    for value in &restriction.values {
        question = question.bind(value);
    }
    question.bind(query.limit.min(LIMIT_MAX)).bind(query.offset).fetch_all(db).await.map_err(error::of)
}

fn row(columns: Columns, today: &str) -> Result<CaseRow, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(format!("the list's column {what} is not readable"));
    Ok(CaseRow {
        id: columns.id.parse().map_err(|_| damaged("id"))?,
        number: columns.number,
        external_id: columns.external_id,
        title: columns.title,
        address: columns.address,
        kind: columns.kind,
        status: Status::named(&columns.status).ok_or_else(|| damaged("status"))?,
        priority: Priority::named(&columns.priority).ok_or_else(|| damaged("priority"))?,
        due: due(columns.due_on.as_deref(), today),
        due_on: columns.due_on,
        assignee_id: columns.assignee_id.and_then(|id| id.parse().ok()),
        assignee_name: columns.assignee_name,
        pending_fields: read(Some(&columns.pending_fields)).unwrap_or_default(),
        mark: None,
        next_attempt_at: None,
        open_changes: columns.open_changes,
    })
}

/// How many rows match, and, sorted by due date, how many lie in each group.
async fn totals(
    db: &mut SqliteConnection,
    query: &CaseQuery,
    restriction: &Restriction,
) -> Result<(u32, Vec<DueGroup>), StoreError> {
    if query.sort != CaseSort::Due {
        let count: Vec<(u32,)> =
            counted(db, "select count(*) from case_view c where /*restriction*/", restriction).await?;
        return Ok((count.iter().map(|(count,)| count).sum(), Vec::new()));
    }
    let days: Vec<(Option<String>, u32)> = counted(db, include_str!("due_days.sql"), restriction).await?;
    let mut groups: Vec<DueGroup> = Vec::new();
    for (day, count) in &days {
        let due = due(day.as_deref(), &query.today);
        match groups.last_mut().filter(|group| group.due == due) {
            Some(group) => group.count += count,
            None => groups.push(DueGroup { due, count: *count }),
        }
    }
    if query.descending {
        groups.reverse();
    }
    Ok((days.iter().map(|(_, count)| count).sum(), groups))
}

async fn counted<T>(db: &mut SqliteConnection, sql: &str, restriction: &Restriction) -> Result<Vec<T>, StoreError>
where
    T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
{
    let mut question = sqlx::query_as(AssertSqlSafe(sql.replace("/*restriction*/", &restriction.sql)));
    for value in &restriction.values {
        question = question.bind(value);
    }
    question.fetch_all(db).await.map_err(error::of)
}

/// How many cases each fixed view has.
pub(crate) async fn view_counts(db: &mut SqliteConnection, today: &str, me: ActorId) -> Result<ViewCounts, StoreError> {
    let (mine, unassigned, due_soon, all) = sqlx::query_as(include_str!("view_counts.sql"))
        .bind(me.to_string())
        .bind(plus_days(today, 7))
        .fetch_one(db)
        .await
        .map_err(error::of)?;
    Ok(ViewCounts { mine, unassigned, due_soon, all })
}
