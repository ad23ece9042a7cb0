//! Builders: people, cases, intents, feed pages and receipts as tests need them.

use domain::inspection::{Finding, Outcome, Severity};
use domain::payload::{
    CaseAssign, CaseCreate, CaseEdit, CaseTransition, InspectionRecord, NoteAdd, NoteRedact, NoticeIssue,
    NotificationRead, Reason, Tag, TaskAdd, TaskSetDone, TimeLog,
};
use domain::{
    Activity, ActorId, Case, CaseField, CaseId, Change, CommandId, Entity, EntityId, FieldValue, InspectionId, Note,
    NoteId, NoticeId, Notification, NotificationId, Operation, Payload, Priority, Revision, Role, Status, Task, TaskId,
    TenantId, TimeEntryId, Timestamp,
};
use serde_json::Value;
use uuid::Uuid;
use wire::feed::MemberEntity;
use wire::receipt::Committed;
use wire::{ChangesPage, FeedItem, Fence, Receipt, ResultRef};

use crate::delivery::OutboxRow;
use crate::ports::{Ambient, Draft, FeedPage, StepCause};

/// The tenant of all tests.
pub const TENANT: TenantId = TenantId(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_00aa));
/// The actor whose store it is.
pub const ACTOR: ActorId = ActorId(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_00a1));
/// Somebody else of the tenant.
pub const COLLEAGUE: ActorId = ActorId(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_00a2));
/// When tests begin: 2026-11-30T09:00:00Z, a Monday.
pub const START: Timestamp = Timestamp(1_796_029_200_000);

/// The `number`th id of a kind.
pub fn id(kind: u16, number: u32) -> Uuid {
    Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 | (u128::from(kind) << 32) | u128::from(number))
}

/// The `number`th case.
pub fn case_id(number: u32) -> CaseId {
    CaseId(id(0xca, number))
}

/// The `number`th command.
pub fn command_id(number: u32) -> CommandId {
    CommandId(id(0xc0, number))
}

/// An intent to do `payload` on a case; intent and command have the same number.
pub fn draft(number: u32, case: CaseId, payload: Payload) -> Draft {
    Draft {
        intent_id: id(0x11, number),
        command_id: command_id(number),
        payload,
        target: case.into(),
        session_version: 1,
        issued_at: START,
    }
}

/// Opens a case.
pub fn create(title: &str) -> Payload {
    let fields = [(CaseField::Title, title), (CaseField::Kind, "inspection"), (CaseField::Priority, "normal")];
    Payload::CaseCreate(CaseCreate {
        fields: fields.into_iter().map(|(field, text)| (field, FieldValue::text(text))).collect(),
        status: Some(Status::Open),
        external_id: None,
    })
}

/// Changes one field.
pub fn edit(field: CaseField, from: &str, to: &str) -> Payload {
    let change = Change { from: FieldValue::text(from), to: FieldValue::text(to) };
    Payload::CaseEdit(CaseEdit { changes: [(field, change)].into() })
}

/// Changes the status.
pub fn transition(to: Status) -> Payload {
    Payload::CaseTransition(CaseTransition { to, reason_code: "ready".to_owned(), comment: None })
}

/// Gives the case to somebody.
pub fn assign(from: Option<ActorId>, to: Option<ActorId>) -> Payload {
    Payload::CaseAssign(CaseAssign { from, to })
}

/// Adds a tag.
pub fn tag(tag: &str) -> Payload {
    Payload::TagAdd(Tag { tag: tag.to_owned() })
}

/// Adds the `number`th note.
pub fn note(number: u32, text: &str) -> Payload {
    Payload::NoteAdd(NoteAdd { note_id: NoteId(id(0x40, number)), text: text.to_owned() })
}

/// Takes the `number`th note's text away.
pub fn redact(number: u32) -> Payload {
    Payload::NoteRedact(NoteRedact { note_id: NoteId(id(0x40, number)), reason: "a name".to_owned() })
}

/// Adds the `number`th task.
pub fn task(number: u32, title: &str) -> Payload {
    Payload::TaskAdd(TaskAdd { task_id: TaskId(id(0x41, number)), title: title.to_owned(), due_on: None })
}

