//! From a person's decision about a conflict to the change that is sent instead.

use domain::merge::held;
use domain::payload::{CaseAssign, CaseCreate, CaseEdit, CaseTransition};
use domain::{ActorId, Case, CaseField, Change, FieldValue, Payload, Status};

use crate::delivery::{Delivery, OutboxRow};
use crate::ports::Base;
use crate::projection::payload_of;
use crate::view::{ConflictDecision, Side};

/// What is sent instead of `row`; `None` if the decision asks for nothing that the server does not hold already.
/// Its from-values are the server's current ones, as far as this computer knows them.
///
/// # Errors
/// For a person: the decision does not fit the change.
pub fn decided_payload(row: &OutboxRow, decision: &ConflictDecision, base: &Base) -> Result<Option<Payload>, String> {
    if matches!(decision, ConflictDecision::Keep { side: Side::Theirs }) {
        return Ok(None);
    }
    let payload = payload_of(row).ok_or("the content of this change could not be read")?;
    let theirs = |field: &str| their_value(row, base, field);
    match payload {
        Payload::CaseEdit(edit) => edited(&edit, decision, &theirs),
        Payload::CaseTransition(transition) => moved(transition, decision, &theirs),
        Payload::CaseAssign(assign) => assigned(&assign, decision, &theirs),
        Payload::CaseCreate(create) => recreated(create, decision),
        other => again(other, row, decision, base),
    }
}

/// The case as the feed said, if that is not older than the conflict.
pub(crate) fn newest_case<'a>(row: &OutboxRow, base: &'a Base) -> Option<&'a Case> {
    let needed = match &row.delivery {
        Delivery::Conflict { conflict } => conflict.current_revision.unwrap_or(0),
        _ => 0,
    };
    base.case.as_ref().filter(|case| case.revision.0 >= needed)
}

/// What the server holds: the feed's state if it is not older than the conflict, else what the conflict said.
fn their_value(row: &OutboxRow, base: &Base, field: &str) -> FieldValue {
    let said = match &row.delivery {
        Delivery::Conflict { conflict } => Some(conflict),
        _ => None,
    };
    if let Some(case) = newest_case(row, base) {
        return held(case, field);
    }
    let from_conflict = said.and_then(|conflict| conflict.current.get(field)).and_then(FieldValue::read);
    let known = base.case.as_ref().or(row.seen.as_ref());
    from_conflict.unwrap_or_else(|| known.map_or(FieldValue::Empty, |case| held(case, field)))
}

/// What the decision names for `field`.
fn named<'a>(decision: &'a ConflictDecision, field: &str) -> Option<&'a FieldValue> {
    match decision {
        ConflictDecision::Fields { values } => values.get(field),
        ConflictDecision::Keep { .. } => None,
    }
}

fn names(decision: &ConflictDecision) -> Vec<&str> {
    match decision {
        ConflictDecision::Fields { values } => values.keys().map(String::as_str).collect(),
        ConflictDecision::Keep { .. } => Vec::new(),
    }
}

