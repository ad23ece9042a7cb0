//! Every operation through the one decision: what it makes, what it refuses, and what a second time comes to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;

use onceover_domain::decide::{Refusal, Rule};
use onceover_domain::payload::{Child, Payload};
use onceover_domain::registry::Concurrency;
use onceover_domain::{
    ActorId, Case, Command, CommandId, Decision, Entity, EntityId, EntityKind, Expected, Loaded, Operation, Revision,
    Subject, Timestamp, apply, decide,
};
use serde_json::{Value, json};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_796_000_000_000);

fn id(number: u8) -> Uuid {
    format!("0197f3c2-5a10-7000-8000-0000000000{number:02x}").parse().unwrap()
}

fn command(payload: Payload) -> Command {
    let target = if payload.operation() == Operation::NotificationRead { id(9) } else { id(1) };
    Command {
        id: CommandId(id(9)),
        actor: ActorId(id(2)),
        target: EntityId(target),
        expected: None,
        payload,
        issued_at: NOW,
    }
}

fn case() -> Case {
    let create = json!({"title": "t", "kind": "other", "priority": "low", "status": "open"});
    let mut subject = Subject::default();
    let payload = Payload::read(Operation::CaseCreate, &create).unwrap();
    apply(&payload, EntityId(id(1)), ActorId(id(2)), NOW, &mut subject);
    Case { revision: Revision(7), ..subject.case.unwrap() }
}

/// A payload of each operation that fits [`case`].
fn example(operation: Operation) -> Value {
    match operation {
        Operation::CaseCreate => json!({"title": "t", "kind": "other", "priority": "low"}),
        Operation::CaseEdit => json!({"changes": {"title": {"from": "t", "to": "u"}}}),
        Operation::CaseTransition => json!({"to": "under_review", "reason_code": "visit"}),
        Operation::CaseAssign => json!({"from": null, "to": id(3)}),
        Operation::CaseArchive | Operation::CaseRestore => json!({"reason": "double"}),
        Operation::TagAdd | Operation::TagRemove => json!({"tag": "fire"}),
        Operation::NoteAdd => json!({"note_id": id(5), "text": "n"}),
        Operation::NoteRedact => json!({"note_id": id(5), "reason": "a name"}),
        Operation::TaskAdd => json!({"task_id": id(5), "title": "call", "due_on": "2026-12-01"}),
        Operation::TaskSetDone => json!({"task_id": id(5), "done": true}),
        Operation::TimeLog => json!({"entry_id": id(5), "minutes": 120, "worked_on": "2026-11-30", "note": "site"}),
        Operation::InspectionRecord => json!({"inspection_id": id(5), "kind": "fire", "inspected_on": "2026-11-30",
            "outcome": "fail", "findings": [{"text": "no exit sign", "severity": "major"}]}),
        Operation::NoticeIssue => json!({"notice_id": id(5), "kind": "order", "recipient": "R", "body": "B"}),
        Operation::NotificationRead => json!({"notification_id": id(9), "read_at": "2026-11-30T09:00:00.000Z"}),
    }
}

fn read(operation: Operation) -> Payload {
    Payload::read(operation, &example(operation)).unwrap()
}

/// What `first` made beside the case.
fn child_of(first: &Payload) -> Entity {
    let mut subject = Subject { case: Some(case()), child: None };
    apply(first, EntityId(id(1)), ActorId(id(2)), NOW, &mut subject);
    subject.child.unwrap()
}

/// A notification to `recipient`, as assigning makes it.
fn notification(recipient: u8) -> Entity {
    let assign = json!({"from": null, "to": id(recipient)});
    let command =
        Command { actor: ActorId(id(0x77)), ..command(Payload::read(Operation::CaseAssign, &assign).unwrap()) };
    let loaded = Loaded { case: Some(case()), assignee_is_member: true, ..Loaded::default() };
    let effects = decide(&loaded, &command, "", NOW).unwrap().effects;
    effects.into_iter().find(|effect| effect.kind() == EntityKind::Notification).unwrap()
}

/// What `operation` meets when it fits.
fn fitting(operation: Operation) -> Loaded {
    let child = match operation {
        Operation::NoteRedact => Some(child_of(&read(Operation::NoteAdd))),
        Operation::TaskSetDone => Some(child_of(&read(Operation::TaskAdd))),
        Operation::NotificationRead => Some(notification(2)),
        _ => None,
    };
    let is_about_case = operation.policy().target == EntityKind::Case && operation != Operation::CaseCreate;
    let case = is_about_case.then(|| Case { archived: operation == Operation::CaseRestore, ..case() });
    Loaded { case, child, assignee_is_member: true, ..Loaded::default() }
}

fn expecting(loaded: &Loaded, payload: Payload) -> Command {
    let needs_it = payload.operation().policy().concurrency == Concurrency::Revision;
    let revision = loaded.case.as_ref().map(|case| Expected::Revision(case.revision)).filter(|_| needs_it);
    Command { expected: revision, ..command(payload) }
}

