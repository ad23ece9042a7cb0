//! The payload of each operation, read strictly: what is not named here is refused.

mod read;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::case::{Priority, Status};
use crate::entity::EntityKind;
use crate::field::{CaseField, Change, FieldValue};
use crate::ids::{ActorId, EntityId, InspectionId, NoteId, NoticeId, NotificationId, TaskId, TimeEntryId, Timestamp};
use crate::inspection::{Finding, Outcome};
use crate::registry::Operation;

/// A payload, by operation.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each payload describes itself")]
pub enum Payload {
    CaseCreate(CaseCreate),
    CaseEdit(CaseEdit),
    CaseTransition(CaseTransition),
    CaseAssign(CaseAssign),
    TagAdd(Tag),
    TagRemove(Tag),
    NoteAdd(NoteAdd),
    NoteRedact(NoteRedact),
    TaskAdd(TaskAdd),
    TaskSetDone(TaskSetDone),
    TimeLog(TimeLog),
    InspectionRecord(InspectionRecord),
    NoticeIssue(NoticeIssue),
    CaseArchive(Reason),
    CaseRestore(Reason),
    NotificationRead(NotificationRead),
}

/// `case.create`: the new case's fields; each is checked as `case.edit` would check it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseCreate {
    /// The editable fields that are not empty.
    #[serde(flatten)]
    pub fields: BTreeMap<CaseField, FieldValue>,
    /// `draft` (the default) or `open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The id in another system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// `case.edit`: what each changed field held and shall hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseEdit {
    /// At least one.
    pub changes: BTreeMap<CaseField, Change>,
}

/// `case.transition`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseTransition {
    /// The status it goes to.
    pub to: Status,
    /// A slug.
    pub reason_code: String,
    /// More words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `case.assign`: from whom to whom; `None` is nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseAssign {
    /// Whom the actor saw as the assignee.
    pub from: Option<ActorId>,
    /// Who shall be it.
    pub to: Option<ActorId>,
}

/// `tag.add`, `tag.remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The tag, 1 to 60 characters.
    pub tag: String,
}

/// `note.add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteAdd {
    /// The new note's id.
    pub note_id: NoteId,
    /// Its text.
    pub text: String,
}

/// `note.redact`: takes the note's text away for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRedact {
    /// Which note.
    pub note_id: NoteId,
    /// Why.
    pub reason: String,
}

/// `task.add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskAdd {
    /// The new task's id.
    pub task_id: TaskId,
    /// What is to be done.
    pub title: String,
    /// By when, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_on: Option<String>,
}

/// `task.set_done`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSetDone {
    /// Which task.
    pub task_id: TaskId,
    /// Done, or open again.
    pub done: bool,
}

/// `time.log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLog {
    /// The new entry's id.
    pub entry_id: TimeEntryId,
    /// 1 to 1440.
    pub minutes: u16,
    /// `YYYY-MM-DD`.
    pub worked_on: String,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `inspection.record`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InspectionRecord {
    /// The new inspection's id.
    pub inspection_id: InspectionId,
    /// A slug.
    pub kind: String,
    /// `YYYY-MM-DD`.
    pub inspected_on: String,
    /// How it went.
    pub outcome: Outcome,
    /// What was found; may be none.
    pub findings: Vec<Finding>,
}

/// `notice.issue`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeIssue {
    /// The new notice's id.
    pub notice_id: NoticeId,
    /// A slug.
    pub kind: String,
    /// To whom it goes.
    pub recipient: String,
    /// Its text.
    pub body: String,
}

/// `case.archive`, `case.restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Why.
    pub reason: String,
}

/// `notification.read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationRead {
    /// Which notification; the target's own id.
    pub notification_id: NotificationId,
    /// When, by the reader's clock.
    pub read_at: Timestamp,
}

/// The entity beside its target that a payload names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// It is to be made: nothing may have this id yet.
    New(EntityKind, EntityId),
    /// It is to be changed: it must exist, on the target case.
    Existing(EntityKind, EntityId),
}

impl Child {
    /// Its type and id.
    pub fn key(self) -> (EntityKind, EntityId) {
        match self {
            Self::New(kind, id) | Self::Existing(kind, id) => (kind, id),
        }
    }
}

/// One member that is missing or out of its domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberError {
    /// RFC 6901 pointer into the payload.
    pub pointer: String,
    /// What is wrong with it, for a person.
    pub detail: String,
}

/// Why a payload is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// A wrong JSON type or an unknown member.
    #[error("{detail} at {pointer}")]
    Malformed {
        /// RFC 6901 pointer into the payload.
        pointer: String,
        /// For a person.
        detail: String,
    },
    /// Well-formed, but members are missing or out of their domain.
    #[error("the payload has {} members out of their domain", .0.len())]
    Invalid(Vec<MemberError>),
}

