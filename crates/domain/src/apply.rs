//! The reducer: what a command makes of its case and of the one entity beside it.
//!
//! The server calls it after all checks; the client calls it to show what is pending over whatever the
//! server last said. Numbers, and the revision of the case, are the server's to give and are left alone.

use crate::case::{Case, Status};
use crate::entity::Entity;
use crate::ids::{ActorId, CaseId, EntityId, Revision, Timestamp};
use crate::inspection::Inspection;
use crate::note::Note;
use crate::notice::Notice;
use crate::payload::{CaseCreate, Payload, priority_of};
use crate::task::Task;
use crate::time_entry::TimeEntry;

/// What a command stands on, and what it leaves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Subject {
    /// The case.
    pub case: Option<Case>,
    /// The entity beside it: what the payload names, or the notification that is the target.
    pub child: Option<Entity>,
}

/// Does what `payload` says to `subject`, without asking whether it may.
pub fn apply(payload: &Payload, target: EntityId, actor: ActorId, now: Timestamp, subject: &mut Subject) {
    let case_id = CaseId(target.0);
    if let Payload::CaseCreate(create) = payload {
        subject.case.get_or_insert_with(|| new_case(create, case_id, actor, now));
    } else if let Some(child) = new_child(payload, case_id, actor, now) {
        subject.child = Some(child);
    } else {
        if let Some(child) = &mut subject.child {
            change_child(payload, child);
        }
        if let Some(case) = &mut subject.case {
            change_case(payload, case);
        }
    }
}

fn new_child(payload: &Payload, case_id: CaseId, created_by: ActorId, created_at: Timestamp) -> Option<Entity> {
    let revision = Revision(1);
    Some(match payload {
        Payload::NoteAdd(add) => Entity::Note(Note {
            id: add.note_id,
            case_id,
            text: add.text.clone(),
            redacted: false,
            redaction_reason: None,
            revision,
            created_at,
            created_by,
        }),
        Payload::TaskAdd(add) => Entity::Task(Task {
            id: add.task_id,
            case_id,
            title: add.title.clone(),
            due_on: add.due_on.clone(),
            done: false,
            revision,
            created_at,
            created_by,
        }),
        Payload::TimeLog(log) => Entity::TimeEntry(TimeEntry {
            id: log.entry_id,
            case_id,
            minutes: log.minutes,
            worked_on: log.worked_on.clone(),
            note: log.note.clone(),
            revision,
            created_at,
            created_by,
        }),
        Payload::InspectionRecord(record) => Entity::Inspection(Inspection {
            id: record.inspection_id,
            case_id,
            kind: record.kind.clone(),
            inspected_on: record.inspected_on.clone(),
            outcome: record.outcome,
            findings: record.findings.clone(),
            revision,
            created_at,
            created_by,
        }),
        Payload::NoticeIssue(issue) => Entity::Notice(Notice {
            id: issue.notice_id,
            case_id,
            kind: issue.kind.clone(),
            recipient: issue.recipient.clone(),
            body: issue.body.clone(),
            revision,
            created_at,
            created_by,
        }),
        _ => return None,
    })
}

/// What is so already stays as it is, with its revision.
fn change_child(payload: &Payload, child: &mut Entity) {
    match (payload, child) {
        (Payload::NoteRedact(redact), Entity::Note(note)) if !note.redacted => {
            note.text.clear();
            note.redacted = true;
            note.redaction_reason = Some(redact.reason.clone());
            note.revision = note.revision.next();
        }
        (Payload::TaskSetDone(set), Entity::Task(task)) if task.done != set.done => {
            task.done = set.done;
            task.revision = task.revision.next();
        }
        (Payload::NotificationRead(read), Entity::Notification(notification)) if notification.read_at.is_none() => {
            notification.read_at = Some(read.read_at);
            notification.revision = notification.revision.next();
        }
        _ => {}
    }
}

fn change_case(payload: &Payload, case: &mut Case) {
    match payload {
        Payload::CaseEdit(edit) => {
            for (field, change) in &edit.changes {
                field.set(case, change.to.clone());
            }
        }
        Payload::CaseTransition(transition) => case.status = transition.to,
        Payload::CaseAssign(assign) => case.assignee_id = assign.to,
        Payload::CaseArchive(_) => case.archived = true,
        Payload::CaseRestore(_) => case.archived = false,
        Payload::TagAdd(tag) => {
            if let Err(place) = case.tags.binary_search(&tag.tag) {
                case.tags.insert(place, tag.tag.clone());
            }
        }
        Payload::TagRemove(tag) => case.tags.retain(|held| *held != tag.tag),
        Payload::CaseCreate(_)
        | Payload::NoteAdd(_)
        | Payload::NoteRedact(_)
        | Payload::TaskAdd(_)
        | Payload::TaskSetDone(_)
        | Payload::TimeLog(_)
        | Payload::InspectionRecord(_)
        | Payload::NoticeIssue(_)
        | Payload::NotificationRead(_) => {}
    }
}

fn new_case(create: &CaseCreate, id: CaseId, actor: ActorId, now: Timestamp) -> Case {
    let mut case = Case {
        id,
        number: None,
        title: String::new(),
        kind: String::new(),
        priority: priority_of(create),
        status: create.status.unwrap_or(Status::Draft),
        description: None,
        address: None,
        district: None,
        latitude: None,
        longitude: None,
        due_on: None,
        external_id: create.external_id.clone(),
        assignee_id: None,
        tags: Vec::new(),
        archived: false,
        revision: Revision(1),
        created_at: now,
        created_by: actor,
    };
    for (field, value) in &create.fields {
        field.set(&mut case, value.clone());
    }
    case
}