/// Says that the `number`th task is done, or open again.
pub fn set_done(number: u32, done: bool) -> Payload {
    Payload::TaskSetDone(TaskSetDone { task_id: TaskId(id(0x41, number)), done })
}

/// Logs the `number`th stretch of work.
pub fn time(number: u32, minutes: u16) -> Payload {
    Payload::TimeLog(TimeLog {
        entry_id: TimeEntryId(id(0x42, number)),
        minutes,
        worked_on: "2026-11-30".to_owned(),
        note: None,
    })
}

/// Records the `number`th inspection, with one finding.
pub fn inspection(number: u32, finding: &str) -> Payload {
    let finding = Finding { code: None, text: finding.to_owned(), severity: Severity::Major, corrective_action: None };
    Payload::InspectionRecord(InspectionRecord {
        inspection_id: InspectionId(id(0x43, number)),
        kind: "routine".to_owned(),
        inspected_on: "2026-11-30".to_owned(),
        outcome: Outcome::Fail,
        findings: vec![finding],
    })
}

/// Issues the `number`th notice.
pub fn notice(number: u32, body: &str) -> Payload {
    Payload::NoticeIssue(NoticeIssue {
        notice_id: NoticeId(id(0x44, number)),
        kind: "warning".to_owned(),
        recipient: "The owner".to_owned(),
        body: body.to_owned(),
    })
}

/// Archives the case.
pub fn archive() -> Payload {
    Payload::CaseArchive(Reason { reason: "settled".to_owned() })
}

/// Restores the case.
pub fn restore() -> Payload {
    Payload::CaseRestore(Reason { reason: "not settled".to_owned() })
}

/// Reads the `number`th notification.
pub fn read(number: u32) -> Payload {
    let notification_id = NotificationId(id(0x45, number));
    Payload::NotificationRead(NotificationRead { notification_id, read_at: START })
}

/// The `number`th case as the server holds it: open, at revision 1.
pub fn a_case(number: u32, title: &str) -> Case {
    Case {
        id: case_id(number),
        number: Some(format!("2026-{number:06}")),
        title: title.to_owned(),
        kind: "inspection".to_owned(),
        priority: Priority::Normal,
        status: Status::Open,
        description: None,
        address: None,
        district: None,
        latitude: None,
        longitude: None,
        due_on: None,
        external_id: None,
        assignee_id: None,
        tags: Vec::new(),
        archived: false,
        revision: Revision(1),
        created_at: START,
        created_by: COLLEAGUE,
    }
}

fn item(seq: u64, kind: &str, id: EntityId, revision: Revision, command: Option<CommandId>, entity: Value) -> FeedItem {
    let deleted = entity.is_null();
    FeedItem { seq, kind: kind.to_owned(), id, revision, deleted, command_id: command, at: START, entity }
}

/// A case in the feed.
pub fn case_item(seq: u64, case: &Case, command: Option<CommandId>) -> FeedItem {
    item(seq, "case", case.id.into(), case.revision, command, serde_json::to_value(case).unwrap())
}

/// A case that is no longer visible.
pub fn gone_item(seq: u64, case: CaseId) -> FeedItem {
    item(seq, "case", case.into(), Revision(1), None, Value::Null)
}

/// A note in the feed.
pub fn note_item(seq: u64, case: CaseId, number: u32, text: &str, command: Option<CommandId>) -> FeedItem {
    let note = Note {
        id: NoteId(id(0x40, number)),
        case_id: case,
        text: text.to_owned(),
        redacted: false,
        redaction_reason: None,
        revision: Revision(1),
        created_at: START,
        created_by: ACTOR,
    };
    item(seq, "note", note.id.into(), Revision(1), command, serde_json::to_value(&note).unwrap())
}

/// Any entity in the feed.
pub fn entity_item(seq: u64, entity: &Entity, command: Option<CommandId>) -> FeedItem {
    let body = serde_json::from_str(&entity.to_json().unwrap()).unwrap();
    item(seq, entity.kind().name(), entity.id(), entity.revision(), command, body)
}

