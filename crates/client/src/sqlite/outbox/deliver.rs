//! Moving rows: claims, steps, what a dead owner left, what a sign-in frees.

use std::collections::BTreeSet;

use domain::{CommandId, EntityId, Operation, Timestamp};
use engine::delivery::{Claim, Delivery, DeliveryEvent, EventName, Hold, OutboxRow, StateName};
use engine::lane::claimable;
use engine::ports::{Base, Guard, Owner, StepCause, StoreError};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{read, write};
use crate::sqlite::text::{json, word};
use crate::sqlite::{case, error, session};

/// Which rows a claim is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) now: Timestamp,
    pub(crate) ignore_backoff: bool,
}

fn commuting() -> String {
    let names: Vec<&str> = Operation::ALL
        .iter()
        .filter(|operation| operation.policy().commutes)
        .map(|operation| operation.name())
        .collect();
    json(&names)
}

/// Claims rows that may go now, in enqueue order, one for each token at most.
pub(crate) async fn claim(
    db: &mut SqliteConnection,
    owner: Owner,
    wanted: Wanted,
    tokens: Vec<Uuid>,
) -> Result<Vec<OutboxRow>, StoreError> {
    let due = loop {
        let lanes = candidate_lanes(db, wanted, tokens.len()).await?;
        // Content that turns out to be lost is taken out of the way, and the search begins again without it.
        let mut found_lost = false;
        let mut due = Vec::new();
        for lane in read::lanes(db, &lanes).await?.into_values() {
            found_lost |= note_lost_content(db, &lane).await?;
            let indexes = claimable(&lane, wanted.now, wanted.ignore_backoff);
            due.extend(indexes.into_iter().map(|index| lane[index].clone()));
        }
        if !found_lost {
            break due;
        }
    };
    let mut due = due;
    due.sort_by_key(OutboxRow::lane_order);
    let mut claimed = Vec::with_capacity(due.len().min(tokens.len()));
    for (before, token) in due.iter().zip(tokens) {
        let claim = Claim { epoch: owner.epoch, token };
        // A row that is hurried counts as due.
        let now = before.delivery.due_at().map_or(wanted.now, |due_at| due_at.max(wanted.now));
        let cause = StepCause { error: None, not_before: None, at: wanted.now };
        claimed.push(take(db, before, DeliveryEvent::ClaimedBy { claim, now }, &cause).await?);
    }
    if !claimed.is_empty() {
        session::raise_versions(db).await?;
    }
    Ok(claimed)
}

async fn candidate_lanes(db: &mut SqliteConnection, wanted: Wanted, limit: usize) -> Result<Vec<EntityId>, StoreError> {
    let lanes: Vec<String> = sqlx::query_scalar(include_str!("claim_candidates.sql"))
        .bind(wanted.now.0)
        .bind(wanted.ignore_backoff)
        .bind(commuting())
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(db)
        .await
        .map_err(error::of)?;
    let lanes: BTreeSet<EntityId> = lanes.iter().filter_map(|lane| lane.parse().ok()).collect();
    Ok(lanes.into_iter().collect())
}

/// Marks rows whose content no longer has its hash, and draws their case again. True if there was a new one.
async fn note_lost_content(db: &mut SqliteConnection, lane: &[OutboxRow]) -> Result<bool, StoreError> {
    let mut is_new = false;
    for row in lane.iter().filter(|row| row.payload.is_none()) {
        is_new |= write::set_content_lost(db, row).await?;
    }
    if let Some(row) = lane.first().filter(|_| is_new) {
        draw(db, row, lane).await?;
    }
    Ok(is_new)
}

/// Looks once through all live rows for content that is lost (after a start).
pub(crate) async fn find_lost_content(db: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut is_new = false;
    for lane in read::live_lanes(db).await?.values() {
        is_new |= note_lost_content(db, lane).await?;
    }
    if is_new {
        session::raise_versions(db).await?;
    }
    Ok(())
}

/// Takes a step that the row's own transaction has just found to be possible.
async fn take(
    db: &mut SqliteConnection,
    before: &OutboxRow,
    event: DeliveryEvent,
    cause: &StepCause,
) -> Result<OutboxRow, StoreError> {
    let name = event.name();
    let (after, entry) = before.after(event, cause).map_err(error::illegal)?;
    if write::step(db, before, &after, name, entry.code.as_deref(), cause.at).await? {
        Ok(after)
    } else {
        Err(StoreError::Illegal("a row changed within its own transaction".to_owned()))
    }
}

/// Takes one step under a guard; `None` if the guard does not hold.
pub(crate) async fn step(
    db: &mut SqliteConnection,
    command: CommandId,
    guard: Guard,
    event: DeliveryEvent,
    cause: &StepCause,
) -> Result<Option<OutboxRow>, StoreError> {
    let Some(before) = read::by_command(db, command).await? else { return Ok(None) };
    if !holds(guard, &before) {
        return Ok(None);
    }
    let after = take(db, &before, event, cause).await?;
    if looks(&before) != looks(&after) {
        let lane = read::lane(db, after.target).await?;
        draw(db, &after, &lane).await?;
    }
    session::raise_versions(db).await?;
    Ok(Some(after))
}

