//! Builders: people, cases, intents, feed pages and receipts as tests need them.

use domain::payload::{CaseAssign, CaseCreate, CaseEdit, CaseTransition, NoteAdd, Tag};
use domain::{
    Activity, ActorId, Case, CaseField, CaseId, Change, CommandId, EntityId, FieldValue, Note, NoteId, Payload,
    Priority, Revision, Role, Status, TenantId, Timestamp,
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
        case_id: case,
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

/// The timeline's line of a row that was committed.
pub fn activity_item(seq: u64, row: &OutboxRow) -> FeedItem {
    let activity = Activity {
        id: row.command_id,
        case_id: CaseId(row.target.0),
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
            entity_type: "case".to_owned(),
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
