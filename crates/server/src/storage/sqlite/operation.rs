//! What is known of an operation, and making sure that an unseen one never happens.

use std::collections::HashMap;

use domain::TenantId;
use rusqlite::Connection;
use sqlx::sqlite::SqliteRow;
use wire::IdempotencyKey;

use crate::execution::{Outcome, Record, Writes, remains};
use crate::storage::sqlite::row::{damaged, get, integer, integer_option, named, parsed, texts, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, load, write};
use crate::storage::unseen::{self, Known};
use crate::storage::{Asker, LookedUp, Seal, Sealing, StorageError};

pub(super) async fn look_up(
    db: &Sqlite,
    asker: Asker,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<LookedUp>, StorageError> {
    let commands = texts(keys.iter().filter_map(IdempotencyKey::command_id));
    let query = sqlx::query(include_str!("operation/records.sql")).bind(asker.tenant.to_string()).bind(commands);
    let rows = query.fetch_all(&mut *db.reader().await?).await.map_err(fault)?;
    let found = rows.iter().map(|row| record(row, asker.tenant).map(|record| (record.key.clone(), record)));
    let found = found.collect::<Result<HashMap<String, Record>, _>>()?;
    let answers = keys.iter().map(|key| match unseen::known(&found, asker, key) {
        Known::Record(record) => LookedUp::Recorded(record),
        // Who is at work on one is this process, and knows.
        Known::Foreign | Known::Unseen => LookedUp::NotSeen,
    });
    Ok(answers.collect())
}

/// A key record as stored, with the answer that repeats get.
pub(super) fn record(row: &SqliteRow, tenant: TenantId) -> Result<Record, StorageError> {
    let mut record = Record {
        key: get(row, "idempotency_key")?,
        command_id: parsed(row, "command_id")?,
        actor: parsed(row, "actor_id")?,
        operation: get(row, "operation")?,
        entity_type: get(row, "entity_type")?,
        entity_id: get(row, "entity_id")?,
        payload_hash: get(row, "payload_hash")?,
        outcome: named(row, "outcome", Outcome::named)?,
        status: integer(row, "status")?,
        body: get(row, "body")?,
        entity_revision: integer_option(row, "entity_revision")?,
        recorded_at: time(row, "recorded_at")?,
    };
    if get::<i64>(row, "reduced")? != 0 {
        record.body = remains::answer(tenant, &record).ok_or_else(|| damaged("command.body"))?;
    }
    Ok(record)
}

pub(super) async fn seal(db: &Sqlite, asker: Asker, sealing: Sealing) -> Result<Seal, StorageError> {
    db.groups.run(move |desk| seal_inside(&desk.connection, asker, sealing)).await
}

fn seal_inside(connection: &Connection, asker: Asker, sealing: Sealing) -> Result<Seal, StorageError> {
    let Some(command) = sealing.key.command_id() else { return Ok(Seal::Foreign) };
    let found = load::record(connection, asker.tenant, command)?;
    let found: HashMap<String, Record> = found.into_iter().map(|record| (record.key.clone(), record)).collect();
    match unseen::known(&found, asker, &sealing.key) {
        Known::Record(record) => return Ok(Seal::Recorded(record)),
        Known::Foreign => return Ok(Seal::Foreign),
        Known::Unseen => {}
    }
    let sealed = match unseen::seal(asker, &sealing, load::purge_horizon(connection)?) {
        Ok(sealed) => sealed,
        Err(seal) => return Ok(seal),
    };
    let mut chain = load::audit_end(connection, asker.tenant)?;
    let audit = vec![chain.link(unseen::seal_entry(&sealed, sealing))];
    let writes = Writes { records: vec![sealed.clone()], audit, ..Writes::default() };
    write::writes(connection, asker.tenant, &writes)?;
    Ok(Seal::Recorded(Box::new(sealed)))
}