fn holds(guard: Guard, row: &OutboxRow) -> bool {
    row.resolution.is_none()
        && match guard {
            Guard::Claim(claim) => row.delivery.claim() == Some(claim),
            Guard::State(state) => row.delivery.name() == state,
            Guard::OlderEpoch(epoch) => row.delivery.claim().is_some_and(|claim| claim.epoch < epoch),
        }
}

/// What of a row the list's columns depend on.
fn looks(row: &OutboxRow) -> (bool, bool, bool, bool) {
    let is_denied = matches!(row.delivery, Delivery::Conflict { .. } | Delivery::Rejected { .. });
    (row.is_open(), row.is_pending(), row.needs_attention(), is_denied)
}

/// Draws the case of `row`'s lane again; the list shows nothing of other lanes.
async fn draw(db: &mut SqliteConnection, row: &OutboxRow, lane: &[OutboxRow]) -> Result<(), StoreError> {
    if !row.is_about_case() {
        return Ok(());
    }
    let base = Base { case: case::base_case(db, row.case_id()).await?, ..Base::default() };
    case::draw(db, row.case_id(), &base, lane).await
}

/// Frees what a dead owner left, and pulls waits beyond their cap back. Returns how many rows changed.
pub(crate) async fn recover(db: &mut SqliteConnection, owner: Owner, now: Timestamp) -> Result<u32, StoreError> {
    let epoch = i64::try_from(owner.epoch).unwrap_or(i64::MAX);
    let left = "select * from outbox where claim_token is not null and claim_epoch < ?1 and resolution is null";
    let mut changed = 0;
    for row in read::select_since(db, left, epoch).await? {
        let cause = StepCause { error: None, not_before: None, at: now };
        take(db, &row, DeliveryEvent::ClaimEnded { ask_at: now }, &cause).await?;
        changed += 1;
    }
    for row in read::select_since(db, include_str!("waits_beyond.sql"), now.0).await? {
        if let Some(row) = row.with_wait_within_cap(now) {
            write::set_waits(db, &row).await?;
            changed += 1;
        }
    }
    if changed > 0 {
        session::raise_versions(db).await?;
    }
    Ok(changed)
}

/// Ends the wait of every row held for this reason.
pub(crate) async fn release(db: &mut SqliteConnection, hold: Hold, now: Timestamp) -> Result<u32, StoreError> {
    let waiting = read::select(db, include_str!("held.sql"), word(&hold)).await?;
    let count = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
    for before in waiting {
        let cause = StepCause { error: None, not_before: None, at: now };
        let after = take(db, &before, DeliveryEvent::Requeued, &cause).await?;
        if looks(&before) != looks(&after) {
            let lane = read::lane(db, after.target).await?;
            draw(db, &after, &lane).await?;
        }
    }
    if count > 0 {
        session::raise_versions(db).await?;
    }
    Ok(count)
}

/// Rows in doubt that are due to be asked about or resent, oldest first.
pub(crate) async fn in_doubt(
    db: &mut SqliteConnection,
    now: Timestamp,
    limit: usize,
    all: bool,
) -> Result<Vec<OutboxRow>, StoreError> {
    let columns: Vec<super::Columns> = sqlx::query_as(include_str!("in_doubt.sql"))
        .bind(now.0)
        .bind(all)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(db)
        .await
        .map_err(error::of)?;
    columns.into_iter().map(OutboxRow::try_from).collect()
}

/// Received rows that nobody decided about, in enqueue order from after `seq`.
pub(crate) async fn received_after(
    db: &mut SqliteConnection,
    seq: i64,
    limit: usize,
) -> Result<Vec<OutboxRow>, StoreError> {
    let columns: Vec<super::Columns> = sqlx::query_as(include_str!("received_after.sql"))
        .bind(seq)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(db)
        .await
        .map_err(error::of)?;
    columns.into_iter().map(OutboxRow::try_from).collect()
}

/// When the next row is due by itself.
pub(crate) async fn next_due(db: &mut SqliteConnection) -> Result<Option<Timestamp>, StoreError> {
    let at: Option<i64> =
        sqlx::query_scalar(include_str!("next_due.sql")).bind(commuting()).fetch_one(db).await.map_err(error::of)?;
    Ok(at.map(Timestamp))
}

/// A row in doubt whose command the feed shows at `position` is received.
pub(crate) async fn settle(
    db: &mut SqliteConnection,
    before: &OutboxRow,
    position: u64,
    now: Timestamp,
) -> Result<OutboxRow, StoreError> {
    debug_assert_eq!(before.delivery.name(), StateName::Unknown);
    let cause = StepCause { error: None, not_before: None, at: now };
    take(db, before, DeliveryEvent::FeedShowed { position }, &cause).await
}

/// The base contains the row's command: it is no longer drawn.
pub(crate) async fn project(db: &mut SqliteConnection, before: &OutboxRow, now: Timestamp) -> Result<(), StoreError> {
    let mut after = before.clone();
    after.projected = true;
    after.updated_at = now;
    if write::step(db, before, &after, EventName::Projected, None, now).await? {
        Ok(())
    } else {
        Err(StoreError::Illegal("a row changed within its own transaction".to_owned()))
    }
}
