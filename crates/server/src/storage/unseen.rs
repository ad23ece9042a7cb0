//! What a key comes to, given the records that were found: its own, none, or one of its command under another key. The
//! same whatever the database.

use std::collections::HashMap;

use domain::{EntityKind, Timestamp};
use wire::{Code, IdempotencyKey, Problem};

use crate::command::answer::json;
use crate::execution::fold::{USED_ELSEWHERE, is_forgotten};
use crate::execution::{AuditEntry, Outcome, Record};
use crate::storage::{Asker, Seal, Sealing};

/// What is known of a key.
pub(super) enum Known {
    /// It has come to something, or never can.
    Record(Box<Record>),
    /// It is somebody else's: to this asker it does not exist.
    Foreign,
    /// Nothing.
    Unseen,
}

/// What `found`, by key, says of `key`.
pub(super) fn known(found: &HashMap<String, Record>, asker: Asker, key: &IdempotencyKey) -> Known {
    match found.get(key.as_str()) {
        Some(record) if asker.may_see(record) => Known::Record(Box::new(record.clone())),
        Some(_) => Known::Foreign,
        None => elsewhere(found, asker, key).map_or(Known::Unseen, |record| Known::Record(Box::new(record))),
    }
}

/// The record by which an unseen key is never applied.
///
/// # Errors
/// What sealing it comes to instead: the key names no command, or one that may have had a record.
pub(super) fn seal(asker: Asker, sealing: &Sealing, purge_horizon: Timestamp) -> Result<Record, Seal> {
    let key = &sealing.key;
    if key.command_id().is_some_and(|id| is_forgotten(id, purge_horizon)) {
        return Err(Seal::Forgotten);
    }
    let detail = "It was sealed before it took effect, and will never be applied.";
    over(asker, key, Outcome::Sealed, Code::OperationSealed, detail, sealing.now).ok_or(Seal::Foreign)
}

/// What the audit says of a seal that was set: whoever set it kept the command from ever taking effect.
pub(super) fn seal_entry(sealed: &Record, sealing: Sealing) -> AuditEntry {
    AuditEntry {
        command_id: sealed.command_id.to_string(),
        key: sealed.key.clone(),
        actor_id: sealed.actor.to_string(),
        entity_type: sealed.entity_type.clone(),
        entity_id: sealed.entity_id.clone(),
        operation: sealed.operation.clone(),
        previous_revision: None,
        next_revision: None,
        result: "rejected".into(),
        code: Some(Code::OperationSealed.name().into()),
        authority: None,
        session_version: sealing.session_version,
        issued_under: 0,
        request_id: sealing.request_id,
        occurred_at: sealing.now,
    }
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
