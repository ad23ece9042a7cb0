//! From a person's intent to an outbox row: key, hash, what the actor saw, what must hold at the server.

use domain::decide::Rule;
use domain::payload::Child;
use domain::payload::PayloadError;
use domain::registry::Concurrency;
use domain::{Case, CommandId, EntityKind, Expected, Payload};
use wire::{CommandRequest, IdempotencyKey, SCHEMA_VERSION, Target};

use crate::delivery::{Delivery, OutboxRow};
use crate::ports::{Base, Draft, Owner};
use crate::projection::{Shown, beside, shown};

/// An intent that cannot be a change of this case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// This computer holds no such case.
    #[error("this case is not known on this computer")]
    UnknownCase,
    /// Neither the server, as far as this computer knows, nor a pending change has made what this would change.
    #[error("this {} is not known on this computer", .0.name())]
    Unknown(EntityKind),
    /// An archived case takes no change but being restored.
    #[error("the case is archived")]
    Archived,
    /// A member is missing or out of its domain.
    #[error("{pointer}: {detail}")]
    Invalid {
        /// RFC 6901 pointer into the payload.
        pointer: String,
        /// For a person.
        detail: String,
    },
    /// A rule of the domain says no already here.
    #[error("the rules do not allow this ({})", .0.name())]
    Rule(Rule),
}

/// The row of `draft`. `lane` holds the pending and open rows of the case in enqueue order. The row's `seq` is 0: the store gives it.
///
/// # Errors
/// [`AcceptError`]: nothing is saved then, and the form keeps its text.
pub fn prepare(draft: &Draft, owner: &Owner, lane: &[OutboxRow], base: &Base) -> Result<OutboxRow, AcceptError> {
    let shown = shown(base, lane);
    check(draft, &shown)?;
    let expected = expectation(draft, lane, base)?;
    Ok(compose(draft, owner, expected, shown.case))
}

/// Puts a row together from parts that were decided already.
pub(crate) fn compose(draft: &Draft, owner: &Owner, expected: Option<Expected>, seen: Option<Case>) -> OutboxRow {
    let operation = draft.payload.operation();
    let target = draft.target;
    let request = CommandRequest {
        command_id: draft.command_id,
        operation,
        schema_version: SCHEMA_VERSION,
        target: Target::of(operation, target),
        expected,
        payload: draft.payload.to_value(),
        payload_hash: String::new(),
        issued_at: draft.issued_at,
        confirmed_at: None,
        session_version: draft.session_version,
        issued_under: draft.session_version,
    };
    OutboxRow {
        seq: 0,
        place: 0,
        intent_id: draft.intent_id,
        command_id: draft.command_id,
        key: IdempotencyKey::of(operation, target, draft.command_id),
        operation,
        schema_version: SCHEMA_VERSION,
        target,
        expected,
        payload_hash: request.computed_hash(),
        payload: Some(request.payload),
        tenant_id: owner.tenant_id,
        actor_id: owner.actor_id,
        session_version: draft.session_version,
        issued_at: draft.issued_at,
        confirmed_at: None,
        seen,
        delivery: Delivery::Queued,
        attempt: 0,
        same_failures: 0,
        last_error: None,
        not_before: None,
        resolution: None,
        projected: false,
        created_at: draft.issued_at,
        updated_at: draft.issued_at,
    }
}

fn check(draft: &Draft, shown: &Shown) -> Result<(), AcceptError> {
    Payload::read(draft.payload.operation(), &draft.payload.to_value()).map_err(invalid)?;
    check_child(draft, shown)?;
    match (&draft.payload, &shown.case) {
        (Payload::CaseCreate(_), Some(_)) => Err(AcceptError::Rule(Rule::AlreadyExists)),
        (Payload::CaseCreate(_), None) => Ok(()),
        (_, None) => Err(AcceptError::UnknownCase),
        (Payload::CaseRestore(_), Some(case)) if !case.archived => Err(AcceptError::Rule(Rule::NotArchived)),
        (Payload::CaseRestore(_) | Payload::NotificationRead(_), Some(_)) => Ok(()),
        (_, Some(case)) if case.archived => Err(AcceptError::Archived),
        (Payload::CaseTransition(transition), Some(case)) if !case.status.may_become(transition.to) => {
            Err(AcceptError::Rule(Rule::IllegalTransition))
        }
        (_, Some(_)) => Ok(()),
    }
}

/// What is to be changed must be known, also if it was only made here; what is to be made must not.
fn check_child(draft: &Draft, shown: &Shown) -> Result<(), AcceptError> {
    let Some(child) = beside(&draft.payload, draft.target) else { return Ok(()) };
    let is_of_case = draft.payload.operation().policy().target == EntityKind::Case;
    match (child, shown.child(child.key())) {
        _ if is_of_case && shown.case.is_none() => Err(AcceptError::UnknownCase),
        (Child::New(..), Some(_)) => Err(AcceptError::Rule(Rule::AlreadyExists)),
        (Child::Existing(kind, _), None) => Err(AcceptError::Unknown(kind)),
        (Child::New(..), None) | (Child::Existing(..), Some(_)) => Ok(()),
    }
}

fn invalid(error: PayloadError) -> AcceptError {
    match error {
        PayloadError::Malformed { pointer, detail } => AcceptError::Invalid { pointer, detail },
        PayloadError::Invalid(errors) => errors
            .into_iter()
            .next()
            .map_or(AcceptError::Invalid { pointer: String::new(), detail: "is not valid".to_owned() }, |error| {
                AcceptError::Invalid { pointer: error.pointer, detail: error.detail }
            }),
    }
}

/// Only operations that need a revision name one: the last pending change that raises it, or the server's.
/// A chain of offline edits is thus fixed when it is made.
fn expectation(draft: &Draft, lane: &[OutboxRow], base: &Base) -> Result<Option<Expected>, AcceptError> {
    if draft.payload.operation().policy().concurrency != Concurrency::Revision {
        return Ok(None);
    }
    last_raising(lane)
        .map(Expected::After)
        .or_else(|| base.case.as_ref().map(|case| Expected::Revision(case.revision)))
        .map(Some)
        .ok_or(AcceptError::UnknownCase)
}

/// The last undecided row of the lane, not yet part of the base, that raises the case's revision.
pub(crate) fn last_raising(lane: &[OutboxRow]) -> Option<CommandId> {
    lane.iter().rev().find(|row| row.is_pending() && row.operation.policy().raises_revision).map(|row| row.command_id)
}
