//! A row of the outbox as programs and windows see it.

use domain::Case;
use domain::merge::compare;
use serde_json::{Map, Value};

use crate::delivery::{Delivery, HistoryEntry, OutboxRow};
use crate::lane::blocker;
use crate::mark::{group, pending};
use crate::ports::{Ambient, Base};
use crate::projection::{payload_of, shown_case};
use crate::view::{ConflictView, OutboxDetail, OutboxLine, OutboxRowView, ResolutionView, TargetView};

/// The row for programs (CONTRACT 8). `lane` holds its case's pending and open rows.
pub fn row_view(row: &OutboxRow, lane: &[OutboxRow]) -> OutboxRowView {
    let place = lane.iter().position(|other| other.command_id == row.command_id).filter(|_| row.is_open());
    OutboxRowView {
        command_id: row.command_id,
        idempotency_key: row.key.to_string(),
        operation: row.operation,
        target: TargetView { kind: "case".to_owned(), id: row.target },
        state: row.delivery.name(),
        hold: row.delivery.hold(),
        attempt: row.attempt,
        next_attempt_at_ms: row.delivery.due_at().filter(|_| row.is_open()).map(|at| at.0),
        last_error: row.last_error.clone(),
        created_at_ms: row.created_at.0,
        updated_at_ms: row.updated_at.0,
        payload_hash: row.payload_hash.clone(),
        session_version: row.session_version,
        blocked_by: place.and_then(|index| blocker(lane, index)).map(|earlier| earlier.command_id),
        resolution: row.resolution.map(|resolution| ResolutionView {
            kind: resolution.kind,
            by: resolution.by,
            at_ms: resolution.at.0,
        }),
    }
}

/// The row as a line of the sync centre. `lane` holds its case's pending and open rows.
pub fn outbox_line(row: &OutboxRow, lane: &[OutboxRow], base: &Base, ambient: &Ambient) -> OutboxLine {
    let change = match lane.iter().position(|other| other.command_id == row.command_id) {
        Some(index) => pending(lane, index, ambient),
        None => pending(std::slice::from_ref(row), 0, ambient),
    };
    let case = shown_case(base, lane);
    let named = case.as_ref().or(base.case.as_ref()).or(row.seen.as_ref());
    OutboxLine {
        change,
        case_label: named.and_then(|case: &Case| case.number.clone().or_else(|| case.external_id.clone())),
        case_title: named.map(|case| case.title.clone()).or_else(|| own_title(row)).unwrap_or_default(),
        group: group(row),
    }
}

/// The title a `case.create` carries.
fn own_title(row: &OutboxRow) -> Option<String> {
    row.payload.as_ref()?.get("title")?.as_str().map(str::to_owned)
}

/// The row with its past.
pub fn outbox_detail(
    row: &OutboxRow,
    lane: &[OutboxRow],
    base: &Base,
    history: Vec<HistoryEntry>,
    ambient: &Ambient,
) -> OutboxDetail {
    OutboxDetail {
        row: row_view(row, lane),
        payload: row.payload.clone(),
        history,
        conflict: conflict_view(row, base),
        line: outbox_line(row, lane, base, ambient),
    }
}

/// The three sides of a conflict; `None` for a row that is not in conflict.
pub fn conflict_view(row: &OutboxRow, base: &Base) -> Option<ConflictView> {
    let Delivery::Conflict { conflict } = &row.delivery else { return None };
    let payload = payload_of(row)?;
    let fields = compare(&payload, row.seen.as_ref(), &conflict.current);
    let side = |pick: fn(&domain::merge::FieldConflict) -> &domain::FieldValue| {
        let value = |field| serde_json::to_value(pick(field)).unwrap_or(Value::Null);
        Value::Object(fields.iter().map(|field| (field.field.clone(), value(field))).collect::<Map<_, _>>())
    };
    let last = base.timeline.iter().max_by_key(|activity| (activity.created_at, activity.id.0));
    Some(ConflictView {
        base: side(|field| &field.base),
        mine: side(|field| &field.mine),
        theirs: side(|field| &field.theirs),
        fields: fields.clone(),
        their_actor: last.map(|activity| activity.created_by),
        their_at: last.map(|activity| activity.created_at),
    })
}