fn run(operation: Operation, loaded: &Loaded) -> Result<Decision, Refusal> {
    decide(loaded, &expecting(loaded, read(operation)), "2026-000001", NOW)
}

#[test]
fn each_operation_fits_what_it_is_for() {
    for operation in Operation::ALL {
        let loaded = fitting(operation);
        let decision = run(operation, &loaded).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", operation.name()));
        assert_eq!(decision.effects.last().unwrap().kind(), EntityKind::Activity, "{}", operation.name());
        let creates = operation == Operation::CaseCreate || matches!(read(operation).child(), Some(Child::New(..)));
        assert_eq!(decision.created, creates, "{}", operation.name());
        let before = loaded.case.as_ref().map_or(0, |case| case.revision.0);
        let raises = operation.policy().raises_revision && operation.policy().target == EntityKind::Case;
        let expected = before + u32::from(raises);
        if operation.policy().target == EntityKind::Case {
            assert_eq!(decision.target_revision.0, expected, "{}", operation.name());
        }
    }
}

#[test]
fn a_payload_survives_being_written_and_read() {
    for operation in Operation::ALL {
        assert_eq!(read(operation).to_value(), example(operation), "{}", operation.name());
        let named = operation.policy().payload;
        for member in example(operation).as_object().unwrap().keys() {
            assert!(named.contains(member.as_str()), "{}: {member} is not in {named:?}", operation.name());
        }
    }
}

/// The table of the documents is generated from the registry: `UPDATE_DOCS=1 cargo test -p onceover-domain`.
#[test]
fn the_table_in_the_documents_is_what_the_registry_says() {
    let mut table = String::from(
        "# Operations\n\nGenerated from the registry in `crates/domain/src/registry.rs`; \
         `UPDATE_DOCS=1 cargo test -p onceover-domain` writes it anew.\n\n\
         | operation | payload | target | concurrency | unknown outcome | authority | a repeat without the right | oldest | commutes | least role |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for operation in Operation::ALL {
        let policy = operation.policy();
        writeln!(
            table,
            "| `{}` | `{}` | {} | {:?} | {:?} | {:?} | {:?} | {:?} | {} | {} |",
            operation.name(),
            policy.payload,
            policy.target.name(),
            policy.concurrency,
            policy.unknown_outcome,
            policy.authority,
            policy.repeat,
            policy.age_max,
            if policy.commutes { "yes" } else { "no" },
            policy.least_role.name(),
        )
        .unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), table);
}

/// An archived case takes only `case.restore`, and that only an archived one.
#[test]
fn an_archived_case_takes_nothing_but_its_return() {
    for operation in Operation::ALL {
        let mut loaded = fitting(operation);
        let Some(case) = &mut loaded.case else { continue };
        case.archived = true;
        let refused = run(operation, &loaded);
        match operation {
            Operation::CaseRestore => assert!(refused.is_ok()),
            _ => assert_eq!(refused, Err(Refusal::TargetDeleted), "{}", operation.name()),
        }
    }
    let open = Loaded { case: Some(case()), ..Loaded::default() };
    assert_eq!(run(Operation::CaseRestore, &open), Err(Refusal::Rule(Rule::NotArchived)));
}

/// CASES E4: what is to be changed may still be on its way, so the answer is one that can be retried.
#[test]
fn a_child_that_is_not_there_or_elsewhere_is_not_found() {
    for operation in [Operation::NoteRedact, Operation::TaskSetDone, Operation::NotificationRead] {
        let missing = Loaded { child: None, ..fitting(operation) };
        assert_eq!(run(operation, &missing), Err(Refusal::TargetNotFound), "{}", operation.name());
    }
    let mut elsewhere = child_of(&read(Operation::TaskAdd));
    if let Entity::Task(task) = &mut elsewhere {
        task.case_id.0 = id(0x66);
    }
    let loaded = Loaded { child: Some(elsewhere), ..fitting(Operation::TaskSetDone) };
    assert_eq!(run(Operation::TaskSetDone, &loaded), Err(Refusal::TargetNotFound));
    let foreign = Loaded { child: Some(notification(0x33)), ..Loaded::default() };
    assert_eq!(run(Operation::NotificationRead, &foreign), Err(Refusal::TargetNotFound));
}

#[test]
fn an_id_that_is_taken_is_refused() {
    for operation in Operation::ALL {
        let Some(Child::New(..)) = read(operation).child() else { continue };
        let loaded = Loaded { child: Some(child_of(&read(operation))), ..fitting(operation) };
        assert_eq!(run(operation, &loaded), Err(Refusal::Rule(Rule::AlreadyExists)), "{}", operation.name());
    }
}

