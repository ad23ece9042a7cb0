//! Loads what a group needs, as of its transaction. Each statement is prepared once and is one look-up by key.

use domain::{ActorId, CommandId, Entity, Role, TenantId, Timestamp};
use rusqlite::{Connection, Row, ToSql};
use uuid::Uuid;

use crate::command::Attempt;
use crate::execution::{Chain, Ground, Needs, Outcome, Record, Standing, remains};
use crate::storage::StorageError;
use crate::storage::sqlite::cell::{IdText, get, integer, integer_option, named, parsed, parsed_option, text};
use crate::storage::sqlite::groups::{Desk, fault};
use crate::storage::sqlite::rights::KnownRights;
use crate::storage::sqlite::row::damaged;

/// Everything that deciding `group` needs.
pub(super) fn ground(
    desk: &mut Desk,
    tenant: TenantId,
    group: &[Attempt],
    now: Timestamp,
) -> Result<Ground, StorageError> {
    let mut needs = Needs::of_answers(group);
    let mut ground = Ground::at(year_of(now));
    let load = Load { connection: &desk.connection, of: tenant, tenant: tenant.into() };
    desk.rights.refresh(load.connection)?;
    load.counters(&mut ground)?;
    for command in &needs.commands {
        if let Some(record) = load.record(*command)? {
            ground.keys.insert(record.command_id, record.key.clone());
            ground.records.insert(record.key.clone(), record);
        }
    }
    #[cfg(feature = "failpoints")]
    crate::failpoint::hit("during-dedupe-read")?;
    load.rights(&needs, &mut desk.rights, &mut ground)?;
    // A repeat is answered from its record: nothing is decided of it.
    needs.decide(group.iter().filter(|attempt| !ground.records.contains_key(attempt.key.as_str())));
    load.targets(&needs, &mut ground)?;
    Ok(ground)
}

/// The record of `command`, under whatever key.
pub(super) fn record(
    connection: &Connection,
    tenant: TenantId,
    command: CommandId,
) -> Result<Option<Record>, StorageError> {
    Load { connection, of: tenant, tenant: tenant.into() }.record(command)
}

/// Commands made before this may have no record any more.
pub(super) fn purge_horizon(connection: &Connection) -> Result<Timestamp, StorageError> {
    let horizon = first(connection, "select purge_horizon from server", &[], |row| get(row, "purge_horizon"))?;
    horizon.map(Timestamp).ok_or_else(|| damaged("server"))
}

/// Where the tenant's audit ends.
pub(super) fn audit_end(connection: &Connection, tenant: TenantId) -> Result<Chain, StorageError> {
    let end = first(connection, include_str!("audit/end.sql"), &[&IdText::from(tenant)], |row| {
        Ok(Chain { seq: integer(row, "audit_seq")?, hash: get(row, "audit_hash")? })
    })?;
    end.ok_or_else(|| damaged("tenant"))
}

/// Looks up rows of one tenant.
struct Load<'c> {
    connection: &'c Connection,
    of: TenantId,
    tenant: IdText,
}