fn edited(
    edit: &CaseEdit,
    decision: &ConflictDecision,
    theirs: &dyn Fn(&str) -> FieldValue,
) -> Result<Option<Payload>, String> {
    let mut fields: Vec<CaseField> = edit.changes.keys().copied().collect();
    for name in names(decision) {
        let field = CaseField::named(name).ok_or_else(|| format!("{name} is not a field of this change"))?;
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let keeps_mine = matches!(decision, ConflictDecision::Keep { side: Side::Mine });
    let mut edited = CaseEdit { changes: std::collections::BTreeMap::new() };
    for field in fields {
        let from = theirs(field.name());
        let mine = edit.changes.get(&field);
        let stays_mine = mine.filter(|change| keeps_mine || from == change.from || from == change.to);
        let to = named(decision, field.name()).cloned();
        let to = to.or_else(|| stays_mine.map(|change| change.to.clone())).unwrap_or_else(|| from.clone());
        if to != from {
            edited.changes.insert(field, Change { from, to });
        }
    }
    Ok((!edited.changes.is_empty()).then_some(Payload::CaseEdit(edited)))
}

fn moved(
    transition: CaseTransition,
    decision: &ConflictDecision,
    theirs: &dyn Fn(&str) -> FieldValue,
) -> Result<Option<Payload>, String> {
    only(decision, "status")?;
    let to = match named(decision, "status") {
        Some(FieldValue::Text(name)) => Status::named(name).ok_or_else(|| format!("{name} is not a status"))?,
        Some(_) => return Err("a case always has a status".to_owned()),
        None => transition.to,
    };
    let is_there = theirs("status") == FieldValue::text(to.name());
    Ok((!is_there).then_some(Payload::CaseTransition(CaseTransition { to, ..transition })))
}

fn assigned(
    assign: &CaseAssign,
    decision: &ConflictDecision,
    theirs: &dyn Fn(&str) -> FieldValue,
) -> Result<Option<Payload>, String> {
    only(decision, "assignee_id")?;
    let to = match named(decision, "assignee_id") {
        Some(value) => actor(value)?,
        None => assign.to,
    };
    let from = actor(&theirs("assignee_id"))?;
    Ok((from != to).then_some(Payload::CaseAssign(CaseAssign { from, to })))
}

fn recreated(mut create: CaseCreate, decision: &ConflictDecision) -> Result<Option<Payload>, String> {
    for name in names(decision) {
        let field = CaseField::named(name).ok_or_else(|| format!("{name} is not a field of a case"))?;
        create.fields.insert(field, named(decision, name).cloned().unwrap_or(FieldValue::Empty));
    }
    create.fields.retain(|_, value| *value != FieldValue::Empty);
    Ok(Some(Payload::CaseCreate(create)))
}

/// The same once more: it changes no field, so there is nothing to decide about but whether it is still wanted.
fn again(
    payload: Payload,
    row: &OutboxRow,
    decision: &ConflictDecision,
    base: &Base,
) -> Result<Option<Payload>, String> {
    if let Some(name) = names(decision).first() {
        return Err(format!("{name} is not a field of this change"));
    }
    let is_archived = newest_case(row, base).map(|case| case.archived);
    let is_so_already = match payload {
        Payload::CaseArchive(_) => is_archived == Some(true),
        Payload::CaseRestore(_) => is_archived == Some(false),
        _ => false,
    };
    Ok((!is_so_already).then_some(payload))
}

fn only(decision: &ConflictDecision, field: &str) -> Result<(), String> {
    match names(decision).into_iter().find(|name| *name != field) {
        Some(name) => Err(format!("{name} is not a field of this change")),
        None => Ok(()),
    }
}

fn actor(value: &FieldValue) -> Result<Option<ActorId>, String> {
    match value {
        FieldValue::Empty => Ok(None),
        FieldValue::Text(id) => id.parse().map(Some).map_err(|_| format!("{id} is not a person's id")),
        FieldValue::Number(_) => Err("a person's id is a text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use domain::payload::Reason;

    use super::*;
    use crate::accept::compose;
    use crate::delivery::ConflictFound;
    use crate::ports::Owner;
    use crate::testing::build::{ACTOR, COLLEAGUE, TENANT, a_case, assign, case_id, draft, edit, transition};

    fn conflicting(payload: Payload, current: serde_json::Value) -> OutboxRow {
        let owner = Owner { epoch: 1, tenant_id: TENANT, actor_id: ACTOR };
        let mut row = compose(&draft(1, case_id(1), payload), &owner, None, Some(a_case(1, "Seen")));
        let conflicting_fields = current.as_object().unwrap().keys().cloned().collect();
        row.delivery =
            Delivery::Conflict { conflict: ConflictFound { current_revision: Some(3), current, conflicting_fields } };
        row
    }

    fn keep(side: Side) -> ConflictDecision {
        ConflictDecision::Keep { side }
    }

    fn fields(values: &[(&str, &str)]) -> ConflictDecision {
        let values = values.iter().map(|(name, text)| ((*name).to_owned(), FieldValue::text(text)));
        ConflictDecision::Fields { values: values.collect() }
    }

    fn base_at(revision: u32, title: &str) -> Base {
        let mut case = a_case(1, title);
        case.revision = domain::Revision(revision);
        Base { case: Some(case), ..Base::default() }
    }

    /// CASES F10: one side, field by field, or typed anew; always from what the server holds now.
    #[test]
    fn an_edit_is_decided_field_by_field() {
        let mine = edit(CaseField::Title, "Seen", "Mine");
        let row = conflicting(mine, serde_json::json!({"title": "Theirs"}));
        let base = base_at(1, "Seen");
        let decided = |decision| decided_payload(&row, &decision, &base).unwrap();
        assert_eq!(decided(keep(Side::Theirs)), None);
        assert_eq!(decided(keep(Side::Mine)), Some(edit(CaseField::Title, "Theirs", "Mine")));
        assert_eq!(decided(fields(&[("title", "Both")])), Some(edit(CaseField::Title, "Theirs", "Both")));
        assert_eq!(decided(fields(&[("title", "Theirs")])), None);
        assert_eq!(decided(fields(&[])), None, "what others changed and nobody named stays theirs");
        assert_eq!(decided(fields(&[("address", "3 Mill Lane")])), Some(edit(CaseField::Address, "", "3 Mill Lane")));
        assert!(decided_payload(&row, &fields(&[("status", "open")]), &base).is_err());
        let newer = decided_payload(&row, &keep(Side::Mine), &base_at(4, "Newer still")).unwrap();
        assert_eq!(newer, Some(edit(CaseField::Title, "Newer still", "Mine")));
    }

    /// What changes no field is sent again as it is, unless it is so at the server already.
    #[test]
    fn archiving_and_restoring_are_meant_or_not() {
        let reason = || Reason { reason: "settled".to_owned() };
        let (archive, restore) = (Payload::CaseArchive(reason()), Payload::CaseRestore(reason()));
        let mut archived = base_at(3, "Seen");
        archived.case.as_mut().unwrap().archived = true;
        for (payload, base, sent) in [
            (&archive, base_at(3, "Seen"), Some(&archive)),
            (&archive, archived.clone(), None),
            (&restore, archived, Some(&restore)),
            (&restore, base_at(3, "Seen"), None),
            (&restore, base_at(2, "Seen"), Some(&restore)),
        ] {
            let row = conflicting(payload.clone(), serde_json::json!({}));
            assert_eq!(decided_payload(&row, &keep(Side::Mine), &base).unwrap().as_ref(), sent);
            assert_eq!(decided_payload(&row, &keep(Side::Theirs), &base), Ok(None));
            assert!(decided_payload(&row, &fields(&[("title", "x")]), &base).is_err());
        }
    }

    #[test]
    fn a_status_and_an_assignee_are_one_field_each() {
        let row = conflicting(transition(Status::UnderReview), serde_json::json!({"status": "withdrawn"}));
        let base = base_at(1, "Seen");
        let decided = |decision| decided_payload(&row, &decision, &base);
        assert_eq!(decided(keep(Side::Mine)), Ok(Some(transition(Status::UnderReview))));
        assert_eq!(decided(fields(&[("status", "withdrawn")])), Ok(None));
        assert!(decided(fields(&[("status", "nowhere")])).is_err());
        let row = conflicting(assign(None, Some(ACTOR)), serde_json::json!({"assignee_id": COLLEAGUE}));
        let decided = decided_payload(&row, &keep(Side::Mine), &base).unwrap();
        assert_eq!(decided, Some(assign(Some(COLLEAGUE), Some(ACTOR))));
    }
}
