//! Writes what a group leaves behind, in bulk: at most seven statements whatever its size. The feed
//! counter comes last, since every commit of the tenant meets there.

use std::collections::HashMap;

use domain::TenantId;
use serde_json::{Value, json};
use sqlx::SqliteConnection;
use uuid::Uuid;

use crate::execution::{AuditEntry, FeedChange, Record, Writes};
use crate::storage::StorageError;
use crate::storage::sqlite::load::rows;
use crate::storage::sqlite::row::stored;
use crate::storage::sqlite::writer::fault;

/// Writes everything of `writes`.
pub(super) async fn writes(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    writes: &Writes,
) -> Result<(), StorageError> {
    let tenant = tenant.to_string();
    insert(connection, include_str!("write/records.sql"), &tenant, writes.records.iter().map(record)).await?;
    insert(connection, include_str!("write/effects.sql"), &tenant, writes.changes.iter().map(change)).await?;
    insert(connection, include_str!("write/entities.sql"), &tenant, newest(&writes.changes)).await?;
    let external_ids = writes.external_ids.iter().map(|(external_id, case)| json!([external_id, case]));
    insert(connection, include_str!("write/external_ids.sql"), &tenant, external_ids).await?;
    audit(connection, &tenant, &writes.audit).await?;
    if let Some((year, last)) = writes.number {
        let query = sqlx::query(include_str!("write/number.sql")).bind(&tenant).bind(i64::from(year));
        query.bind(stored(last)).execute(&mut *connection).await.map_err(fault)?;
    }
    if !writes.changes.is_empty() {
        let query = sqlx::query(include_str!("write/head.sql")).bind(&tenant).bind(stored(writes.head));
        query.execute(connection).await.map_err(fault)?;
    }
    Ok(())
}

/// Writes audit entries.
pub(super) async fn audit(
    connection: &mut SqliteConnection,
    tenant: &str,
    entries: &[AuditEntry],
) -> Result<(), StorageError> {
    insert(connection, include_str!("write/audit.sql"), tenant, entries.iter().map(entry)).await
}

async fn insert(
    connection: &mut SqliteConnection,
    sql: &'static str,
    tenant: &str,
    values: impl Iterator<Item = Value>,
) -> Result<(), StorageError> {
    let values: Vec<Value> = values.collect();
    if values.is_empty() {
        return Ok(());
    }
    sqlx::query(sql).bind(tenant).bind(rows(&values)).execute(connection).await.map_err(fault)?;
    Ok(())
}

/// The last change of each entity, in order.
fn newest(changes: &[FeedChange]) -> impl Iterator<Item = Value> {
    let last: HashMap<_, _> = changes.iter().map(|change| ((change.kind, change.id), change.seq)).collect();
    changes.iter().filter(move |change| last.get(&(change.kind, change.id)) == Some(&change.seq)).map(change)
}

fn record(record: &Record) -> Value {
    json!({
        "key": record.key, "command_id": record.command_id, "actor_id": record.actor, "operation": record.operation,
        "entity_type": record.entity_type, "entity_id": record.entity_id, "payload_hash": record.payload_hash,
        "outcome": record.outcome.name(), "status": record.status, "body": record.body,
        "entity_revision": record.entity_revision, "recorded_at": record.recorded_at.0,
    })
}

fn change(change: &FeedChange) -> Value {
    json!({
        "seq": change.seq, "kind": change.kind, "id": change.id, "revision": change.revision,
        "command_id": change.command_id, "at": change.at.0, "body": change.body,
    })
}

fn entry(entry: &AuditEntry) -> Value {
    json!({
        "audit_id": Uuid::now_v7().to_string(), "command_id": entry.command_id, "key": entry.key,
        "actor_id": entry.actor_id, "entity_type": entry.entity_type, "entity_id": entry.entity_id,
        "operation": entry.operation, "previous_revision": entry.previous_revision,
        "next_revision": entry.next_revision, "result": entry.result, "code": entry.code,
        "authority": entry.authority, "session_version": entry.session_version, "issued_under": entry.issued_under,
        "request_id": entry.request_id, "occurred_at": entry.occurred_at.0,
    })
}
