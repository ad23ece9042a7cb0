//! Loads what a group needs, in bulk: seven statements whatever its size.

use domain::{Entity, EntityKind, Role, TenantId, Timestamp};
use serde::Serialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor};

use crate::command::Attempt;
use crate::command::answer::json;
use crate::execution::{Chain, Ground, Needs, Outcome, Record, remains};
use crate::storage::StorageError;
use crate::storage::sqlite::row::{damaged, get, integer, integer_option, named, parsed, parsed_option, time};
use crate::storage::sqlite::writer::fault;

/// Everything that deciding `group` needs, as of this transaction.
pub(super) async fn ground(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    group: &[Attempt],
    now: Timestamp,
) -> Result<Ground, StorageError> {
    let needs = Needs::of(group);
    let mut ground = Ground::at(year_of(now));
    let (of, tenant) = (tenant, tenant.to_string());
    counters(connection, &tenant, &mut ground).await?;
    for row in records(&mut *connection, &tenant, &json(&needs.keys), &texts(&needs.commands)).await? {
        let record = record(&row, of)?;
        ground.keys.insert(record.command_id, record.key.clone());
        ground.records.insert(record.key.clone(), record);
    }
    #[cfg(feature = "failpoints")]
    crate::failpoint::hit("during-dedupe-read")?;
    rights(connection, &tenant, &needs, &mut ground).await?;
    targets(connection, &tenant, &needs, &mut ground).await?;
    Ok(ground)
}

async fn counters(connection: &mut SqliteConnection, tenant: &str, ground: &mut Ground) -> Result<(), StorageError> {
    let query = sqlx::query(include_str!("load/counters.sql")).bind(tenant).bind(i64::from(ground.year));
    let row = query.fetch_one(connection).await.map_err(fault)?;
    ground.head = integer(&row, "feed_head")?;
    ground.last_number = integer(&row, "last_number")?;
    ground.purge_horizon = time(&row, "purge_horizon")?;
    ground.has_endpoints = get::<i64>(&row, "has_endpoints")? != 0;
    ground.audit = Chain { seq: integer(&row, "audit_seq")?, hash: get(&row, "audit_hash")? };
    Ok(())
}

/// The records of `keys`, and those of `commands` under whatever key.
pub(super) async fn records(
    executor: impl SqliteExecutor<'_>,
    tenant: &str,
    keys: &str,
    commands: &str,
) -> Result<Vec<SqliteRow>, StorageError> {
    let query = sqlx::query(include_str!("load/records.sql")).bind(tenant).bind(keys).bind(commands);
    query.fetch_all(executor).await.map_err(fault)
}

async fn rights(
    connection: &mut SqliteConnection,
    tenant: &str,
    needs: &Needs,
    ground: &mut Ground,
) -> Result<(), StorageError> {
    let (sessions, actors) = (texts(&needs.sessions), texts(&needs.actors));
    let query = sqlx::query(include_str!("load/sessions.sql")).bind(tenant).bind(sessions);
    for row in query.fetch_all(&mut *connection).await.map_err(fault)? {
        ground.sessions.insert(parsed(&row, "session_id")?, parsed(&row, "actor_id")?);
    }
    let query = sqlx::query(include_str!("load/actors.sql")).bind(tenant).bind(&actors);
    for row in query.fetch_all(&mut *connection).await.map_err(fault)? {
        let standing = ground.actors.entry(parsed(&row, "actor_id")?).or_default();
        let role = named(&row, "role", Role::named)?;
        standing.role = (get::<i64>(&row, "disabled")? == 0).then_some(role);
        standing.session_version = integer(&row, "session_version")?;
        standing.first_session_at = integer_option(&row, "first_session_at")?.map(Timestamp);
    }
    let query = sqlx::query(include_str!("load/roles.sql")).bind(tenant).bind(&actors);
    for row in query.fetch_all(&mut *connection).await.map_err(fault)? {
        let standing = ground.actors.entry(parsed(&row, "actor_id")?).or_default();
        standing.history.push((time(&row, "since")?, named(&row, "role", Role::named)?));
    }
    Ok(())
}

async fn targets(
    connection: &mut SqliteConnection,
    tenant: &str,
    needs: &Needs,
    ground: &mut Ground,
) -> Result<(), StorageError> {
    let wanted: Vec<_> = needs.entities.iter().map(|(kind, id)| (kind.name(), id)).collect();
    let query = sqlx::query(include_str!("load/entities.sql")).bind(tenant).bind(json(&wanted));
    for row in query.fetch_all(&mut *connection).await.map_err(fault)? {
        let kind = named(&row, "entity_type", EntityKind::named)?;
        if get::<i64>(&row, "deleted")? != 0 {
            ground.gone.insert((kind, parsed(&row, "entity_id")?), parsed_option(&row, "visible_to")?);
            continue;
        }
        let entity = Entity::read(kind, get(&row, "body")?).map_err(|_| damaged("entity.body"))?;
        ground.entities.insert((kind, entity.id()), entity);
    }
    if needs.members.is_empty() && needs.external_ids.is_empty() {
        return Ok(());
    }
    let query = sqlx::query(include_str!("load/present.sql")).bind(tenant).bind(texts(&needs.members));
    for row in query.bind(json(&needs.external_ids)).fetch_all(connection).await.map_err(fault)? {
        match get(&row, "what")? {
            "member" => ground.members.insert(parsed(&row, "id")?),
            _ => ground.external_ids.insert(get(&row, "id")?),
        };
    }
    Ok(())
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

/// Ids as a JSON array of texts, for `json_each`.
pub(super) fn texts<T: ToString>(ids: impl IntoIterator<Item = T>) -> String {
    json(&ids.into_iter().map(|id| id.to_string()).collect::<Vec<_>>())
}

/// Rows as JSON, for `json_each`.
pub(super) fn rows(rows: &[impl Serialize]) -> String {
    json(&rows)
}

fn year_of(now: Timestamp) -> i16 {
    now.to_string().get(..4).and_then(|year| year.parse().ok()).unwrap_or(1970)
}
