//! A row of the outbox as programs and windows see it.

use domain::merge::FieldConflict;
use domain::{Case, FieldValue, Timestamp};
use serde_json::{Map, Value};

use super::pending::{Around, is_sent_time_asked, pending, planned};
use super::theirs::{ARCHIVED, fields_in_conflict, theirs};
use crate::delivery::{Delivery, HistoryEntry, OutboxRow, StateName};
use crate::lane::blocker;
use crate::mark::group;
use crate::ports::{Ambient, Base};
use crate::projection::shown_case;
use crate::view::{ConflictView, OutboxDetail, OutboxLine, OutboxRowView, ResolutionView, TargetView};

/// The row for programs (CONTRACT 8). `lane` holds its case's pending and open rows.
pub fn row_view(row: &OutboxRow, lane: &[OutboxRow]) -> OutboxRowView {
    let place = lane.iter().position(|other| other.command_id == row.command_id).filter(|_| row.is_open());
    OutboxRowView {
        command_id: row.command_id,
        idempotency_key: row.key.to_string(),
        operation: row.operation,
        target: TargetView { kind: row.operation.policy().target.name().to_owned(), id: row.target },
        state: row.delivery.name(),
        hold: row.delivery.hold(),
        attempt: row.attempt,
        next_attempt_at_ms: planned(row).map(|at| at.0),
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
pub fn outbox_line(row: &OutboxRow, lane: &[OutboxRow], around: Around<'_>) -> OutboxLine {
    let change = match lane.iter().position(|other| other.command_id == row.command_id) {
        Some(index) => pending(lane, index, around),
        None => pending(std::slice::from_ref(row), 0, around),
    };
    let case = shown_case(around.base, lane);
    let named = case.as_ref().or(around.base.case.as_ref()).or(row.seen.as_ref());
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
    let sent_at = last_sent(&history).filter(|_| is_sent_time_asked(row));
    let sent = sent_at.map(|at| (row.command_id, at)).into_iter().collect();
    OutboxDetail {
        row: row_view(row, lane),
        payload: row.payload.clone(),
        history,
        conflict: conflict_view(row, base),
        line: outbox_line(row, lane, Around { ambient, base, sent: &sent }),
    }
}

/// When the last send mark was set, out of a row's past.
pub fn last_sent(history: &[HistoryEntry]) -> Option<Timestamp> {
    history.iter().rev().find(|entry| entry.to == StateName::Sending).map(|entry| Timestamp(entry.at_ms))
}

/// The three sides of a conflict; `None` for a row that is not in conflict.
pub fn conflict_view(row: &OutboxRow, base: &Base) -> Option<ConflictView> {
    let Delivery::Conflict { conflict } = &row.delivery else { return None };
    let fields = fields_in_conflict(row, base)?;
    let side = |pick: fn(&FieldConflict) -> &FieldValue| {
        let named = fields.iter().map(|field| (field.field.clone(), value(&field.field, pick(field))));
        Value::Object(named.collect::<Map<_, _>>())
    };
    let theirs = theirs(row, base)?;
    Some(ConflictView {
        base: side(|field| &field.base),
        mine: side(|field| &field.mine),
        theirs: side(|field| &field.theirs),
        fields: fields.clone(),
        base_revision: row.seen.as_ref().map(|case| case.revision.0),
        their_revision: conflict.current_revision,
        base_at: theirs.seen_at,
        their_actor: theirs.last.map(|(actor, _)| actor),
        their_at: theirs.last.map(|(_, at)| at),
    })
}

/// A field's value as an entity carries it.
fn value(field: &str, value: &FieldValue) -> Value {
    match (field, value) {
        (ARCHIVED, FieldValue::Text(word)) => Value::Bool(word == "yes"),
        _ => serde_json::to_value(value).unwrap_or(Value::Null),
    }
}
