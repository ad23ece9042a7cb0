//! Drawing the list's rows: the base with the pending changes over it, in the commit that changes either.

use domain::{Case, CaseId, EntityId, Priority, Status};
use engine::delivery::OutboxRow;
use engine::ports::{Base, StoreError};
use engine::projection::shown;
use serde::Serialize;
use sqlx::SqliteConnection;

use crate::sqlite::error;
use crate::sqlite::text::json;

/// The columns of one drawn case.
#[derive(Serialize)]
struct Drawn {
    id: CaseId,
    number: Option<String>,
    external_id: Option<String>,
    title: String,
    address: Option<String>,
    description: Option<String>,
    kind: String,
    status: &'static str,
    status_rank: usize,
    priority: &'static str,
    priority_rank: usize,
    due_on: Option<String>,
    assignee_id: Option<domain::ActorId>,
    tags: String,
    pending_fields: String,
    live_changes: usize,
    open_changes: usize,
    needs_you: bool,
}

/// Draws one case again. `lane` holds its pending and open rows.
pub(crate) async fn draw(
    db: &mut SqliteConnection,
    id: CaseId,
    base: &Base,
    lane: &[OutboxRow],
) -> Result<(), StoreError> {
    draw_all(db, [(id, base, lane)]).await
}

/// Draws cases again; one that is neither known to the server nor pending leaves the list.
pub(crate) async fn draw_all<'a>(
    db: &mut SqliteConnection,
    cases: impl IntoIterator<Item = (CaseId, &'a Base, &'a [OutboxRow])>,
) -> Result<(), StoreError> {
    let mut drawn = Vec::new();
    let mut gone: Vec<EntityId> = Vec::new();
    for (id, base, lane) in cases {
        match drawn_case(base, lane) {
            Some(case) => drawn.push(case),
            None => gone.push(id.into()),
        }
    }
    if !drawn.is_empty() {
        sqlx::query(include_str!("draw.sql")).bind(json(&drawn)).execute(&mut *db).await.map_err(error::of)?;
    }
    if !gone.is_empty() {
        let sql = "delete from case_view where id in (select value from json_each(?1))";
        sqlx::query(sql).bind(json(&gone)).execute(db).await.map_err(error::of)?;
    }
    Ok(())
}

fn drawn_case(base: &Base, lane: &[OutboxRow]) -> Option<Drawn> {
    let shown = shown(base, lane);
    let case: Case = shown.case?;
    Some(Drawn {
        id: case.id,
        number: case.number,
        external_id: case.external_id,
        title: case.title,
        address: case.address,
        description: case.description,
        kind: case.kind,
        status: case.status.name(),
        status_rank: Status::ALL.iter().position(|status| *status == case.status).unwrap_or_default(),
        priority: case.priority.name(),
        priority_rank: Priority::ALL.iter().position(|priority| *priority == case.priority).unwrap_or_default(),
        due_on: case.due_on,
        assignee_id: case.assignee_id,
        tags: json(&case.tags),
        pending_fields: json(&shown.pending_fields),
        live_changes: lane.len(),
        open_changes: lane.iter().filter(|row| row.is_open()).count(),
        needs_you: lane.iter().any(OutboxRow::needs_attention),
    })
}

/// A person's name changed: the list sorts by it. True if a row shows it.
pub(crate) async fn rename_assignee(db: &mut SqliteConnection, id: EntityId) -> Result<bool, StoreError> {
    let done =
        sqlx::query(include_str!("rename_assignee.sql")).bind(id.to_string()).execute(db).await.map_err(error::of)?;
    Ok(done.rows_affected() > 0)
}
