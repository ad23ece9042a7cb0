//! A row of the outbox between its columns and the engine's type.
//!
//! What cannot be read back does not take the rest of the row with it: content whose hash no longer fits is lost,
//! shown as lost, and never sent; notes about a row that cannot be read are left out.

use domain::{ActorId, CommandId, EntityId, Operation, TenantId, Timestamp};
use engine::delivery::{
    Claim, ConflictFound, Delivery, Hold, KeptReceipt, OutboxRow, Refusal, Resolution, ResolutionKind, StateName,
};
use engine::ports::StoreError;
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;
use wire::{IdempotencyKey, Target, payload_hash};

use crate::sqlite::text::{json, named, read, word};

/// The columns as they are.
#[derive(FromRow)]
pub(crate) struct Columns {
    seq: i64,
    intent_id: String,
    command_id: String,
    idempotency_key: String,
    operation: String,
    schema_version: u32,
    lane: String,
    place: i64,
    expected: Option<String>,
    payload: Option<String>,
    payload_hash: String,
    tenant_id: String,
    actor_id: String,
    session_version: u32,
    issued_at: i64,
    confirmed_at: Option<i64>,
    seen: Option<String>,
    state: String,
    claim_epoch: Option<i64>,
    claim_token: Option<String>,
    sent_at: Option<i64>,
    due_at: Option<i64>,
    hold: Option<String>,
    ask_at: Option<i64>,
    conflict: Option<String>,
    refusal: Option<String>,
    receipt: Option<String>,
    attempt: u32,
    same_failures: u32,
    last_error: Option<String>,
    not_before: Option<i64>,
    resolution: Option<String>,
    successor: Option<String>,
    resolved_by: Option<String>,
    resolved_at: Option<i64>,
    projected: bool,
    created_at: i64,
    updated_at: i64,
}

impl Columns {
    /// The enqueue order: readable whatever else is.
    pub(crate) fn seq(&self) -> i64 {
        self.seq
    }
}

fn damaged(column: &str) -> StoreError {
    StoreError::Damaged(format!("the outbox column {column} is not readable"))
}

fn id(text: &str, column: &str) -> Result<Uuid, StoreError> {
    Uuid::try_parse(text).map_err(|_| damaged(column))
}

impl TryFrom<Columns> for OutboxRow {
    type Error = StoreError;

    fn try_from(columns: Columns) -> Result<Self, StoreError> {
        let operation = Operation::named(&columns.operation).ok_or_else(|| damaged("operation"))?;
        let target = EntityId(id(&columns.lane, "lane")?);
        Ok(Self {
            seq: columns.seq,
            place: columns.place,
            intent_id: id(&columns.intent_id, "intent_id")?,
            command_id: CommandId(id(&columns.command_id, "command_id")?),
            key: IdempotencyKey::try_from(columns.idempotency_key.clone()).map_err(|_| damaged("idempotency_key"))?,
            operation,
            schema_version: columns.schema_version,
            target,
            expected: read(columns.expected.as_deref()),
            payload: intact_payload(&columns, Target::of(operation, target)),
            tenant_id: TenantId(id(&columns.tenant_id, "tenant_id")?),
            actor_id: ActorId(id(&columns.actor_id, "actor_id")?),
            session_version: columns.session_version,
            issued_at: Timestamp(columns.issued_at),
            confirmed_at: columns.confirmed_at.map(Timestamp),
            seen: read(columns.seen.as_deref()),
            delivery: delivery(&columns)?,
            attempt: columns.attempt,
            same_failures: columns.same_failures,
            last_error: read(columns.last_error.as_deref()),
            not_before: columns.not_before.map(Timestamp),
            resolution: resolution(&columns)?,
            projected: columns.projected,
            created_at: Timestamp(columns.created_at),
            updated_at: Timestamp(columns.updated_at),
            payload_hash: columns.payload_hash,
        })
    }
}

/// The payload, if everything that was hashed still has the hash.
fn intact_payload(columns: &Columns, target: Target) -> Option<Value> {
    let payload: Value = read(columns.payload.as_deref())?;
    let expected = match columns.expected.as_deref() {
        None => Value::Null,
        text => read(text)?,
    };
    let target = serde_json::to_value(target).ok()?;
    let hash = payload_hash(&columns.operation, columns.schema_version, &target, &expected, &payload);
    (hash == columns.payload_hash).then_some(payload)
}

