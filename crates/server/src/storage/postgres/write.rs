//! Writes what a group leaves behind: one statement, whatever its size, with one array for each column.

use std::collections::HashMap;

use domain::TenantId;
use sqlx::PgConnection;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;

use crate::command::answer::json;
use crate::execution::{FeedChange, Linked, OutgoingEvent, Record, Writes};
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::stored;
use crate::webhooks::schedule::TRIED_MS;

type Statement<'q> = Query<'q, sqlx::Postgres, PgArguments>;

/// Writes everything of `writes`. The transaction holds the tenant's row.
pub(super) async fn writes(connection: &mut PgConnection, tenant: TenantId, writes: &Writes) -> Result<(), Fault> {
    let statement = sqlx::query(include_str!("write/all.sql")).bind(tenant.0);
    let statement = records(statement, &writes.records);
    let statement = entities(statement, &newest(&writes.changes));
    let statement = external_ids(statement, writes);
    let statement = audit(statement, &writes.audit);
    let statement = ends(statement, writes);
    events(statement, &writes.events).execute(connection).await?;
    Ok(())
}

/// One column of `rows`.
fn column<'r, R, T>(rows: &'r [R], column: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(column).collect()
}

/// The last change of each entity, in order.
fn newest(changes: &[FeedChange]) -> Vec<&FeedChange> {
    let last: HashMap<_, _> = changes.iter().map(|change| ((change.kind, change.id), change.seq)).collect();
    changes.iter().filter(|change| last.get(&(change.kind, change.id)) == Some(&change.seq)).collect()
}

fn records<'q>(statement: Statement<'q>, records: &'q [Record]) -> Statement<'q> {
    statement
        .bind(column(records, |record| record.key.as_str()))
        .bind(column(records, |record| record.command_id.0))
        .bind(column(records, |record| record.actor.0))
        .bind(column(records, |record| record.operation.as_str()))
        .bind(column(records, |record| record.entity_type.as_str()))
        .bind(column(records, |record| record.entity_id.as_str()))
        .bind(column(records, |record| record.payload_hash.as_deref()))
        .bind(column(records, |record| record.outcome.name()))
        .bind(column(records, |record| i32::from(record.status)))
        .bind(column(records, |record| record.body.as_str()))
        .bind(column(records, |record| record.entity_revision.map(i64::from)))
        .bind(column(records, |record| record.recorded_at.0))
}

fn entities<'q>(statement: Statement<'q>, changes: &[&'q FeedChange]) -> Statement<'q> {
    statement
        .bind(column(changes, |change| change.kind))
        .bind(column(changes, |change| change.id.0))
        .bind(column(changes, |change| i64::from(change.revision.0)))
        .bind(column(changes, |change| stored(change.seq)))
        .bind(column(changes, |change| change.visible_to.map(|actor| actor.0)))
        .bind(column(changes, |change| change.command_id.map(|command| command.0)))
        .bind(column(changes, |change| change.at.0))
        .bind(column(changes, |change| change.body.as_str()))
}

fn external_ids<'q>(statement: Statement<'q>, writes: &'q Writes) -> Statement<'q> {
    statement
        .bind(column(&writes.external_ids, |(external_id, _)| external_id.as_str()))
        .bind(column(&writes.external_ids, |(_, case)| case.0))
}

fn audit<'q>(statement: Statement<'q>, audit: &'q [Linked]) -> Statement<'q> {
    statement
        .bind(column(audit, |linked| stored(linked.seq)))
        .bind(column(audit, |linked| linked.hash.as_str()))
        .bind(column(audit, |linked| linked.entry.command_id.as_str()))
        .bind(column(audit, |linked| linked.entry.key.as_str()))
        .bind(column(audit, |linked| linked.entry.actor_id.as_str()))
        .bind(column(audit, |linked| linked.entry.entity_type.as_str()))
        .bind(column(audit, |linked| linked.entry.entity_id.as_str()))
        .bind(column(audit, |linked| linked.entry.operation.as_str()))
        .bind(column(audit, |linked| linked.entry.previous_revision.map(i64::from)))
        .bind(column(audit, |linked| linked.entry.next_revision.map(i64::from)))
        .bind(column(audit, |linked| linked.entry.result.as_ref()))
        .bind(column(audit, |linked| linked.entry.code.as_deref()))
        .bind(column(audit, |linked| linked.entry.authority.as_deref()))
        .bind(column(audit, |linked| i64::from(linked.entry.session_version)))
        .bind(column(audit, |linked| i64::from(linked.entry.issued_under)))
        .bind(column(audit, |linked| linked.entry.request_id.as_str()))
        .bind(column(audit, |linked| linked.entry.occurred_at.0))
}

/// Where the tenant's feed, audit and case numbers end now; null leaves as it is.
fn ends<'q>(statement: Statement<'q>, writes: &'q Writes) -> Statement<'q> {
    let audit = writes.audit.last();
    statement
        .bind(writes.number.map(|(year, _)| i32::from(year)))
        .bind(writes.number.map(|(_, last)| stored(last)))
        .bind(writes.changes.last().map(|change| stored(change.seq)))
        .bind(audit.map(|linked| stored(linked.seq)))
        .bind(audit.map(|linked| linked.hash.as_str()))
}

fn events<'q>(statement: Statement<'q>, events: &'q [OutgoingEvent]) -> Statement<'q> {
    statement
        .bind(column(events, |event| event.id.as_str()))
        .bind(column(events, |event| event.kind))
        .bind(column(events, |event| event.body.as_str()))
        .bind(column(events, |event| json(&event.mail)))
        .bind(column(events, |event| event.at.0))
        .bind(column(events, |event| event.at.0.saturating_add(TRIED_MS)))
}
