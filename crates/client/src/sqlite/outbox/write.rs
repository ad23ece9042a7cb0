//! Putting rows and steps into the outbox. The history is the database's own work.

use domain::Timestamp;
use engine::delivery::{EventName, OutboxRow};
use engine::ports::StoreError;
use sqlx::SqliteConnection;

use super::row::DeliveryColumns;
use crate::sqlite::error;
use crate::sqlite::text::{json, word};

/// Adds a row; a `seq` of 0 lets the database give one. Returns its `seq`. `note` stands in its first history entry.
pub(crate) async fn insert(db: &mut SqliteConnection, row: &OutboxRow, note: Option<&str>) -> Result<i64, StoreError> {
    let columns = DeliveryColumns::from(&row.delivery);
    let resolution = row.resolution.as_ref();
    sqlx::query_scalar(include_str!("insert.sql"))
        .bind((row.seq != 0).then_some(row.seq))
        .bind(row.intent_id.to_string())
        .bind(row.command_id.to_string())
        .bind(row.key.as_str())
        .bind(row.operation.name())
        .bind(row.schema_version)
        .bind(row.target.to_string())
        .bind((row.place != 0).then_some(row.place))
        .bind(row.expected.as_ref().map(json))
        .bind(row.payload.as_ref().map(json))
        .bind(&row.payload_hash)
        .bind(row.tenant_id.to_string())
        .bind(row.actor_id.to_string())
        .bind(row.session_version)
        .bind(row.issued_at.0)
        .bind(row.confirmed_at.map(|at| at.0))
        .bind(row.seen.as_ref().map(json))
        .bind(row.delivery.name().name())
        .bind(columns.claim_epoch)
        .bind(columns.claim_token)
        .bind(columns.sent_at)
        .bind(columns.due_at)
        .bind(columns.hold)
        .bind(columns.ask_at)
        .bind(columns.conflict)
        .bind(columns.refusal)
        .bind(columns.receipt)
        .bind(row.attempt)
        .bind(row.same_failures)
        .bind(row.last_error.as_ref().map(json))
        .bind(row.not_before.map(|at| at.0))
        .bind(resolution.map(|resolution| word(&resolution.kind)))
        .bind(resolution.and_then(|resolution| resolution.successor).map(|id| id.to_string()))
        .bind(resolution.map(|resolution| resolution.by.to_string()))
        .bind(resolution.map(|resolution| resolution.at.0))
        .bind(row.projected)
        .bind(row.payload.is_none())
        .bind(note)
        .bind(row.updated_at.0)
        .bind(row.created_at.0)
        .bind(row.updated_at.0)
        .fetch_one(db)
        .await
        .map_err(error::of)
}

/// Moves the row `before` to `after`. False if the row is no longer as `before` says: then nothing happens.
pub(crate) async fn step(
    db: &mut SqliteConnection,
    before: &OutboxRow,
    after: &OutboxRow,
    event: EventName,
    code: Option<&str>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let columns = DeliveryColumns::from(&after.delivery);
    let resolution = after.resolution.as_ref();
    let seq: Option<i64> = sqlx::query_scalar(include_str!("step.sql"))
        .bind(after.delivery.name().name())
        .bind(columns.claim_epoch)
        .bind(columns.claim_token)
        .bind(columns.sent_at)
        .bind(columns.due_at)
        .bind(columns.hold)
        .bind(columns.ask_at)
        .bind(columns.conflict)
        .bind(columns.refusal)
        .bind(columns.receipt)
        .bind(after.attempt)
        .bind(after.same_failures)
        .bind(after.last_error.as_ref().map(json))
        .bind(after.not_before.map(|at| at.0))
        .bind(resolution.map(|resolution| word(&resolution.kind)))
        .bind(resolution.and_then(|resolution| resolution.successor).map(|id| id.to_string()))
        .bind(resolution.map(|resolution| resolution.by.to_string()))
        .bind(resolution.map(|resolution| resolution.at.0))
        .bind(after.projected)
        .bind(after.confirmed_at.map(|at| at.0))
        .bind(event.name())
        .bind(code)
        .bind(at.0)
        .bind(after.updated_at.0)
        .bind(before.command_id.to_string())
        .bind(before.delivery.name().name())
        .bind(before.delivery.claim().map(|claim| claim.token.to_string()))
        .bind(before.projected)
        .fetch_optional(db)
        .await
        .map_err(error::of)?;
    Ok(seq.is_some())
}

/// Pulls the waits of a row back without moving it.
pub(crate) async fn set_waits(db: &mut SqliteConnection, row: &OutboxRow) -> Result<(), StoreError> {
    let columns = DeliveryColumns::from(&row.delivery);
    sqlx::query("update outbox set due_at = ?1, ask_at = ?2, not_before = ?3 where command_id = ?4")
        .bind(columns.due_at)
        .bind(columns.ask_at)
        .bind(row.not_before.map(|at| at.0))
        .bind(row.command_id.to_string())
        .execute(db)
        .await
        .map_err(error::of)?;
    Ok(())
}

/// Records that a row's content no longer has its hash.
pub(crate) async fn set_content_lost(db: &mut SqliteConnection, row: &OutboxRow) -> Result<bool, StoreError> {
    let done = sqlx::query("update outbox set content_lost = 1 where command_id = ?1 and content_lost = 0")
        .bind(row.command_id.to_string())
        .execute(db)
        .await
        .map_err(error::of)?;
    Ok(done.rows_affected() > 0)
}
