//! What a person's decision about one row means for the rows behind it in its lane (DESIGN 3).
//!
//! A decided row is never sent again; what comes instead takes its place in the lane. Later rows that named it in
//! `expected.after`, or changed a field from the value it would have given, get successors that follow the decision,
//! or become conflicts if the domain says they no longer apply; what changes a note or a task that is not made any more
//! goes with it; none hangs.

use std::collections::BTreeMap;

use domain::decide::Rule;
use domain::payload::Child;
use domain::registry::Concurrency;
use domain::{Case, CommandId, Expected, Operation, Payload, Timestamp};
use serde_json::json;
use uuid::Uuid;

use crate::accept::{AcceptError, compose, prepare};
use crate::delivery::{ConflictFound, Delivery, OutboxRow, Resolution, ResolutionKind, StateName};
use crate::ports::{Base, Decided, Draft, Owner};
use crate::present::ARCHIVED;
use crate::projection::{payload_of, shown_case};

/// What a decision changes, to be stored in one commit, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// This row is decided.
    Resolve(CommandId, Resolution),
    /// This row comes (its `seq` is the store's to give; its place in the lane is given).
    Insert(Box<OutboxRow>),
}

/// The changes that `decided` about `lane[index]` means. `lane` holds the case's pending and open rows in lane
/// order. `None` if that row cannot be decided now: it is not open, or it is being sent.
///
/// # Errors
/// [`AcceptError`] if the command that shall come instead is none.
pub fn changes(
    lane: &[OutboxRow],
    index: usize,
    decided: &Decided,
    base: &Base,
    owner: &Owner,
    now: Timestamp,
    new_id: &dyn Fn() -> Uuid,
) -> Result<Option<Vec<Change>>, AcceptError> {
    let row = &lane[index];
    if !row.is_open() || matches!(row.delivery.name(), StateName::Claimed | StateName::Sending) {
        return Ok(None);
    }
    let resolution = |kind, successor| Resolution { kind, successor, by: owner.actor_id, at: now };
    let takes_lane = matches!(decided, Decided::Discard) && row.operation == Operation::CaseCreate;
    if takes_lane {
        let rows = lane[index..].iter().filter(|row| row.is_open());
        let discard = |row: &OutboxRow| Change::Resolve(row.command_id, resolution(ResolutionKind::Discarded, None));
        return Ok(Some(rows.map(discard).collect()));
    }

    // The lane as it will be, row by row; what is decided drops out of it.
    let mut ahead: Vec<OutboxRow> = lane[..index].to_vec();
    let mut changes = Vec::new();
    let kind = if matches!(decided, Decided::Discard) { ResolutionKind::Discarded } else { ResolutionKind::Superseded };
    let mut instead: BTreeMap<CommandId, Option<CommandId>> = BTreeMap::new();
    if let Decided::Supersede(draft) = decided {
        let mut successor = prepare(draft, owner, &ahead, base)?;
        successor.place = row.place;
        changes.push(Change::Resolve(row.command_id, resolution(kind, Some(successor.command_id))));
        instead.insert(row.command_id, Some(successor.command_id));
        ahead.push(successor.clone());
        changes.push(Change::Insert(Box::new(successor)));
    } else {
        changes.push(Change::Resolve(row.command_id, resolution(kind, None)));
        instead.insert(row.command_id, None);
    }
    for later in &lane[index + 1..] {
        if is_gone_with(later, row) && !matches!(decided, Decided::Supersede(_)) {
            changes.push(Change::Resolve(later.command_id, resolution(ResolutionKind::Discarded, None)));
            continue;
        }
        let names_decided = matches!(later.expected, Some(Expected::After(id)) if instead.contains_key(&id));
        let following = following(later, row, decided);
        // What cannot be read back cannot be said again; it stays where a person sees it.
        let again = if names_decided && following.is_none() { payload_of(later) } else { following };
        let Some(payload) = again.filter(|_| later.is_open()) else {
            ahead.push(later.clone());
            continue;
        };
        let successor = rebase(later, payload, &ahead, base, owner, now, new_id);
        changes
            .push(Change::Resolve(later.command_id, resolution(ResolutionKind::Rebased, Some(successor.command_id))));
        instead.insert(later.command_id, Some(successor.command_id));
        ahead.push(successor.clone());
        changes.push(Change::Insert(Box::new(successor)));
    }
    Ok(Some(changes))
}

/// Whether `later` changes what `row` was to make, which is nowhere then.
fn is_gone_with(later: &OutboxRow, row: &OutboxRow) -> bool {
    let made = payload_of(row).and_then(|payload| payload.child());
    let changed = payload_of(later).and_then(|payload| payload.child());
    match (made, changed) {
        (Some(Child::New(kind, id)), Some(Child::Existing(other, changed))) => {
            later.is_open() && (kind, id) == (other, changed)
        }
        _ => false,
    }
}

/// The later edit as it must be where the decision gives a field another value than the decided change would have:
/// the officer went on from his own value, and still does. `None` if nothing of it is different.
fn following(later: &OutboxRow, row: &OutboxRow, decided: &Decided) -> Option<Payload> {
    let Decided::Supersede(draft) = decided else { return None };
    let (Payload::CaseEdit(given_up), Payload::CaseEdit(instead)) = (payload_of(row)?, &draft.payload) else {
        return None;
    };
    let Payload::CaseEdit(mut edit) = payload_of(later)? else { return None };
    let mut is_different = false;
    for (field, change) in &mut edit.changes {
        let (Some(before), Some(now)) = (given_up.changes.get(field), instead.changes.get(field)) else { continue };
        if change.from == before.to && change.from != now.to {
            change.from = now.to.clone();
            is_different = true;
        }
    }
    is_different.then_some(Payload::CaseEdit(edit))
}

/// The same intent once more, behind what is ahead of it now.
fn rebase(
    row: &OutboxRow,
    payload: Payload,
    ahead: &[OutboxRow],
    base: &Base,
    owner: &Owner,
    now: Timestamp,
    new_id: &dyn Fn() -> Uuid,
) -> OutboxRow {
    let draft = Draft {
        intent_id: new_id(),
        command_id: CommandId(new_id()),
        payload,
        target: row.target,
        session_version: row.session_version,
        issued_at: row.issued_at,
    };
    let mut successor = prepare(&draft, owner, ahead, base).unwrap_or_else(|error| {
        let expected = needs_revision(&draft.payload)
            .then(|| base.case.as_ref().map(|case| Expected::Revision(case.revision)))
            .flatten();
        let mut conflicting = compose(&draft, owner, expected, row.seen.clone());
        conflicting.delivery =
            Delivery::Conflict { conflict: no_longer_applies(&error, shown_case(base, ahead).as_ref()) };
        conflicting
    });
    successor.place = row.place;
    successor.created_at = now;
    successor.updated_at = now;
    successor
}

/// The conflict of a change that the rules refuse on what it meets now.
fn no_longer_applies(error: &AcceptError, theirs: Option<&Case>) -> ConflictFound {
    let is_about_archive = matches!(error, AcceptError::Archived | AcceptError::Rule(Rule::NotArchived));
    let field = if is_about_archive { ARCHIVED } else { "status" };
    let held = |case: &Case| if is_about_archive { json!(case.archived) } else { json!(case.status) };
    ConflictFound {
        current_revision: theirs.map(|case| case.revision.0),
        current: theirs.map_or(json!({}), |case| json!({ field: held(case) })),
        conflicting_fields: vec![field.to_owned()],
    }
}

fn needs_revision(payload: &Payload) -> bool {
    payload.operation().policy().concurrency == Concurrency::Revision
}
