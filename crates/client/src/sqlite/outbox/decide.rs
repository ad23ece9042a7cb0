//! Recording a person's decision, with what follows for the lane.

use std::cell::{Cell, RefCell};

use domain::{CommandId, Timestamp};
use engine::delivery::{EventName, OutboxRow, Resolution, ResolutionKind};
use engine::ports::{Base, Decided, Owner, StoreError};
use engine::resolve::{Change, changes};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{read, write};
use crate::sqlite::{case, session};

/// What became of a decision.
pub(crate) enum Outcome {
    /// The rows that changed or came, the decided one first; `None` if the row is not open.
    Decided(Option<Vec<OutboxRow>>),
    /// More new ids are needed than were given: nothing was written.
    MoreIds,
}

/// Decides about a row. `new_ids` are used up in order.
pub(crate) async fn decide(
    db: &mut SqliteConnection,
    owner: Owner,
    command: CommandId,
    decided: &Decided,
    now: Timestamp,
    new_ids: Vec<Uuid>,
) -> Result<Outcome, StoreError> {
    let Some(row) = read::by_command(db, command).await? else { return Ok(Outcome::Decided(None)) };
    let target = row.target;
    let lane = read::lane(db, target).await?;
    let Some(index) = lane.iter().position(|row| row.command_id == command) else {
        return Ok(Outcome::Decided(None));
    };
    let base = case::base_of(db, row.operation.policy().target, target).await?;
    let planned = match plan(&lane, index, decided, &base, owner, now, new_ids)? {
        Plan::Changes(planned) => planned,
        Plan::NotOpen => return Ok(Outcome::Decided(None)),
        Plan::MoreIds => return Ok(Outcome::MoreIds),
    };
    let mut changed = Vec::with_capacity(planned.len());
    for change in planned {
        changed.push(store(db, &lane, change, now).await?);
    }
    if row.is_about_case() {
        let lane = read::lane(db, target).await?;
        case::draw(db, row.case_id(), &base, &lane).await?;
    }
    session::raise_versions(db).await?;
    Ok(Outcome::Decided(Some(changed)))
}

/// What a decision means before it is stored.
enum Plan {
    Changes(Vec<Change>),
    NotOpen,
    MoreIds,
}

fn plan(
    lane: &[OutboxRow],
    index: usize,
    decided: &Decided,
    base: &Base,
    owner: Owner,
    now: Timestamp,
    new_ids: Vec<Uuid>,
) -> Result<Plan, StoreError> {
    let left = RefCell::new(new_ids.into_iter());
    let ran_out = Cell::new(false);
    let new_id = || {
        left.borrow_mut().next().unwrap_or_else(|| {
            ran_out.set(true);
            Uuid::nil()
        })
    };
    let planned = changes(lane, index, decided, base, &owner, now, &new_id)?;
    Ok(if ran_out.get() { Plan::MoreIds } else { planned.map_or(Plan::NotOpen, Plan::Changes) })
}

async fn store(
    db: &mut SqliteConnection,
    lane: &[OutboxRow],
    change: Change,
    now: Timestamp,
) -> Result<OutboxRow, StoreError> {
    match change {
        Change::Insert(row) => {
            let seq = write::insert(db, &row, None).await?;
            Ok(row.stored_at(seq))
        }
        Change::Resolve(id, resolution) => {
            let before = lane.iter().find(|row| row.command_id == id);
            let before = before.ok_or_else(|| StoreError::Illegal("a decision about another lane".to_owned()))?;
            resolve(db, before, resolution, now).await
        }
    }
}

async fn resolve(
    db: &mut SqliteConnection,
    before: &OutboxRow,
    resolution: Resolution,
    now: Timestamp,
) -> Result<OutboxRow, StoreError> {
    let event = match resolution.kind {
        ResolutionKind::Superseded => EventName::Superseded,
        ResolutionKind::Rebased => EventName::Rebased,
        ResolutionKind::Discarded => EventName::Discarded,
    };
    let mut after = before.clone();
    after.resolution = Some(resolution);
    after.updated_at = now;
    if write::step(db, before, &after, event, None, now).await? {
        Ok(after)
    } else {
        Err(StoreError::Illegal("a row changed within its own transaction".to_owned()))
    }
}