impl Load<'_> {
    fn counters(&self, ground: &mut Ground) -> Result<(), StorageError> {
        let parameters: [&dyn ToSql; 2] = [&self.tenant, &ground.year];
        let known = first(self.connection, include_str!("load/counters.sql"), &parameters, |row| {
            ground.head = integer(row, "feed_head")?;
            ground.last_number = integer(row, "last_number")?;
            ground.purge_horizon = Timestamp(get(row, "purge_horizon")?);
            ground.has_endpoints = get(row, "has_endpoints")?;
            ground.audit = Chain { seq: integer(row, "audit_seq")?, hash: get(row, "audit_hash")? };
            Ok(())
        })?;
        known.ok_or_else(|| damaged("tenant"))
    }

    fn record(&self, command: CommandId) -> Result<Option<Record>, StorageError> {
        let id = IdText::from(command);
        first(self.connection, include_str!("load/record.sql"), &[&self.tenant, &id], |row| record_of(row, self.of))
    }

    fn rights(&self, needs: &Needs, known: &mut KnownRights, ground: &mut Ground) -> Result<(), StorageError> {
        for session in &needs.sessions {
            let owner = match known.sessions.get(&(self.of, *session)) {
                Some(owner) => Some(*owner),
                None => self.owner(*session)?,
            };
            if let Some(owner) = owner {
                known.sessions.insert((self.of, *session), owner);
                ground.sessions.insert(*session, owner);
            }
        }
        for actor in &needs.actors {
            let standing = match known.standings.get(&(self.of, *actor)) {
                Some(standing) => Some(standing.clone()),
                None => self.standing(*actor)?,
            };
            if let Some(standing) = standing {
                known.standings.entry((self.of, *actor)).or_insert_with(|| standing.clone());
                ground.actors.insert(*actor, standing);
            }
        }
        Ok(())
    }

    /// Whose session it is, if it stands.
    fn owner(&self, session: Uuid) -> Result<Option<ActorId>, StorageError> {
        let id = IdText::from(session);
        first(self.connection, include_str!("load/session.sql"), &[&self.tenant, &id], |row| parsed(row, "actor_id"))
    }

    fn standing(&self, actor: ActorId) -> Result<Option<Standing>, StorageError> {
        let id = IdText::from(actor);
        let parameters: [&dyn ToSql; 2] = [&self.tenant, &id];
        let found = first(self.connection, include_str!("load/actor.sql"), &parameters, |row| {
            let role = named(row, "role", Role::named)?;
            Ok(Standing {
                role: (get::<i64>(row, "disabled")? == 0).then_some(role),
                session_version: integer(row, "session_version")?,
                history: Vec::new(),
                first_session_at: integer_option(row, "first_session_at")?.map(Timestamp),
            })
        })?;
        let Some(mut standing) = found else { return Ok(None) };
        each(self.connection, include_str!("load/roles.sql"), &parameters, |row| {
            standing.history.push((Timestamp(get(row, "since")?), named(row, "role", Role::named)?));
            Ok(())
        })?;
        Ok(Some(standing))
    }

    fn targets(&self, needs: &Needs, ground: &mut Ground) -> Result<(), StorageError> {
        for (kind, id) in &needs.entities {
            let id_text = IdText::from(*id);
            let parameters: [&dyn ToSql; 3] = [&self.tenant, &kind.name(), &id_text];
            let entity = first(self.connection, include_str!("load/entity.sql"), &parameters, |row| {
                if get(row, "deleted")? {
                    ground.gone.insert((*kind, *id), parsed_option(row, "visible_to")?);
                    return Ok(None);
                }
                Entity::read(*kind, text(row, "body")?).map(Some).map_err(|_| damaged("entity.body"))
            })?;
            ground.entities.extend(entity.flatten().map(|entity| ((*kind, *id), entity)));
        }
        for member in &needs.members {
            let id = IdText::from(*member);
            let known = first(self.connection, include_str!("load/member.sql"), &[&self.tenant, &id], |_| Ok(*member))?;
            ground.members.extend(known);
        }
        for external_id in &needs.external_ids {
            let sql = include_str!("load/external_id.sql");
            let known = first(self.connection, sql, &[&self.tenant, external_id], |_| Ok(external_id.clone()))?;
            ground.external_ids.extend(known);
        }
        Ok(())
    }
}

/// What `read` makes of the first row.
fn first<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    read: impl FnOnce(&Row<'_>) -> Result<T, StorageError>,
) -> Result<Option<T>, StorageError> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let mut rows = statement.query(parameters).map_err(fault)?;
    rows.next().map_err(fault)?.map(read).transpose()
}

/// Shows `see` each row.
fn each(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    mut see: impl FnMut(&Row<'_>) -> Result<(), StorageError>,
) -> Result<(), StorageError> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let mut rows = statement.query(parameters).map_err(fault)?;
    while let Some(row) = rows.next().map_err(fault)? {
        see(row)?;
    }
    Ok(())
}

/// A key record as stored, with the answer that repeats get.
fn record_of(row: &Row<'_>, tenant: TenantId) -> Result<Record, StorageError> {
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
        recorded_at: Timestamp(get(row, "recorded_at")?),
    };
    if get(row, "reduced")? {
        record.body = remains::answer(tenant, &record).ok_or_else(|| damaged("command.body"))?;
    }
    Ok(record)
}

fn year_of(now: Timestamp) -> i16 {
    now.to_string().get(..4).and_then(|year| year.parse().ok()).unwrap_or(1970)
}
