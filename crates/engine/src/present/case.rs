//! A case as a list row and as a window.

use domain::{Case, Status, Timestamp};

use super::due::due;
use super::pending::{Around, pending, planned};
use crate::delivery::OutboxRow;
use crate::mark::{mark, may_take_to};
use crate::ports::Ambient;
use crate::projection::{Shown, shown};
use crate::view::{CaseDetail, CaseRow, Mark, NextStatus, NoteView};

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
    let notes = base.notes.iter().map(|note| NoteView { note: note.clone(), command_id: None, mark: None });
    let pending_notes = shown.pending_notes.iter().map(|(index, note)| NoteView {
        note: note.clone(),
        command_id: Some(lane[*index].command_id),
        mark: Some(mark(lane, *index, ambient).0),
    });
    let mut notes: Vec<NoteView> = notes.chain(pending_notes).collect();
    newest_first(&mut notes, |view| (view.note.created_at, view.note.id.0));
    let mut timeline = base.timeline.clone();
    newest_first(&mut timeline, |activity| (activity.created_at, activity.id.0));
    Some(CaseDetail {
        next_statuses: next_statuses(&case, ambient),
        base: base.case.clone(),
        pending_fields: shown.pending_fields.into_iter().collect(),
        notes,
        timeline,
        pending: (0..lane.len())
            .filter(|&index| lane[index].is_pending())
            .map(|index| pending(lane, index, around))
            .collect(),
        case,
        version,
    })
}

/// Sorts by a key, greatest first.
pub fn newest_first<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    items.sort_by_key(|item| std::cmp::Reverse(key(item)));
}

fn next_statuses(case: &Case, ambient: &Ambient) -> Vec<NextStatus> {
    let next: Vec<Status> = if case.archived { Vec::new() } else { case.status.next() };
    next.into_iter().map(|to| NextStatus { to, allowed: may_take_to(ambient.role, to) }).collect()
}
