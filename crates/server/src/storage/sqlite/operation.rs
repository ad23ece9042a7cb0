//! What is known of an operation, and making sure that an unseen one never happens.

use std::collections::HashMap;

use domain::Timestamp;
use sqlx::{SqliteConnection, SqliteExecutor};
use wire::IdempotencyKey;

use crate::execution::{Record, Writes};
use crate::storage::sqlite::load::{record, records, texts};
use crate::storage::sqlite::row::time;
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, write};
use crate::storage::unseen::{self, Known};
use crate::storage::{Asker, LookedUp, Seal, StorageError};

pub(super) async fn look_up(
    db: &Sqlite,
    asker: Asker,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<LookedUp>, StorageError> {
    let found = find(&mut *db.reader().await?, asker, &keys).await?;
    let answers = keys.iter().map(|key| match unseen::known(&found, asker, key) {
        Known::Record(record) => LookedUp::Recorded(record),
        // Who is at work on one is this process, and knows.
        Known::Foreign | Known::Unseen => LookedUp::NotSeen,
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
    rows.iter().map(|row| record(row, asker.tenant).map(|record| (record.key.clone(), record))).collect()
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
    let found = find(&mut *connection, asker, std::slice::from_ref(&key)).await?;
    match unseen::known(&found, asker, &key) {
        Known::Record(record) => return Ok(Seal::Recorded(record)),
        Known::Foreign => return Ok(Seal::Foreign),
        Known::Unseen => {}
    }
    let row = sqlx::query("select purge_horizon from server").fetch_one(&mut *connection).await.map_err(fault)?;
    let sealed = match unseen::seal(asker, &key, time(&row, "purge_horizon")?, now) {
        Ok(sealed) => sealed,
        Err(seal) => return Ok(seal),
    };
    let writes = Writes { records: vec![sealed.clone()], ..Writes::default() };
    write::writes(connection, asker.tenant, &writes).await?;
    Ok(Seal::Recorded(Box::new(sealed)))
}