/// A second time changes nothing: no new revision, only the line in the timeline.
#[test]
fn putting_something_into_the_state_it_is_in_changes_nothing() {
    for operation in [Operation::NoteRedact, Operation::TaskSetDone, Operation::NotificationRead] {
        let mut loaded = fitting(operation);
        let first = run(operation, &loaded).unwrap();
        assert_eq!(first.effects.len(), 2, "{}", operation.name());
        loaded.child = Some(first.effects[0].clone());
        let second = run(operation, &loaded).unwrap();
        assert_eq!(second.effects.len(), 1, "{}", operation.name());
        assert_eq!(second.result.2, first.result.2, "{}", operation.name());
    }
}

/// The text is gone from the note and from the timeline.
#[test]
fn a_redacted_note_keeps_no_text() {
    let effects = run(Operation::NoteRedact, &fitting(Operation::NoteRedact)).unwrap().effects;
    let Entity::Note(note) = &effects[0] else { panic!() };
    assert_eq!((note.text.as_str(), note.redacted, note.revision.0), ("", true, 2));
    let added = run(Operation::NoteAdd, &fitting(Operation::NoteAdd)).unwrap().effects;
    let Some(Entity::Activity(line)) = added.last() else { panic!() };
    assert_eq!(line.payload, json!({"note_id": id(5)}));
}

/// The assignee hears of what others do: assigning, status, notes, notices; never of their own doing.
#[test]
fn the_assignee_is_told_of_what_others_do() {
    for operation in Operation::ALL {
        let mut loaded = fitting(operation);
        let tells = matches!(
            operation,
            Operation::CaseAssign | Operation::CaseTransition | Operation::NoteAdd | Operation::NoticeIssue
        );
        if let Some(case) = &mut loaded.case
            && operation != Operation::CaseAssign
        {
            case.assignee_id = Some(ActorId(id(3)));
        }
        let told = |loaded: &Loaded| {
            let effects = run(operation, loaded).unwrap().effects;
            effects.iter().any(|effect| {
                effect.kind() == EntityKind::Notification
                    && effect.visible_to() == Some(ActorId(id(3)))
                    && effect.id() == EntityId(id(9))
            })
        };
        assert_eq!(operation != Operation::NotificationRead && told(&loaded), tells, "{}", operation.name());
        if let Some(case) = &mut loaded.case
            && operation != Operation::CaseAssign
        {
            case.assignee_id = Some(ActorId(id(2)));
            let effects = run(operation, &loaded).unwrap().effects;
            assert!(effects.iter().all(|effect| effect.kind() != EntityKind::Notification), "{}", operation.name());
        }
    }
}

#[test]
fn what_is_out_of_its_domain_is_named() {
    for (operation, member, value, pointer) in [
        (Operation::TimeLog, "minutes", json!(0), "/minutes"),
        (Operation::TimeLog, "minutes", json!(1441), "/minutes"),
        (Operation::TimeLog, "worked_on", json!("30.11.2026"), "/worked_on"),
        (Operation::TaskAdd, "title", json!(""), "/title"),
        (Operation::TaskAdd, "due_on", json!("2026-02-30"), "/due_on"),
        (Operation::TaskSetDone, "done", Value::Null, "/done"),
        (Operation::InspectionRecord, "outcome", json!("good"), "/outcome"),
        (Operation::InspectionRecord, "findings", json!([{"text": "", "severity": "major"}]), "/findings/0/text"),
        (Operation::InspectionRecord, "findings", json!([{"text": "x", "severity": "bad"}]), "/findings/0/severity"),
        (Operation::NoticeIssue, "recipient", json!("a\u{0}b"), "/recipient"),
        (Operation::NoticeIssue, "kind", json!("No Slug"), "/kind"),
        (Operation::CaseArchive, "reason", json!(null), "/reason"),
        (Operation::NotificationRead, "read_at", json!("yesterday"), "/read_at"),
    ] {
        let mut payload = example(operation);
        payload[member] = value;
        let Err(onceover_domain::payload::PayloadError::Invalid(errors)) = Payload::read(operation, &payload) else {
            panic!("{}: {payload}", operation.name())
        };
        assert_eq!(errors[0].pointer, pointer, "{}", operation.name());
    }
}

#[test]
fn wrong_types_and_unknown_members_are_malformed() {
    for operation in Operation::ALL {
        let mut payload = example(operation);
        payload["more"] = json!(1);
        let read = Payload::read(operation, &payload);
        assert!(matches!(read, Err(onceover_domain::payload::PayloadError::Malformed { .. })), "{}", operation.name());
    }
    for (operation, member, value) in [
        (Operation::TimeLog, "minutes", json!("120")),
        (Operation::TimeLog, "minutes", json!(1.5)),
        (Operation::TaskSetDone, "done", json!("true")),
        (Operation::InspectionRecord, "findings", json!({})),
        (Operation::InspectionRecord, "findings", json!([{"text": "x", "severity": "major", "colour": "red"}])),
    ] {
        let mut payload = example(operation);
        payload[member] = value;
        let read = Payload::read(operation, &payload);
        assert!(matches!(read, Err(onceover_domain::payload::PayloadError::Malformed { .. })), "{payload}");
    }
}
