//! Writes what a group leaves behind, row by row: each statement is prepared once. The feed counter comes last.

use std::collections::HashMap;

use domain::TenantId;
use rusqlite::{Connection, ToSql, params};
use serde_json::{Value, json};

use crate::command::answer::json;
use crate::execution::{FeedChange, Linked, OutgoingEvent, Record, Writes};
use crate::storage::StorageError;
use crate::storage::sqlite::cell::IdText;
use crate::storage::sqlite::groups::fault;
use crate::storage::sqlite::row::stored;
use crate::webhooks::schedule::TRIED_MS;

/// Writes everything of `writes`.
pub(super) fn writes(connection: &Connection, tenant: TenantId, writes: &Writes) -> Result<(), StorageError> {
    write_all(connection, tenant.into(), writes).map_err(fault)
}

fn write_all(connection: &Connection, tenant: IdText, writes: &Writes) -> rusqlite::Result<()> {
    let write = Write { connection, tenant };
    for record in &writes.records {
        write.record(record)?;
    }
    for change in newest(&writes.changes) {
        write.entity(change)?;
    }
    for (external_id, case) in &writes.external_ids {
        write.run(include_str!("write/external_id.sql"), params![tenant, external_id, IdText::from(*case)])?;
    }
    for linked in &writes.audit {
        write.audit(linked)?;
    }
    if !writes.events.is_empty() {
        write.events(&writes.events)?;
    }
    if let Some((year, last)) = writes.number {
        write.run(include_str!("write/number.sql"), params![tenant, year, stored(last)])?;
    }
    write.ends(writes)
}

struct Write<'c> {
    connection: &'c Connection,
    tenant: IdText,
}

impl Write<'_> {
    fn run(&self, sql: &str, parameters: &[&dyn ToSql]) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(parameters).map(|_| ())
    }

    fn record(&self, record: &Record) -> rusqlite::Result<()> {
        self.run(
            include_str!("write/record.sql"),
            params![
                self.tenant,
                record.key,
                IdText::from(record.command_id),
                IdText::from(record.actor),
                record.operation,
                record.entity_type,
                record.entity_id,
                record.payload_hash,
                record.outcome.name(),
                record.status,
                record.body,
                record.entity_revision,
                record.recorded_at.0,
            ],
        )
    }

    fn entity(&self, change: &FeedChange) -> rusqlite::Result<()> {
        self.run(
            include_str!("write/entity.sql"),
            params![
                self.tenant,
                change.kind,
                IdText::from(change.id),
                change.revision.0,
                stored(change.seq),
                change.visible_to.map(IdText::from),
                change.command_id.map(IdText::from),
                change.at.0,
                change.body,
            ],
        )
    }

    fn audit(&self, Linked { seq, hash, entry }: &Linked) -> rusqlite::Result<()> {
        self.run(
            include_str!("write/audit.sql"),
            params![
                self.tenant,
                stored(*seq),
                hash,
                entry.command_id,
                entry.key,
                entry.actor_id,
                entry.entity_type,
                entry.entity_id,
                entry.operation,
                entry.previous_revision,
                entry.next_revision,
                entry.result,
                entry.code,
                entry.authority,
                entry.session_version,
                entry.issued_under,
                entry.request_id,
                entry.occurred_at.0,
            ],
        )
    }

    /// Few commands make one: all at once, so that endpoints are read once.
    fn events(&self, events: &[OutgoingEvent]) -> rusqlite::Result<()> {
        let events: Vec<Value> = events.iter().map(event).collect();
        self.run(include_str!("write/events.sql"), params![self.tenant, json(&events)])
    }

    /// Where the tenant's feed and audit end now.
    fn ends(&self, writes: &Writes) -> rusqlite::Result<()> {
        let head = writes.changes.last().map(|change| stored(change.seq));
        let audit = writes.audit.last();
        if head.is_none() && audit.is_none() {
            return Ok(());
        }
        let seq = audit.map(|linked| stored(linked.seq));
        self.run(include_str!("write/head.sql"), params![self.tenant, head, seq, audit.map(|linked| &linked.hash)])
    }
}

/// The last change of each entity, in order.
fn newest(changes: &[FeedChange]) -> impl Iterator<Item = &FeedChange> {
    let last: HashMap<_, _> = changes.iter().map(|change| ((change.kind, change.id), change.seq)).collect();
    changes.iter().filter(move |change| last.get(&(change.kind, change.id)) == Some(&change.seq))
}

fn event(event: &OutgoingEvent) -> Value {
    json!({
        "id": event.id, "kind": event.kind, "at": event.at.0, "give_up_at": event.at.0 + TRIED_MS, "body": event.body,
        "mail": json(&event.mail),
    })
}
