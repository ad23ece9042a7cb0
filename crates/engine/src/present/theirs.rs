//! The other side of a conflict: what moved, and, as the case's timeline tells it, who changed it and when.

use domain::merge::{FieldConflict, compare, held, touched_fields};
use domain::{Activity, ActorId, Case, CaseField, FieldValue, Operation, Payload, Timestamp};

use super::newest_first;
use crate::decision::newest_case;
use crate::delivery::{Delivery, OutboxRow};
use crate::ports::Base;
use crate::projection::payload_of;

/// The name, in a conflict, of whether the case is archived; its values there are `yes` and `no`.
pub const ARCHIVED: &str = "archived";

/// What the timeline says about a conflict.
pub(super) struct Theirs {
    /// Who changed one of its fields last without the actor having seen it, and when. `None` if the feed has not said so.
    pub last: Option<(ActorId, Timestamp)>,
    /// When the case had last changed as the actor saw it.
    pub seen_at: Option<Timestamp>,
}

/// The other side of `row`'s conflict; `None` for a row that is not in conflict, or whose content is lost.
pub(super) fn theirs(row: &OutboxRow, base: &Base) -> Option<Theirs> {
    let fields = fields_in_conflict(row, base)?;
    let mut newest: Vec<&Activity> = base.timeline.iter().collect();
    newest_first(&mut newest, |activity| (activity.created_at, activity.id.0));
    let unseen: Vec<usize> =
        fields.iter().filter(|field| field.moved).flat_map(|field| unseen(field, &newest)).collect();
    let after_seen = unseen.iter().max().map_or(0, |oldest| oldest + 1);
    Some(Theirs {
        last: unseen.iter().min().map(|&index| (newest[index].created_by, newest[index].created_at)),
        seen_at: newest.get(after_seen).map(|activity| activity.created_at),
    })
}

/// The fields of `row`'s conflict; `None` as for [`theirs`]. A change that sets no field but needs the case as it was
/// seen is in conflict with whatever moved, as far as the feed has said it.
pub(super) fn fields_in_conflict(row: &OutboxRow, base: &Base) -> Option<Vec<FieldConflict>> {
    let Delivery::Conflict { conflict } = &row.delivery else { return None };
    let payload = payload_of(row)?;
    let mut fields = compare(&payload, row.seen.as_ref(), &conflict.current);
    let newest = newest_case(row, base);
    if let (true, Some(seen), Some(theirs)) = (fields.is_empty(), &row.seen, newest) {
        fields = moved_since(seen, theirs);
    }
    let archived = row.seen.as_ref().zip(newest).and_then(|(seen, theirs)| archived(&payload, seen, theirs));
    fields.extend(archived);
    Some(fields)
}

/// Each field in which the two differ.
fn moved_since(seen: &Case, theirs: &Case) -> Vec<FieldConflict> {
    let names = CaseField::ALL.iter().map(|field| field.name()).chain(["status", "assignee_id"]);
    let moved = names.filter_map(|name| {
        let (base, theirs) = (held(seen, name), held(theirs, name));
        let moved = base != theirs;
        moved.then(|| FieldConflict { field: name.to_owned(), mine: base.clone(), base, theirs, moved })
    });
    moved.collect()
}

/// Whether the case is archived, if anybody changed that.
fn archived(payload: &Payload, seen: &Case, theirs: &Case) -> Option<FieldConflict> {
    let mine = match payload {
        Payload::CaseArchive(_) => true,
        Payload::CaseRestore(_) => false,
        _ => seen.archived,
    };
    if seen.archived == mine && seen.archived == theirs.archived {
        return None;
    }
    let moved = theirs.archived != seen.archived && theirs.archived != mine;
    let [base, mine, theirs] = [seen.archived, mine, theirs.archived].map(yes_or_no);
    Some(FieldConflict { field: ARCHIVED.to_owned(), base, mine, theirs, moved })
}

fn yes_or_no(is_so: bool) -> FieldValue {
    FieldValue::text(if is_so { "yes" } else { "no" })
}

/// Which of `newest` moved `field` away from what the actor saw: back to the one that had set that, which was seen.
fn unseen(field: &FieldConflict, newest: &[&Activity]) -> Vec<usize> {
    let settings = newest.iter().enumerate().filter_map(|(index, activity)| Some((index, set_to(activity, field)?)));
    settings.take_while(|(_, value)| *value != field.base).map(|(index, _)| index).collect()
}

/// What `activity` made of `field`, if anything. A case that was just opened holds what was seen, if nothing came since.
fn set_to(activity: &Activity, field: &FieldConflict) -> Option<FieldValue> {
    match activity.operation {
        Operation::CaseCreate => return Some(field.base.clone()),
        Operation::CaseArchive | Operation::CaseRestore => {
            return (field.field == ARCHIVED).then(|| yes_or_no(activity.operation == Operation::CaseArchive));
        }
        _ => {}
    }
    let payload = Payload::read(activity.operation, &activity.payload).ok()?;
    touched_fields(&payload, None).into_iter().find(|(name, _, _)| *name == field.field).map(|(_, _, to)| to)
}
