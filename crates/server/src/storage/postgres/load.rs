//! Loads what a group needs: one statement, whatever its size.

use domain::{ActorId, CommandId, Entity, EntityKind, Role, TenantId, Timestamp};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::command::Attempt;
use crate::execution::{Chain, Ground, Needs, Outcome, Record, remains};
use crate::storage::StorageError;
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::{damaged, get, id, id_option, integer, integer_option, named, time};

/// Everything that deciding `group` needs. `ends` is the tenant's row, which this transaction holds: nothing that is
/// read after it can change.
pub(super) async fn ground(
    connection: &mut PgConnection,
    tenant: TenantId,
    group: &[Attempt],
    ends: &PgRow,
    now: Timestamp,
) -> Result<Ground, Fault> {
    let needs = Needs::of(group);
    let mut ground = Ground::at(year_of(now));
    ground.head = integer(ends, "feed_head")?;
    ground.audit = chain(ends)?;
    let commands: Vec<Uuid> = needs.commands.iter().map(|command| command.0).collect();
    let actors: Vec<Uuid> = needs.actors.iter().map(|actor| actor.0).collect();
    let members: Vec<Uuid> = needs.members.iter().map(|actor| actor.0).collect();
    let query = sqlx::query(include_str!("load/all.sql")).bind(tenant.0);
    let query = query.bind(commands).bind(needs.sessions.iter().copied().collect::<Vec<_>>()).bind(actors);
    let query = query.bind(needs.entities.iter().map(|(kind, _)| kind.name()).collect::<Vec<_>>());
    let query = query.bind(needs.entities.iter().map(|(_, id)| id.0).collect::<Vec<_>>());
    let query = query.bind(needs.external_ids.iter().map(String::as_str).collect::<Vec<_>>()).bind(members);
    let rows = query.bind(i32::from(ground.year)).fetch_all(connection).await?;
    for row in &rows {
        add(&mut ground, tenant, row)?;
    }
    #[cfg(feature = "failpoints")]
    crate::failpoint::hit("during-dedupe-read")?;
    Ok(ground)
}

/// What `load/all.sql` says in one row.
fn add(ground: &mut Ground, tenant: TenantId, row: &PgRow) -> Result<(), StorageError> {
    match get(row, "what")? {
        what @ ("record" | "reduced") => {
            let record = record(row, tenant, what == "reduced")?;
            ground.keys.insert(record.command_id, record.key.clone());
            ground.records.insert(record.key.clone(), record);
        }
        "session" => {
            ground.sessions.insert(id(row, "command_id")?, id(row, "actor_id")?);
        }
        "actor" => {
            let standing = ground.actors.entry(id::<ActorId>(row, "actor_id")?).or_default();
            let is_disabled = get::<i32>(row, "status")? != 0;
            let role = named(row, "operation", Role::named)?;
            standing.role = (!is_disabled).then_some(role);
            standing.session_version = integer(row, "entity_revision")?;
            standing.first_session_at = integer_option(row, "recorded_at")?.map(Timestamp);
        }
        "role" => {
            let standing = ground.actors.entry(id::<ActorId>(row, "actor_id")?).or_default();
            standing.history.push((time(row, "recorded_at")?, named(row, "operation", Role::named)?));
        }
        "entity" => {
            let kind = named(row, "entity_type", EntityKind::named)?;
            let entity = Entity::read(kind, get(row, "body")?).map_err(|_| damaged("entity.body"))?;
            ground.entities.insert((kind, entity.id()), entity);
        }
        "gone" => {
            let kind = named(row, "entity_type", EntityKind::named)?;
            ground.gone.insert((kind, id(row, "command_id")?), id_option(row, "actor_id")?);
        }
        "external" => {
            ground.external_ids.insert(get(row, "idempotency_key")?);
        }
        "member" => {
            ground.members.insert(id(row, "actor_id")?);
        }
        "counters" => {
            ground.last_number = integer(row, "entity_revision")?;
            ground.has_endpoints = get::<i32>(row, "status")? != 0;
            ground.purge_horizon = time(row, "recorded_at")?;
        }
        _ => return Err(damaged("what was loaded")),
    }
    Ok(())
}

/// Where the tenant's audit ends.
pub(super) fn chain(ends: &PgRow) -> Result<Chain, StorageError> {
    Ok(Chain { seq: integer(ends, "audit_seq")?, hash: get(ends, "audit_hash")? })
}

/// A key record as stored, with the answer that repeats get.
pub(super) fn record(row: &PgRow, tenant: TenantId, is_reduced: bool) -> Result<Record, StorageError> {
    let mut record = Record {
        key: get(row, "idempotency_key")?,
        command_id: id::<CommandId>(row, "command_id")?,
        actor: id(row, "actor_id")?,
        operation: get(row, "operation")?,
        entity_type: get(row, "entity_type")?,
        entity_id: get(row, "entity_id")?,
        payload_hash: get(row, "payload_hash")?,
        outcome: named(row, "outcome", Outcome::named)?,
        status: u16::try_from(get::<i32>(row, "status")?).map_err(|_| damaged("status"))?,
        body: get(row, "body")?,
        entity_revision: integer_option(row, "entity_revision")?,
        recorded_at: time(row, "recorded_at")?,
    };
    if is_reduced {
        record.body = remains::answer(tenant, &record).ok_or_else(|| damaged("command.body"))?;
    }
    Ok(record)
}

fn year_of(now: Timestamp) -> i16 {
    now.to_string().get(..4).and_then(|year| year.parse().ok()).unwrap_or(1970)
}
