//! The payload of each operation, and one example of each. There is no default: a new operation does not compile
//! until it is described.

use domain::inspection::{Outcome, Severity};
use domain::{CaseField, Operation, Priority, Status};
use serde_json::{Value, json};
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};

use super::shape::{
    Member, any_of, closed, date, id, list, moment, named, new_id, no_or_date, no_or_number, no_or_text, no_or_words,
    one_of, only, optional, or_null, required, slug, truth, whole, words, words_up_to,
};

/// The largest number that every JSON reader keeps exact.
const NUMBER_MAX: f64 = 9_007_199_254_740_991.0;

/// The payload's schema.
pub(super) fn schema(operation: Operation) -> Schema {
    let described = |members| closed(&format!("The payload of `{}`.", operation.name()), members);
    match operation {
        Operation::CaseCreate => described(case_create()),
        Operation::CaseEdit => described(vec![required("changes", changes())]),
        Operation::CaseTransition => described(vec![
            required("to", one_of(Status::ALL.map(Status::name))),
            required("reason_code", slug()),
            optional("comment", no_or_words()),
        ]),
        Operation::CaseAssign => described(vec![optional("from", no_or_actor()), optional("to", no_or_actor())]),
        Operation::CaseArchive | Operation::CaseRestore => described(vec![required("reason", words())]),
        Operation::TagAdd | Operation::TagRemove => described(vec![required("tag", words_up_to(60))]),
        Operation::NoteAdd => described(vec![required("note_id", new_id()), required("text", words())]),
        Operation::NoteRedact => described(vec![required("note_id", id()), required("reason", words())]),
        Operation::TaskAdd => {
            described(vec![required("task_id", new_id()), required("title", words()), optional("due_on", no_or_date())])
        }
        Operation::TaskSetDone => described(vec![required("task_id", id()), required("done", truth())]),
        Operation::TimeLog => described(vec![
            required("entry_id", new_id()),
            required("minutes", whole(1, 1440)),
            required("worked_on", date()),
            optional("note", no_or_words()),
        ]),
        Operation::InspectionRecord => described(vec![
            required("inspection_id", new_id()),
            required("kind", slug()),
            required("inspected_on", date()),
            required("outcome", one_of(Outcome::ALL.map(Outcome::name))),
            optional("findings", or_null(list(named("Finding"), Some(500)))),
        ]),
        Operation::NoticeIssue => described(vec![
            required("notice_id", new_id()),
            required("kind", slug()),
            required("recipient", words()),
            required("body", words()),
        ]),
        Operation::NotificationRead => {
            described(vec![required("notification_id", id()), required("read_at", moment())])
        }
    }
}

/// A finding of an inspection, as it is sent.
pub(super) fn finding() -> Schema {
    closed(
        "One thing found.",
        vec![
            optional("code", no_or_words()),
            required("text", words()),
            required("severity", one_of(Severity::ALL.map(Severity::name))),
            optional("corrective_action", no_or_words()),
        ],
    )
}

fn no_or_actor() -> Schema {
    any_of([or_null(id()).into(), only("").into()])
}

fn case_create() -> Vec<Member> {
    let field = |field: CaseField| {
        let name = field.name();
        if field.is_required() { required(name, to_be(field)) } else { optional(name, to_be(field)) }
    };
    let status = any_of([or_null(one_of([Status::Draft.name(), Status::Open.name()])).into(), only("").into()]);
    let mut members: Vec<Member> = CaseField::ALL.into_iter().map(field).collect();
    members.extend([optional("status", status), optional("external_id", no_or_words())]);
    members
}

/// What a field may be set to.
fn to_be(field: CaseField) -> Schema {
    match field {
        CaseField::Title => words(),
        CaseField::Kind => slug(),
        CaseField::Priority => one_of(Priority::ALL.map(Priority::name)),
        CaseField::Description | CaseField::Address | CaseField::District => no_or_words(),
        CaseField::Latitude => no_or_number(90.0),
        CaseField::Longitude => no_or_number(180.0),
        CaseField::DueOn => no_or_date(),
    }
}

/// `{field: {from, to}}`; what the actor saw may be older than today's rules, so only its type counts.
fn changes() -> Schema {
    let object = ObjectBuilder::new().schema_type(Type::Object).min_properties(Some(1));
    let object = CaseField::ALL.into_iter().fold(object, |object, field| {
        let from = if field.is_number() { no_or_number(NUMBER_MAX) } else { no_or_text() };
        let to = to_be(field);
        let to = if field.is_required() { required("to", to) } else { optional("to", to) };
        object.property(field.name(), closed("What it held, and what it shall hold.", vec![optional("from", from), to]))
    });
    object.additional_properties(Some(AdditionalProperties::FreeForm(false))).into()
}

/// The id that stands for what a payload names in the examples.
const NAMED: &str = "0197f3c2-5a10-7000-8000-0000000000c3";

/// An example.
pub(super) fn example(operation: Operation) -> Value {
    match operation {
        Operation::CaseCreate => json!({
            "title": "Blocked fire exit", "kind": "complaint", "priority": "high", "status": "open",
            "address": "12 Quay Street", "district": "Harbor", "latitude": 53.35, "longitude": -6.26,
            "due_on": "2026-12-14", "description": "Pallets in front of the rear door.",
        }),
        Operation::CaseEdit => json!({ "changes": {
            "priority": { "from": "high", "to": "urgent" }, "due_on": { "from": "2026-12-14", "to": null },
        } }),
        Operation::CaseTransition => json!({ "to": "under_review", "reason_code": "evidence_complete" }),
        Operation::CaseAssign => json!({ "from": null, "to": NAMED }),
        Operation::CaseArchive => json!({ "reason": "Opened twice." }),
        Operation::CaseRestore => json!({ "reason": "It was the other one." }),
        Operation::TagAdd | Operation::TagRemove => json!({ "tag": "fire" }),
        Operation::NoteAdd => json!({ "note_id": NAMED, "text": "The manager was told on site." }),
        Operation::NoteRedact => json!({ "note_id": NAMED, "reason": "It names a child." }),
        Operation::TaskAdd => json!({ "task_id": NAMED, "title": "Call the owner", "due_on": "2026-12-01" }),
        Operation::TaskSetDone => json!({ "task_id": NAMED, "done": true }),
        Operation::TimeLog => {
            json!({ "entry_id": NAMED, "minutes": 90, "worked_on": "2026-11-30", "note": "On site." })
        }
        Operation::InspectionRecord => json!({
            "inspection_id": NAMED, "kind": "follow_up", "inspected_on": "2026-11-30", "outcome": "fail",
            "findings": [{ "code": "F-12", "text": "The rear exit is locked.", "severity": "critical",
                           "corrective_action": "Unlock it during opening hours." }],
        }),
        Operation::NoticeIssue => json!({
            "notice_id": NAMED, "kind": "order", "recipient": "Harbor Cafe Ltd", "body": "Keep the rear exit open.",
        }),
        Operation::NotificationRead => json!({ "notification_id": NAMED, "read_at": "2026-11-30T09:15:00.000Z" }),
    }
}
