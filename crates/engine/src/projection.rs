//! What a window shows of a case: the server's state with this computer's pending changes drawn over it.
//!
//! The reducer is the domain's own, so what is shown is what the server will make of it if nothing else happens.
//! Drawing the same rows over the same base twice gives the same view, and a pull never makes it jump back: a row
//! is drawn until the base contains its command.

use std::collections::BTreeSet;

use domain::payload::Child;
use domain::{Case, Entity, EntityId, EntityKind, Payload, Subject, apply};

use crate::delivery::{Delivery, KeptReceipt, OutboxRow};
use crate::ports::Base;

/// A case as it is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The case, if it is known at all.
    pub case: Option<Case>,
    /// What belongs to it: the base's, then what pending rows make, oldest first.
    pub children: Vec<ShownChild>,
    /// Names of fields (also `status`, `assignee_id`, `tags`, `archived`) that pending rows set.
    pub pending_fields: BTreeSet<String>,
}

/// Something that belongs to a case, as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownChild {
    /// With pending changes applied.
    pub entity: Entity,
    /// The last pending row of the lane that made or changed it, by its place there; `None` if it is as the server says.
    pub row: Option<usize>,
}

/// Draws `lane` (pending and open rows of one target, in enqueue order) over `base`.
pub fn shown(base: &Base, lane: &[OutboxRow]) -> Shown {
    let children = base.children.iter().map(|entity| ShownChild { entity: entity.clone(), row: None }).collect();
    let mut shown = Shown { case: base.case.clone(), children, pending_fields: BTreeSet::new() };
    for (index, row) in lane.iter().enumerate().filter(|(_, row)| is_drawn(row)) {
        let Some(payload) = payload_of(row) else { continue };
        if base.case.is_some() || !matches!(payload, Payload::CaseCreate(_)) {
            shown.pending_fields.extend(fields_of(&payload));
        }
        shown.draw(index, row, &payload);
    }
    shown
}

impl Shown {
    /// The child of this type and id.
    pub fn child(&self, key: (EntityKind, EntityId)) -> Option<&ShownChild> {
        self.children.iter().find(|child| (child.entity.kind(), child.entity.id()) == key)
    }

    fn draw(&mut self, index: usize, row: &OutboxRow, payload: &Payload) {
        let beside = beside(payload, row.target);
        let held = beside.and_then(|child| {
            let is_it = |held: &ShownChild| (held.entity.kind(), held.entity.id()) == child.key();
            self.children.iter().position(is_it)
        });
        if held.is_some() && matches!(beside, Some(Child::New(..))) {
            // The base has it already, as the server made it.
            return;
        }
        let before = held.map(|place| self.children[place].entity.clone());
        let mut subject = Subject { case: self.case.take(), child: before.clone() };
        apply(payload, row.target, row.actor_id, row.created_at, &mut subject);
        self.case = subject.case;
        let is_changed = subject.child != before;
        let Some(entity) = subject.child.filter(|_| is_changed) else { return };
        let drawn = ShownChild { entity, row: Some(index) };
        match held {
            Some(place) => self.children[place] = drawn,
            None => self.children.push(drawn),
        }
    }
}

/// The entity beside the case that `payload` makes or changes: what it names, or the target that is no case.
pub(crate) fn beside(payload: &Payload, target: EntityId) -> Option<Child> {
    match payload.operation().policy().target {
        EntityKind::Case => payload.child(),
        kind => Some(Child::Existing(kind, target)),
    }
}

/// Only the case of [`shown`].
pub fn shown_case(base: &Base, lane: &[OutboxRow]) -> Option<Case> {
    shown(base, lane).case
}

/// Refused and conflicting changes are not drawn: the screen would claim what the server denied. They keep their
/// text in the row and are shown beside the case with their mark.
pub fn is_drawn(row: &OutboxRow) -> bool {
    row.is_pending() && !matches!(row.delivery, Delivery::Conflict { .. } | Delivery::Rejected { .. })
}

/// The row's payload, read; `None` if its content is lost.
pub fn payload_of(row: &OutboxRow) -> Option<Payload> {
    row.payload.as_ref().and_then(|payload| Payload::read(row.operation, payload).ok())
}

/// Whether `row` makes this entity, and will be drawn doing so.
pub fn makes(row: &OutboxRow, key: (EntityKind, EntityId)) -> bool {
    let made = payload_of(row).and_then(|payload| payload.child());
    is_drawn(row) && made == Some(Child::New(key.0, key.1))
}

fn fields_of(payload: &Payload) -> Vec<String> {
    match payload {
        Payload::CaseEdit(edit) => edit.changes.keys().map(|field| field.name().to_owned()).collect(),
        Payload::CaseTransition(_) => vec!["status".to_owned()],
        Payload::CaseAssign(_) => vec!["assignee_id".to_owned()],
        Payload::TagAdd(_) | Payload::TagRemove(_) => vec!["tags".to_owned()],
        Payload::CaseArchive(_) | Payload::CaseRestore(_) => vec!["archived".to_owned()],
        Payload::CaseCreate(_)
        | Payload::NoteAdd(_)
        | Payload::NoteRedact(_)
        | Payload::TaskAdd(_)
        | Payload::TaskSetDone(_)
        | Payload::TimeLog(_)
        | Payload::InspectionRecord(_)
        | Payload::NoticeIssue(_)
        | Payload::NotificationRead(_) => Vec::new(),
    }
}

/// Whether a feed that was just read to its end, at `head`, contains what `row` did: then the row need not be drawn
/// any more. Asked only at the end of a read: in the middle an entity may still be on a later page, at a newer state.
pub fn is_contained(row: &OutboxRow, head: u64) -> bool {
    let Delivery::Acked { receipt } = &row.delivery else { return false };
    match receipt {
        KeptReceipt::Full { receipt } => receipt.feed_position <= head,
        KeptReceipt::Feed { position } => *position <= head,
        KeptReceipt::Withheld => true,
    }
}