fn delivery(columns: &Columns) -> Result<Delivery, StoreError> {
    let hold = || columns.hold.as_deref().and_then(named::<Hold>);
    let claim = || -> Result<Claim, StoreError> {
        let token = columns.claim_token.as_deref().ok_or_else(|| damaged("claim_token"))?;
        let epoch = columns.claim_epoch.ok_or_else(|| damaged("claim_epoch"))?;
        Ok(Claim { epoch: epoch.unsigned_abs(), token: id(token, "claim_token")? })
    };
    Ok(match StateName::named(&columns.state).ok_or_else(|| damaged("state"))? {
        StateName::Queued => Delivery::Queued,
        StateName::Claimed => Delivery::Claimed { claim: claim()? },
        StateName::Sending => {
            Delivery::Sending { claim: claim()?, sent_at: Timestamp(columns.sent_at.unwrap_or_default()) }
        }
        StateName::RetryableFailed => {
            Delivery::RetryableFailed { due_at: columns.due_at.map(Timestamp), hold: hold().unwrap_or(Hold::Person) }
        }
        StateName::Unknown => Delivery::Unknown { ask_at: columns.ask_at.map(Timestamp), hold: hold() },
        StateName::Conflict => Delivery::Conflict {
            conflict: read(columns.conflict.as_deref()).unwrap_or_else(|| ConflictFound {
                current_revision: None,
                current: Value::Object(serde_json::Map::new()),
                conflicting_fields: Vec::new(),
            }),
        },
        StateName::Rejected => Delivery::Rejected {
            refusal: read(columns.refusal.as_deref()).unwrap_or_else(|| Refusal {
                code: "unreadable".to_owned(),
                reason: None,
                detail: String::new(),
            }),
        },
        StateName::Acked => {
            Delivery::Acked { receipt: read(columns.receipt.as_deref()).unwrap_or(KeptReceipt::Withheld) }
        }
    })
}

fn resolution(columns: &Columns) -> Result<Option<Resolution>, StoreError> {
    let Some(kind) = columns.resolution.as_deref() else { return Ok(None) };
    let kind = named::<ResolutionKind>(kind).ok_or_else(|| damaged("resolution"))?;
    let by = columns.resolved_by.as_deref().ok_or_else(|| damaged("resolved_by"))?;
    let successor = columns.successor.as_deref().map(|text| id(text, "successor").map(CommandId)).transpose()?;
    Ok(Some(Resolution {
        kind,
        successor,
        by: ActorId(id(by, "resolved_by")?),
        at: Timestamp(columns.resolved_at.unwrap_or_default()),
    }))
}

/// The columns that mirror the variants of [`Delivery`].
#[derive(Default)]
pub(crate) struct DeliveryColumns {
    pub(super) claim_epoch: Option<i64>,
    pub(super) claim_token: Option<String>,
    pub(super) sent_at: Option<i64>,
    pub(super) due_at: Option<i64>,
    pub(super) hold: Option<String>,
    pub(super) ask_at: Option<i64>,
    pub(super) conflict: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) receipt: Option<String>,
}

impl From<&Delivery> for DeliveryColumns {
    fn from(delivery: &Delivery) -> Self {
        let claim = delivery.claim();
        let mut columns = Self {
            claim_epoch: claim.and_then(|claim| i64::try_from(claim.epoch).ok()),
            claim_token: claim.map(|claim| claim.token.to_string()),
            hold: delivery.hold().as_ref().map(word),
            ..Self::default()
        };
        match delivery {
            Delivery::Queued | Delivery::Claimed { .. } => {}
            Delivery::Sending { sent_at, .. } => columns.sent_at = Some(sent_at.0),
            Delivery::RetryableFailed { due_at, .. } => columns.due_at = due_at.map(|at| at.0),
            Delivery::Unknown { ask_at, .. } => columns.ask_at = ask_at.map(|at| at.0),
            Delivery::Conflict { conflict } => columns.conflict = Some(json(conflict)),
            Delivery::Rejected { refusal } => columns.refusal = Some(json(refusal)),
            Delivery::Acked { receipt } => columns.receipt = Some(json(receipt)),
        }
        columns
    }
}
