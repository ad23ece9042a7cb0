//! What is known of an operation, and making sure that an unseen one never happens.

use std::collections::HashMap;

use domain::Timestamp;
use sqlx::{SqliteConnection, SqliteExecutor};
use wire::{Code, IdempotencyKey, Problem};

use crate::command::answer::json;
use crate::execution::{Outcome, Record, Writes};
use crate::storage::sqlite::load::{record, texts};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, write};
use crate::storage::{Asker, Seal, StorageError};

pub(super) async fn look_up(
    db: &Sqlite,
    asker: Asker,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<Option<Record>>, StorageError> {
    let found = find(&db.readers, asker, &keys).await?;
    Ok(keys.iter().map(|key| found.get(key.as_str()).filter(|record| asker.may_see(record)).cloned()).collect())
}

async fn find(
    executor: impl SqliteExecutor<'_>,
    asker: Asker,
    keys: &[IdempotencyKey],
) -> Result<HashMap<String, Record>, StorageError> {
    let query = sqlx::query(include_str!("operation/record.sql")).bind(asker.tenant.to_string()).bind(texts(keys));
    let rows = query.fetch_all(executor).await.map_err(fault)?;
    rows.iter().map(|row| record(row).map(|record| (record.key.clone(), record))).collect()
}

pub(super) async fn seal(db: &Sqlite, asker: Asker, key: IdempotencyKey, now: Timestamp) -> Result<Seal, StorageError> {
    let work = db.writer.run(move |connection| Box::pin(seal_inside(connection, asker, key, now)));
    work.await
}

async fn seal_inside(
    connection: &mut SqliteConnection,
    asker: Asker,
    key: IdempotencyKey,
    now: Timestamp,
) -> Result<Seal, StorageError> {
    if let Some(record) = find(&mut *connection, asker, std::slice::from_ref(&key)).await?.remove(key.as_str()) {
        return Ok(if asker.may_see(&record) { Seal::Recorded(Box::new(record)) } else { Seal::Foreign });
    }
    let Some(sealed) = sealed(asker, &key, now) else { return Ok(Seal::Foreign) };
    let writes = Writes { records: vec![sealed.clone()], ..Writes::default() };
    match write::writes(connection, asker.tenant, &writes).await {
        // The command id is recorded under another key, so this key can never be applied as it is.
        Err(StorageError::Broken(cause)) if cause.contains("UNIQUE") => Ok(Seal::Recorded(Box::new(sealed))),
        written => written.map(|()| Seal::Recorded(Box::new(sealed))),
    }
}

fn sealed(asker: Asker, key: &IdempotencyKey, now: Timestamp) -> Option<Record> {
    let command_id = key.command_id()?;
    let mut parts = key.as_str().splitn(3, ':');
    let detail = "It was sealed before it took effect, and will never be applied.";
    let problem = Problem::new(Code::OperationSealed, detail).about(command_id);
    Some(Record {
        key: key.as_str().to_owned(),
        command_id,
        actor: asker.actor,
        operation: parts.next().unwrap_or_default().to_owned(),
        entity_type: "case".to_owned(),
        entity_id: parts.next().unwrap_or_default().to_owned(),
        payload_hash: None,
        outcome: Outcome::Sealed,
        status: problem.status,
        body: json(&problem),
        entity_revision: None,
        recorded_at: now,
    })
}
