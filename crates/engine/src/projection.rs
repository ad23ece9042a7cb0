//! What a window shows of a case: the server's state with this computer's pending changes drawn over it.
//!
//! The reducer is the domain's own, so what is shown is what the server will make of it if nothing else happens.
//! Drawing the same rows over the same base twice gives the same view, and a pull never makes it jump back: a row
//! is drawn until the base contains its command.

use std::collections::BTreeSet;

use domain::{Case, Entity, Note, Payload, Subject, apply};

use crate::delivery::{Delivery, KeptReceipt, OutboxRow};
use crate::ports::Base;

/// A case as it is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The case, if it is known at all.
    pub case: Option<Case>,
    /// Notes of pending rows, oldest first; those the base has already are not repeated.
    pub pending_notes: Vec<(usize, Note)>,
    /// Names of fields (also `status`, `assignee_id`, `tags`) that pending rows set.
    pub pending_fields: BTreeSet<String>,
}

/// Draws `lane` (one case's pending and open rows, in enqueue order) over `base`.
pub fn shown(base: &Base, lane: &[OutboxRow]) -> Shown {
    let mut shown = Shown { case: base.case.clone(), ..Shown::default() };
    for (index, row) in lane.iter().enumerate().filter(|(_, row)| is_drawn(row)) {
        let Some(payload) = payload_of(row) else { continue };
        let mut subject = Subject { case: shown.case.take(), child: None };
        apply(&payload, row.target, row.actor_id, row.created_at, &mut subject);
        shown.case = subject.case;
        let note = match subject.child {
            Some(Entity::Note(note)) => Some(note),
            _ => None,
        };
        if let Some(note) = note.filter(|note| base.notes.iter().all(|held| held.id != note.id)) {
            shown.pending_notes.push((index, note));
        }
        if base.case.is_some() || !matches!(payload, Payload::CaseCreate(_)) {
            shown.pending_fields.extend(fields_of(&payload));
        }
    }
    shown
}

/// Only the case of [`shown`].
pub fn shown_case(base: &Base, lane: &[OutboxRow]) -> Option<Case> {
    shown(base, lane).case
}

/// Refused and conflicting changes are not drawn: the screen would claim what the server denied. They keep their
/// text in the row and are shown beside the case with their mark.
fn is_drawn(row: &OutboxRow) -> bool {
    row.is_pending() && !matches!(row.delivery, Delivery::Conflict { .. } | Delivery::Rejected { .. })
}

/// The row's payload, read; `None` if its content is lost.
pub fn payload_of(row: &OutboxRow) -> Option<Payload> {
    row.payload.as_ref().and_then(|payload| Payload::read(row.operation, payload).ok())
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
