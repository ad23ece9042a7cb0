//! Writes what a group leaves behind, in bulk: at most seven statements whatever its size. The feed
//! counter comes last, since every commit of the tenant meets there.

use std::collections::HashMap;

use domain::TenantId;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use crate::execution::{FeedChange, Linked, OutgoingEvent, Record, Writes};
use crate::storage::StorageError;
use crate::storage::sqlite::load::rows;
use crate::storage::sqlite::row::stored;
use crate::storage::sqlite::writer::fault;
use crate::webhooks::schedule::TRIED_MS;

/// Writes everything of `writes`.
pub(super) async fn writes(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    writes: &Writes,
) -> Result<(), StorageError> {
    let tenant = tenant.to_string();
    insert(connection, include_str!("write/records.sql"), &tenant, writes.records.iter().map(record)).await?;
    insert(connection, include_str!("write/entities.sql"), &tenant, newest(&writes.changes)).await?;
    let external_ids = writes.external_ids.iter().map(|(external_id, case)| json!([external_id, case]));
    insert(connection, include_str!("write/external_ids.sql"), &tenant, external_ids).await?;
    insert(connection, include_str!("write/audit.sql"), &tenant, writes.audit.iter().map(entry)).await?;
    insert(connection, include_str!("write/events.sql"), &tenant, writes.events.iter().map(event)).await?;
    if let Some((year, last)) = writes.number {
        let query = sqlx::query(include_str!("write/number.sql")).bind(&tenant).bind(i64::from(year));
        query.bind(stored(last)).execute(&mut *connection).await.map_err(fault)?;
    }
    ends(connection, &tenant, writes).await
}

/// Where the tenant's feed and audit end now.
async fn ends(connection: &mut SqliteConnection, tenant: &str, writes: &Writes) -> Result<(), StorageError> {
    let head = writes.changes.last().map(|change| stored(change.seq));
    let audit = writes.audit.last();
    if head.is_none() && audit.is_none() {
        return Ok(());
    }
    let query = sqlx::query(include_str!("write/head.sql")).bind(tenant).bind(head);
    let query = query.bind(audit.map(|linked| stored(linked.seq))).bind(audit.map(|linked| &linked.hash));
    query.execute(connection).await.map_err(fault).map(|_| ())
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
        "visible_to": change.visible_to, "command_id": change.command_id, "at": change.at.0, "body": change.body,
    })
}

fn event(event: &OutgoingEvent) -> Value {
    json!({
        "id": event.id, "kind": event.kind, "at": event.at.0, "give_up_at": event.at.0 + TRIED_MS, "body": event.body,
        "mail": json!(event.mail).to_string(),
    })
}

fn entry(Linked { seq, hash, entry }: &Linked) -> Value {
    json!({
        "seq": seq, "hash": hash, "command_id": entry.command_id, "key": entry.key,
        "actor_id": entry.actor_id, "entity_type": entry.entity_type, "entity_id": entry.entity_id,
        "operation": entry.operation, "previous_revision": entry.previous_revision,
        "next_revision": entry.next_revision, "result": entry.result, "code": entry.code,
        "authority": entry.authority, "session_version": entry.session_version, "issued_under": entry.issued_under,
        "request_id": entry.request_id, "occurred_at": entry.occurred_at.0,
    })
}
