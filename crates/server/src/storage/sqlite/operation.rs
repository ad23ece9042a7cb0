//! What is known of an operation, and making sure that an unseen one never happens.

use std::collections::HashMap;

use domain::{EntityKind, Timestamp};
use sqlx::{SqliteConnection, SqliteExecutor};
use wire::{Code, IdempotencyKey, Problem};

use crate::command::answer::json;
use crate::execution::fold::USED_ELSEWHERE;
use crate::execution::{Outcome, Record, Writes};
use crate::storage::sqlite::load::{record, records, texts};
use crate::storage::sqlite::{Sqlite, write};
use crate::storage::{Asker, Seal, StorageError};

pub(super) async fn look_up(
    db: &Sqlite,
    asker: Asker,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<Option<Record>>, StorageError> {
    let found = find(&db.readers, asker, &keys).await?;
    let answers = keys.iter().map(|key| match found.get(key.as_str()) {
        Some(record) => asker.may_see(record).then(|| record.clone()),
        None => elsewhere(&found, asker, key),
    });
    Ok(answers.collect())
}

/// The records of `keys`, and of their command ids under other keys.
async fn find(
    executor: impl SqliteExecutor<'_>,
    asker: Asker,
    keys: &[IdempotencyKey],
) -> Result<HashMap<String, Record>, StorageError> {
    let commands = texts(keys.iter().filter_map(IdempotencyKey::command_id));
    let rows = records(executor, &asker.tenant.to_string(), &texts(keys), &commands).await?;
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
    let mut found = find(&mut *connection, asker, std::slice::from_ref(&key)).await?;
    if let Some(record) = found.remove(key.as_str()) {
        return Ok(if asker.may_see(&record) { Seal::Recorded(Box::new(record)) } else { Seal::Foreign });
    }
    if let Some(record) = elsewhere(&found, asker, &key) {
        return Ok(Seal::Recorded(Box::new(record)));
    }
    let detail = "It was sealed before it took effect, and will never be applied.";
    let Some(sealed) = over(asker, &key, Outcome::Sealed, Code::OperationSealed, detail, now) else {
        return Ok(Seal::Foreign);
    };
    let writes = Writes { records: vec![sealed.clone()], ..Writes::default() };
    write::writes(connection, asker.tenant, &writes).await?;
    Ok(Seal::Recorded(Box::new(sealed)))
}

/// What an unseen key comes to whose command id is recorded under another key: it can never take effect, and says
/// so without a record of its own, in the words that executing it would have.
fn elsewhere(found: &HashMap<String, Record>, asker: Asker, key: &IdempotencyKey) -> Option<Record> {
    let command_id = key.command_id()?;
    let other = found.values().find(|record| record.command_id == command_id)?;
    over(asker, key, Outcome::Failed, Code::IdempotencyKeyReused, USED_ELSEWHERE, other.recorded_at)
}

/// A record of `key` by which it never takes effect; `None` if the key names no command.
fn over(
    asker: Asker,
    key: &IdempotencyKey,
    outcome: Outcome,
    code: Code,
    detail: &str,
    now: Timestamp,
) -> Option<Record> {
    let command_id = key.command_id()?;
    let mut parts = key.as_str().splitn(3, ':');
    let operation = parts.next().unwrap_or_default();
    let target = domain::Operation::named(operation).map_or(EntityKind::Case, |operation| operation.policy().target);
    let problem = Problem::new(code, detail).about(command_id);
    Some(Record {
        key: key.as_str().to_owned(),
        command_id,
        actor: asker.actor,
        operation: operation.to_owned(),
        entity_type: target.name().to_owned(),
        entity_id: parts.next().unwrap_or_default().to_owned(),
        payload_hash: None,
        outcome,
        status: problem.status,
        body: json(&problem),
        entity_revision: None,
        recorded_at: now,
    })
}