/// The `number`th task as the server holds it.
pub fn a_task(number: u32, case: CaseId, title: &str, done: bool) -> Entity {
    Entity::Task(Task {
        id: TaskId(id(0x41, number)),
        case_id: case,
        title: title.to_owned(),
        due_on: None,
        done,
        revision: Revision(1),
        created_at: START,
        created_by: COLLEAGUE,
    })
}

/// The `number`th notification as the server holds it: a colleague issued a notice on the actor's case.
pub fn a_notification(number: u32, case: CaseId) -> Entity {
    Entity::Notification(Notification {
        id: NotificationId(id(0x45, number)),
        case_id: case,
        recipient_id: ACTOR,
        operation: Operation::NoticeIssue,
        read_at: None,
        revision: Revision(1),
        created_at: START.plus_ms(i64::from(number)),
        created_by: COLLEAGUE,
    })
}

/// The timeline's line of a row that was committed.
pub fn activity_item(seq: u64, row: &OutboxRow) -> FeedItem {
    let activity = Activity {
        id: row.command_id,
        case_id: row.case_id(),
        operation: row.operation,
        payload: row.payload.clone().unwrap_or_default(),
        from_status: None,
        issued_at: row.issued_at,
        revision: Revision(1),
        created_at: START,
        created_by: row.actor_id,
    };
    let entity = serde_json::to_value(&activity).unwrap();
    item(seq, "activity", row.command_id.into(), Revision(1), Some(row.command_id), entity)
}

/// The timeline's line of the `number`th command, by anybody.
pub fn line_item(seq: u64, number: u32, case: CaseId, payload: &Payload, by: ActorId, at: Timestamp) -> FeedItem {
    let activity = Activity {
        id: command_id(number),
        case_id: case,
        operation: payload.operation(),
        payload: payload.summary(),
        from_status: None,
        issued_at: at,
        revision: Revision(1),
        created_at: at,
        created_by: by,
    };
    let entity = serde_json::to_value(&activity).unwrap();
    item(seq, "activity", activity.id.into(), Revision(1), Some(activity.id), entity)
}

/// A person in the feed.
pub fn member_item(seq: u64, actor: ActorId, name: &str) -> FeedItem {
    let member = MemberEntity {
        id: actor,
        username: name.to_lowercase(),
        display_name: name.to_owned(),
        role: Role::Officer,
        disabled: false,
        revision: Revision(1),
        created_at: START,
    };
    item(seq, "member", actor.into(), Revision(1), None, serde_json::to_value(&member).unwrap())
}

/// A page, the last one of its read, as a session of version 1 got it.
pub fn page(items: Vec<FeedItem>) -> FeedPage {
    let head = items.iter().map(|item| item.seq).max().unwrap_or(0);
    FeedPage {
        page: ChangesPage { epoch: "e".to_owned(), items, cursor: format!("c{head}"), has_more: false, head },
        session_version: 1,
        starts_over: false,
        now: START,
    }
}

/// The same page with more to come.
pub fn with_more(mut page: FeedPage, head: u64) -> FeedPage {
    page.page.has_more = true;
    page.page.head = head;
    page
}

/// The same page as the first of a read without a cursor.
pub fn starting_over(mut page: FeedPage) -> FeedPage {
    page.starts_over = true;
    page
}

/// The receipt of a row.
pub fn receipt(row: &OutboxRow, feed_position: u64) -> Receipt {
    Receipt {
        operation_id: row.command_id,
        state: Committed::Committed,
        fence: Fence {
            tenant_id: row.tenant_id,
            actor_id: row.actor_id,
            session_version: row.session_version,
            payload_hash: row.payload_hash.clone(),
            entity_type: row.operation.policy().target.name().to_owned(),
            entity_id: row.target,
            entity_revision: Revision(2),
        },
        result: ResultRef { kind: "case".to_owned(), id: row.target, revision: Revision(2) },
        feed_position,
        committed_at: START,
        receipt_reduced: false,
    }
}

/// No failure, at `at`.
pub fn at(at: Timestamp) -> StepCause {
    StepCause { error: None, not_before: None, at }
}

/// An officer, online.
pub fn online() -> Ambient {
    let received = std::collections::BTreeSet::new();
    Ambient { offline: false, sign_in_needed: false, paused: false, role: Role::Officer, received }
}
