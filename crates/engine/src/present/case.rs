//! A case as a list row and as a window.

use domain::{Activity, Case, Entity, Operation, Status, Timestamp};

use super::due::due;
use super::pending::{Around, pending, planned};
use crate::delivery::OutboxRow;
use crate::mark::{mark, may_take_to};
use crate::ports::Ambient;
use crate::projection::{Shown, ShownChild, shown};
use crate::view::{
    CaseDetail, CaseRow, InspectionView, Mark, NextStatus, NoteView, NoticeView, TaskView, TimeEntryView,
};

/// The mark of the change that most needs looking at, with when the first of that mark is tried or asked about next;
/// `None` when everything is received.
pub fn list_mark(lane: &[OutboxRow], ambient: &Ambient) -> Option<(Mark, Option<Timestamp>)> {
    let pending = (0..lane.len()).filter(|&index| lane[index].is_pending());
    let marks: Vec<(Mark, Option<Timestamp>)> =
        pending.map(|index| (mark(lane, index, ambient).0, planned(&lane[index]))).collect();
    let pressing = marks.iter().map(|(mark, _)| *mark).max()?;
    Some((pressing, marks.iter().filter(|(mark, _)| *mark == pressing).filter_map(|(_, at)| *at).min()))
}

/// A row of the list. `shown` is the case with its pending changes; `assignee_name` comes from the members.
pub fn case_row(
    case: &Case,
    shown: &Shown,
    lane: &[OutboxRow],
    ambient: &Ambient,
    assignee_name: Option<String>,
    today: &str,
) -> CaseRow {
    let open = lane.iter().filter(|row| row.is_open()).count();
    let mark = list_mark(lane, ambient);
    CaseRow {
        id: case.id,
        number: case.number.clone(),
        external_id: case.external_id.clone(),
        title: case.title.clone(),
        address: case.address.clone(),
        kind: case.kind.clone(),
        status: case.status,
        priority: case.priority,
        due: due(case.due_on.as_deref(), today),
        due_on: case.due_on.clone(),
        assignee_id: case.assignee_id,
        assignee_name,
        pending_fields: shown.pending_fields.iter().cloned().collect(),
        mark: mark.map(|(mark, _)| mark),
        next_attempt_at: mark.and_then(|(_, at)| at),
        open_changes: u32::try_from(open).unwrap_or(u32::MAX),
    }
}

/// Everything a case window shows; `None` if neither the server nor this computer knows the case.
pub fn case_detail(lane: &[OutboxRow], around: Around<'_>, version: u64) -> Option<CaseDetail> {
    let Around { ambient, base, .. } = around;
    let shown = shown(base, lane);
    let case = shown.case.clone()?;
    let children = Children::of(shown.children, lane, ambient);
    // That the actor read a word about it is nothing that was done with the case.
    let is_of_case = |activity: &&Activity| activity.operation != Operation::NotificationRead;
    let mut timeline: Vec<Activity> = base.timeline.iter().filter(is_of_case).cloned().collect();
    newest_first(&mut timeline, |activity| (activity.created_at, activity.id.0));
    Some(CaseDetail {
        next_statuses: next_statuses(&case, ambient),
        base: base.case.clone(),
        pending_fields: shown.pending_fields.into_iter().collect(),
        notes: children.notes,
        tasks: children.tasks,
        time_entries: children.time_entries,
        inspections: children.inspections,
        notices: children.notices,
        timeline,
        pending: (0..lane.len())
            .filter(|&index| lane[index].is_pending())
            .map(|index| pending(lane, index, around))
            .collect(),
        case,
        version,
    })
}

/// What belongs to a case, by type, each newest first.
#[derive(Default)]
struct Children {
    notes: Vec<NoteView>,
    tasks: Vec<TaskView>,
    time_entries: Vec<TimeEntryView>,
    inspections: Vec<InspectionView>,
    notices: Vec<NoticeView>,
}

impl Children {
    fn of(shown: Vec<ShownChild>, lane: &[OutboxRow], ambient: &Ambient) -> Self {
        let mut children = Self::default();
        for ShownChild { entity, row } in shown {
            let command_id = row.map(|index| lane[index].command_id);
            let mark = row.map(|index| mark(lane, index, ambient).0);
            match entity {
                Entity::Note(note) => children.notes.push(NoteView { note, command_id, mark }),
                Entity::Task(task) => children.tasks.push(TaskView { task, command_id, mark }),
                Entity::TimeEntry(entry) => children.time_entries.push(TimeEntryView { entry, command_id, mark }),
                Entity::Inspection(inspection) => {
                    children.inspections.push(InspectionView { inspection, command_id, mark });
                }
                Entity::Notice(notice) => children.notices.push(NoticeView { notice, command_id, mark }),
                Entity::Case(_) | Entity::Notification(_) | Entity::Activity(_) => {}
            }
        }
        newest_first(&mut children.notes, |view| (view.note.created_at, view.note.id.0));
        newest_first(&mut children.tasks, |view| (view.task.created_at, view.task.id.0));
        newest_first(&mut children.time_entries, |view| (view.entry.created_at, view.entry.id.0));
        newest_first(&mut children.inspections, |view| (view.inspection.created_at, view.inspection.id.0));
        newest_first(&mut children.notices, |view| (view.notice.created_at, view.notice.id.0));
        children
    }
}

/// Sorts by a key, greatest first.
pub fn newest_first<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    items.sort_by_key(|item| std::cmp::Reverse(key(item)));
}

fn next_statuses(case: &Case, ambient: &Ambient) -> Vec<NextStatus> {
    let next: Vec<Status> = if case.archived { Vec::new() } else { case.status.next() };
    next.into_iter().map(|to| NextStatus { to, allowed: may_take_to(ambient.role, to) }).collect()
}
