//! What is left of an answer once it has been kept in full for its time: enough to answer a repeat with the same
//! outcome, and nothing to read. The other members of the answer are in the columns of its record.

use domain::{EntityId, Revision, TenantId};
use serde::{Deserialize, Serialize};
use wire::receipt::Committed;
use wire::{Code, Fence, Problem, Receipt, ResultRef};

use crate::command::answer::json;
use crate::execution::ground::{Outcome, Record};

/// Of a receipt.
#[derive(Serialize, Deserialize)]
struct OfReceipt {
    session_version: u32,
    /// None: the target, at the record's revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<ResultRef>,
    feed_position: u64,
}

/// Of a problem: what decides how its client goes on, without what the target held then.
#[derive(Serialize, Deserialize)]
struct OfProblem {
    code: Code,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current_revision: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conflicting_fields: Vec<String>,
}

/// What remains of the answer of `record`; `None` if it cannot be read, and is better left as it is.
pub fn reduced(record: &Record) -> Option<String> {
    if record.outcome == Outcome::Committed {
        let receipt: Receipt = serde_json::from_str(&record.body).ok()?;
        let result = (Some(&receipt.result) != target(record).as_ref()).then_some(receipt.result);
        let session_version = receipt.fence.session_version;
        return Some(json(&OfReceipt { session_version, result, feed_position: receipt.feed_position }));
    }
    let Problem { code, reason, current_revision, conflicting_fields, .. } = serde_json::from_str(&record.body).ok()?;
    Some(json(&OfProblem { code, reason, current_revision, conflicting_fields }))
}

/// The answer that repeats get, from what `record` holds now; `None` if that is damaged.
pub fn answer(tenant: TenantId, record: &Record) -> Option<String> {
    if record.outcome == Outcome::Committed { receipt(tenant, record).map(|it| json(&it)) } else { problem(record) }
}

fn receipt(tenant: TenantId, record: &Record) -> Option<Receipt> {
    let remains: OfReceipt = serde_json::from_str(&record.body).ok()?;
    let target = target(record)?;
    Some(Receipt {
        operation_id: record.command_id,
        state: Committed::Committed,
        fence: Fence {
            tenant_id: tenant,
            actor_id: record.actor,
            session_version: remains.session_version,
            payload_hash: record.payload_hash.clone()?,
            entity_type: record.entity_type.clone(),
            entity_id: target.id,
            entity_revision: target.revision,
        },
        result: remains.result.unwrap_or(target),
        feed_position: remains.feed_position,
        committed_at: record.recorded_at,
        receipt_reduced: true,
    })
}

fn problem(record: &Record) -> Option<String> {
    let remains: OfProblem = serde_json::from_str(&record.body).ok()?;
    let problem = Problem {
        reason: remains.reason,
        current_revision: remains.current_revision,
        conflicting_fields: remains.conflicting_fields,
        receipt_reduced: true,
        ..Problem::new(remains.code, "This was answered long ago; the details are no longer kept.")
    };
    Some(json(&problem.about(record.command_id)))
}

fn target(record: &Record) -> Option<ResultRef> {
    let id: EntityId = record.entity_id.parse().ok()?;
    Some(ResultRef { kind: record.entity_type.clone(), id, revision: Revision(record.entity_revision?) })
}
