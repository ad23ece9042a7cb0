//! What is known of an operation, and making sure that an unseen one never happens.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;
use wire::IdempotencyKey;

use crate::execution::{Record, Writes};
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::load::record;
use crate::storage::postgres::row::{get, time};
use crate::storage::postgres::transaction::{Opening, Scope, run, run_or_fault};
use crate::storage::postgres::{LOCK_TENANT, Postgres, audit, write};
use crate::storage::unseen::{self, Known};
use crate::storage::{Asker, LookedUp, Seal, Sealing, StorageError};

/// Reads without a lock first. What is not found then may be in the hands of any node: the tenant's lock is waited for,
/// which every group holds, and by then it is there, or was not begun. If the lock is not to be had, somebody is still
/// at work.
pub(super) async fn look_up(
    db: &Postgres,
    asker: Asker,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<LookedUp>, StorageError> {
    let scope = Scope::Tenant(asker.tenant);
    let found = look(db, Opening::read(scope), asker, keys.clone()).await?;
    if !keys.iter().any(|key| matches!(unseen::known(&found, asker, key), Known::Unseen)) {
        return Ok(answers(&found, asker, &keys, &LookedUp::NotSeen));
    }
    let opening = Opening::write(scope).first(include_str!("operation/wait.sql"));
    match look(db, opening, asker, keys.clone()).await {
        Ok(found) => Ok(answers(&found, asker, &keys, &LookedUp::NotSeen)),
        Err(Fault::Locked(_)) => Ok(answers(&found, asker, &keys, &LookedUp::Processing)),
        Err(fault) => Err(fault.into()),
    }
}

type Records = HashMap<String, Record>;

async fn look(db: &Postgres, opening: Opening, asker: Asker, keys: Vec<IdempotencyKey>) -> Result<Records, Fault> {
    let found = run_or_fault(&db.pool, opening, move |opened| {
        let keys = keys.clone();
        Box::pin(async move { find(opened.connection, asker, &keys).await })
    });
    found.await
}

fn answers(found: &Records, asker: Asker, keys: &[IdempotencyKey], unseen: &LookedUp) -> Vec<LookedUp> {
    let answers = keys.iter().map(|key| match unseen::known(found, asker, key) {
        Known::Record(record) => LookedUp::Recorded(record),
        Known::Foreign => LookedUp::NotSeen,
        Known::Unseen => unseen.clone(),
    });
    answers.collect()
}

/// The records of `keys`, and of their command ids under other keys.
async fn find(connection: &mut PgConnection, asker: Asker, keys: &[IdempotencyKey]) -> Result<Records, Fault> {
    let commands: Vec<Uuid> = keys.iter().filter_map(IdempotencyKey::command_id).map(|command| command.0).collect();
    let query = sqlx::query(include_str!("operation/records.sql")).bind(asker.tenant.0).bind(commands);
    let rows = query.fetch_all(connection).await?;
    let records = rows.iter().map(|row| {
        let record = record(row, asker.tenant, get(row, "reduced")?)?;
        Ok((record.key.clone(), record))
    });
    Ok(records.collect::<Result<_, StorageError>>()?)
}

/// Under the tenant's lock, so that it is either before or after any group that holds the key.
pub(super) async fn seal(db: &Postgres, asker: Asker, sealing: Sealing) -> Result<Seal, StorageError> {
    let opening = Opening::write(Scope::Tenant(asker.tenant)).first(LOCK_TENANT);
    let sealed = run(&db.pool, opening, move |opened| {
        let sealing = sealing.clone();
        Box::pin(seal_inside(opened.connection, asker, sealing))
    });
    sealed.await
}

async fn seal_inside(connection: &mut PgConnection, asker: Asker, sealing: Sealing) -> Result<Seal, Fault> {
    let found = find(connection, asker, std::slice::from_ref(&sealing.key)).await?;
    match unseen::known(&found, asker, &sealing.key) {
        Known::Record(record) => return Ok(Seal::Recorded(record)),
        Known::Foreign => return Ok(Seal::Foreign),
        Known::Unseen => {}
    }
    let row = sqlx::query("select purge_horizon from server").fetch_one(&mut *connection).await?;
    let sealed = match unseen::seal(asker, &sealing, time(&row, "purge_horizon")?) {
        Ok(sealed) => sealed,
        Err(seal) => return Ok(seal),
    };
    let writes = Writes { records: vec![sealed.clone()], ..Writes::default() };
    write::writes(connection, asker.tenant, &writes).await?;
    audit::append(connection, asker.tenant, unseen::seal_entry(&sealed, sealing)).await?;
    Ok(Seal::Recorded(Box::new(sealed)))
}