impl Payload {
    /// Whose payload it is.
    pub fn operation(&self) -> Operation {
        match self {
            Self::CaseCreate(_) => Operation::CaseCreate,
            Self::CaseEdit(_) => Operation::CaseEdit,
            Self::CaseTransition(_) => Operation::CaseTransition,
            Self::CaseAssign(_) => Operation::CaseAssign,
            Self::TagAdd(_) => Operation::TagAdd,
            Self::TagRemove(_) => Operation::TagRemove,
            Self::NoteAdd(_) => Operation::NoteAdd,
            Self::NoteRedact(_) => Operation::NoteRedact,
            Self::TaskAdd(_) => Operation::TaskAdd,
            Self::TaskSetDone(_) => Operation::TaskSetDone,
            Self::TimeLog(_) => Operation::TimeLog,
            Self::InspectionRecord(_) => Operation::InspectionRecord,
            Self::NoticeIssue(_) => Operation::NoticeIssue,
            Self::CaseArchive(_) => Operation::CaseArchive,
            Self::CaseRestore(_) => Operation::CaseRestore,
            Self::NotificationRead(_) => Operation::NotificationRead,
        }
    }

    /// The JSON form this build writes. What was received is kept as received; this is for new commands.
    pub fn to_value(&self) -> Value {
        let value = match self {
            Self::CaseCreate(payload) => serde_json::to_value(payload),
            Self::CaseEdit(payload) => serde_json::to_value(payload),
            Self::CaseTransition(payload) => serde_json::to_value(payload),
            Self::CaseAssign(payload) => serde_json::to_value(payload),
            Self::TagAdd(payload) | Self::TagRemove(payload) => serde_json::to_value(payload),
            Self::NoteAdd(payload) => serde_json::to_value(payload),
            Self::NoteRedact(payload) => serde_json::to_value(payload),
            Self::TaskAdd(payload) => serde_json::to_value(payload),
            Self::TaskSetDone(payload) => serde_json::to_value(payload),
            Self::TimeLog(payload) => serde_json::to_value(payload),
            Self::InspectionRecord(payload) => serde_json::to_value(payload),
            Self::NoticeIssue(payload) => serde_json::to_value(payload),
            Self::CaseArchive(payload) | Self::CaseRestore(payload) => serde_json::to_value(payload),
            Self::NotificationRead(payload) => serde_json::to_value(payload),
        };
        value.expect("payloads hold only texts, numbers and maps with text keys")
    }

    /// The payload without texts that are entities of their own: what the timeline keeps.
    pub fn summary(&self) -> Value {
        match self {
            Self::NoteAdd(note) => json!({ "note_id": note.note_id }),
            Self::TimeLog(time) => {
                json!({ "entry_id": time.entry_id, "minutes": time.minutes, "worked_on": time.worked_on })
            }
            Self::InspectionRecord(inspection) => json!({
                "inspection_id": inspection.inspection_id,
                "kind": inspection.kind,
                "inspected_on": inspection.inspected_on,
                "outcome": inspection.outcome,
            }),
            Self::NoticeIssue(notice) => json!({ "notice_id": notice.notice_id, "kind": notice.kind }),
            _ => self.to_value(),
        }
    }

    /// The entity beside its target that this names, if any.
    pub fn child(&self) -> Option<Child> {
        use EntityKind as K;
        Some(match self {
            Self::NoteAdd(note) => Child::New(K::Note, note.note_id.into()),
            Self::NoteRedact(note) => Child::Existing(K::Note, note.note_id.into()),
            Self::TaskAdd(task) => Child::New(K::Task, task.task_id.into()),
            Self::TaskSetDone(task) => Child::Existing(K::Task, task.task_id.into()),
            Self::TimeLog(time) => Child::New(K::TimeEntry, time.entry_id.into()),
            Self::InspectionRecord(inspection) => Child::New(K::Inspection, inspection.inspection_id.into()),
            Self::NoticeIssue(notice) => Child::New(K::Notice, notice.notice_id.into()),
            Self::CaseCreate(_)
            | Self::CaseEdit(_)
            | Self::CaseTransition(_)
            | Self::CaseAssign(_)
            | Self::TagAdd(_)
            | Self::TagRemove(_)
            | Self::CaseArchive(_)
            | Self::CaseRestore(_)
            | Self::NotificationRead(_) => return None,
        })
    }
}

/// The priority a new case gets: the payload's, which reading checked.
pub(crate) fn priority_of(create: &CaseCreate) -> Priority {
    match create.fields.get(&CaseField::Priority) {
        Some(FieldValue::Text(name)) => Priority::named(name).unwrap_or(Priority::Normal),
        _ => Priority::Normal,
    }
}
