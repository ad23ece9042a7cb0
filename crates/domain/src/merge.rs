//! Three-way comparison: which fields of a case moved under a command, and what each side says.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::case::Case;
use crate::field::FieldValue;
use crate::payload::Payload;

/// One field of a conflict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FieldConflict {
    /// The field's name, or `status`, or `assignee_id`.
    pub field: String,
    /// What the actor saw; `None` where that was not kept.
    pub base: FieldValue,
    /// What the actor wants.
    pub mine: FieldValue,
    /// What the server holds.
    pub theirs: FieldValue,
    /// Whether the server's value is neither what the actor saw nor what the actor wants.
    pub moved: bool,
}

/// The fields `payload` touches, with what the actor saw and wants, as (field, base, mine).
/// A status change does not carry what the actor saw; `seen` says it.
pub fn touched_fields(payload: &Payload, seen: Option<&Case>) -> Vec<(String, FieldValue, FieldValue)> {
    let actor = |id: Option<crate::ids::ActorId>| id.map_or(FieldValue::Empty, |id| FieldValue::Text(id.to_string()));
    match payload {
        Payload::CaseEdit(edit) => edit
            .changes
            .iter()
            .map(|(field, change)| (field.name().to_owned(), change.from.clone(), change.to.clone()))
            .collect(),
        Payload::CaseAssign(assign) => vec![("assignee_id".to_owned(), actor(assign.from), actor(assign.to))],
        Payload::CaseTransition(transition) => vec![(
            "status".to_owned(),
            seen.map_or(FieldValue::Empty, |case| FieldValue::text(case.status.name())),
            FieldValue::text(transition.to.name()),
        )],
        Payload::CaseCreate(_)
        | Payload::CaseArchive(_)
        | Payload::CaseRestore(_)
        | Payload::TagAdd(_)
        | Payload::TagRemove(_)
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

/// What `case` holds in the field of this name (see [`touched_fields`]).
pub fn held(case: &Case, field: &str) -> FieldValue {
    match field {
        "status" => FieldValue::text(case.status.name()),
        "assignee_id" => case.assignee_id.map_or(FieldValue::Empty, |id| FieldValue::Text(id.to_string())),
        _ => crate::field::CaseField::named(field).map_or(FieldValue::Empty, |field| field.get(case)),
    }
}

/// The names of the fields whose value in `case` is neither what the actor saw nor what the actor wants.
pub fn moved_fields(case: &Case, payload: &Payload) -> Vec<String> {
    let mut moved = Vec::new();
    for (field, base, mine) in touched_fields(payload, None) {
        let now = held(case, &field);
        if now != base && now != mine {
            moved.push(field);
        }
    }
    moved
}

/// The conflict field by field. `theirs` is what the server said of each, by name; a field it did not
/// mention holds what `base` says.
pub fn compare(payload: &Payload, seen: Option<&Case>, theirs: &Value) -> Vec<FieldConflict> {
    touched_fields(payload, seen)
        .into_iter()
        .map(|(field, base, mine)| {
            let theirs = theirs.get(&field).and_then(FieldValue::read).unwrap_or_else(|| base.clone());
            let moved = theirs != base && theirs != mine;
            FieldConflict { field, base, mine, theirs, moved }
        })
        .collect()
}
