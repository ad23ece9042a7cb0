//! The other side of a conflict, as the case's timeline tells it: who changed the fields, when, and what had been there.

use domain::merge::{FieldConflict, compare, touched_fields};
use domain::{Activity, ActorId, FieldValue, Operation, Payload, Timestamp};

use super::newest_first;
use crate::delivery::{Delivery, OutboxRow};
use crate::projection::payload_of;

/// What the timeline says about a conflict.
pub(super) struct Theirs {
    /// Who changed one of its fields last without the actor having seen it, and when. `None` if the feed has not said so.
    pub last: Option<(ActorId, Timestamp)>,
    /// When the case had last changed as the actor saw it.
    pub seen_at: Option<Timestamp>,
}

/// The other side of `row`'s conflict; `None` for a row that is not in conflict, or whose content is lost.
pub(super) fn theirs(row: &OutboxRow, timeline: &[Activity]) -> Option<Theirs> {
    let Delivery::Conflict { conflict } = &row.delivery else { return None };
    let fields = compare(&payload_of(row)?, row.seen.as_ref(), &conflict.current);
    let mut newest: Vec<&Activity> = timeline.iter().collect();
    newest_first(&mut newest, |activity| (activity.created_at, activity.id.0));
    let unseen: Vec<usize> =
        fields.iter().filter(|field| field.moved).flat_map(|field| unseen(field, &newest)).collect();
    let after_seen = unseen.iter().max().map_or(0, |oldest| oldest + 1);
    Some(Theirs {
        last: unseen.iter().min().map(|&index| (newest[index].created_by, newest[index].created_at)),
        seen_at: newest.get(after_seen).map(|activity| activity.created_at),
    })
}

/// Which of `newest` moved `field` away from what the actor saw: back to the one that had set that, which was seen.
fn unseen(field: &FieldConflict, newest: &[&Activity]) -> Vec<usize> {
    let settings = newest.iter().enumerate().filter_map(|(index, activity)| Some((index, set_to(activity, field)?)));
    settings.take_while(|(_, value)| *value != field.base).map(|(index, _)| index).collect()
}

/// What `activity` made of `field`, if anything. A case that was just opened holds what was seen, if nothing came since.
fn set_to(activity: &Activity, field: &FieldConflict) -> Option<FieldValue> {
    if activity.operation == Operation::CaseCreate {
        return Some(field.base.clone());
    }
    let payload = Payload::read(activity.operation, &activity.payload).ok()?;
    touched_fields(&payload, None).into_iter().find(|(name, _, _)| *name == field.field).map(|(_, _, to)| to)
}
