//! What became of an operation, and sealing one that was never seen (CONTRACT 5).

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use domain::payload::MemberError;
use domain::registry::Authority;
use domain::{CommandId, Operation};
use http::{HeaderMap, Uri};
use serde_json::Value;
use wire::{Code, IdempotencyKey, LookedUpKey, LookupAnswer, OperationState, OperationStatus, Problem};

use crate::app::App;
use crate::command::Answer;
use crate::command::read::{invalid, malformed};
use crate::execution::fold::{FORGOTTEN, is_forgotten};
use crate::execution::{Outcome, Record};
use crate::http::answer::{Refused, ok};
use crate::http::body;
use crate::http::signed::Signed;
use crate::http::trace::RequestId;
use crate::routes::query;
use crate::storage::{LookedUp, Seal, Sealing, StorageError};

/// `GET /v1/operations/{command_id}?key=`
pub async fn look_up(
    State(app): State<Arc<App>>,
    signed: Signed,
    command_id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Answer, Refused> {
    let key = key_of(command_id, &uri)?;
    let statuses = statuses(&app, &signed, vec![key]).await?;
    statuses
        .first()
        .map(|(_, status)| ok(200, status))
        .ok_or_else(|| Problem::new(Code::InternalError, "The look-up found nothing to say.").into())
}

/// `POST /v1/operations/lookup`
pub async fn look_up_many(
    State(app): State<Arc<App>>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer, Refused> {
    let keys = keys_of(&body::json(&body::read(&headers, body, app.config.body_bytes.count()).await?)?)?;
    let statuses = statuses(&app, &signed, keys).await?;
    let found = statuses.into_iter().map(|(idempotency_key, status)| LookedUpKey { idempotency_key, status });
    Ok(ok(200, &LookupAnswer { results: found.collect() }))
}

/// `POST /v1/operations/{command_id}/seal?key=`
pub async fn seal(
    State(app): State<Arc<App>>,
    signed: Signed,
    Extension(request_id): Extension<RequestId>,
    command_id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Answer, Refused> {
    let key = key_of(command_id, &uri)?;
    let operation = operation_of(&key)?;
    let (request_id, session_version) = (request_id.0, signed.0.session_version);
    let sealing = Sealing { key, request_id, session_version, now: app.clock.now() };
    let known = match app.storage.seal(signed.asker(), sealing).await? {
        Seal::Recorded(record) => LookedUp::Recorded(record),
        Seal::Foreign => LookedUp::NotSeen,
        Seal::Forgotten => LookedUp::Forgotten,
    };
    Ok(ok(200, &status(&app, &signed, operation, known)?))
}

/// The state of each key. A key in hand is asked about before the records are: what is done by then has one.
async fn statuses(
    app: &App,
    signed: &Signed,
    keys: Vec<IdempotencyKey>,
) -> Result<Vec<(IdempotencyKey, OperationStatus)>, Refused> {
    let in_hand = app.gatherer.in_hand();
    let running: Vec<bool> = keys.iter().map(|key| in_hand.has(signed.0.tenant.id, key.as_str())).collect();
    let known = app.storage.look_up(signed.asker(), keys.clone()).await?;
    // Asked for after the records: the horizon is raised with the removal of one.
    let horizon = app.storage.purge_horizon().await?;
    let mut statuses = Vec::with_capacity(keys.len());
    for ((key, known), is_running) in keys.into_iter().zip(known).zip(running) {
        let id = operation_of(&key)?;
        let known = match known {
            LookedUp::NotSeen if is_running => LookedUp::Processing,
            LookedUp::NotSeen if is_forgotten(id, horizon) => LookedUp::Forgotten,
            known => known,
        };
        let status = status(app, signed, id, known)?;
        statuses.push((key, status));
    }
    Ok(statuses)
}

fn status(
    app: &App,
    signed: &Signed,
    operation_id: CommandId,
    known: LookedUp,
) -> Result<OperationStatus, StorageError> {
    let mut status = OperationStatus {
        operation_id,
        state: OperationState::NotSeen,
        is_final: matches!(known, LookedUp::Recorded(_) | LookedUp::Forgotten),
        result: None,
        problem: None,
        as_of: app.clock.now(),
    };
    let record = match known {
        LookedUp::Recorded(record) => record,
        LookedUp::Processing => return Ok(OperationStatus { state: OperationState::Processing, ..status }),
        LookedUp::NotSeen => return Ok(status),
        LookedUp::Forgotten => {
            // No state says so. The problem does, as it would to a resend: that it never happened is not what is meant.
            status.problem = Some(Problem::new(Code::OperationWindowExpired, FORGOTTEN).about(operation_id));
            return Ok(status);
        }
    };
    let damaged = |_| StorageError::Broken("a stored answer cannot be read".to_owned());
    if record.outcome == Outcome::Committed {
        status.state = OperationState::Committed;
        if may_see_details(signed, &record) {
            status.result = Some(serde_json::from_str(&record.body).map_err(damaged)?);
        } else {
            let detail = "It is committed, but you may no longer see the details.";
            status.problem = Some(Problem::new(Code::ReplayForbidden, detail).about(operation_id));
        }
    } else {
        status.state = OperationState::Failed;
        status.problem = Some(serde_json::from_str(&record.body).map_err(damaged)?);
    }
    Ok(status)
}

/// As at a replay: operations with authority at intent always show their actor the receipt.
fn may_see_details(signed: &Signed, record: &Record) -> bool {
    let Some(policy) = Operation::named(&record.operation).map(Operation::policy) else { return true };
    policy.authority == Authority::AtIntent || signed.0.role >= policy.least_role
}

/// The key of the query, which must be about the command of the path.
fn key_of(command_id: Result<Path<String>, PathRejection>, uri: &Uri) -> Result<IdempotencyKey, Problem> {
    let Path(command_id) = command_id.map_err(|_| malformed("The path", "is not UTF-8"))?;
    let parameters = query::read(uri, &["key"])?;
    let text = parameters.get("key").filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Problem::new(Code::IdempotencyKeyMissing, "The key parameter is missing."))?;
    let key = IdempotencyKey::from_header(text)
        .map_err(|error| Problem::new(Code::IdempotencyKeyInvalid, error.to_string()))?;
    if operation_of(&key)?.to_string() == command_id {
        Ok(key)
    } else {
        Err(Problem::new(Code::IdempotencyKeyInvalid, "The key does not name this command."))
    }
}

fn operation_of(key: &IdempotencyKey) -> Result<CommandId, Problem> {
    key.command_id().ok_or_else(|| Problem::new(Code::IdempotencyKeyInvalid, "The key names no command."))
}

fn keys_of(body: &Value) -> Result<Vec<IdempotencyKey>, Problem> {
    let Value::Object(map) = body else { return Err(malformed("", "must be an object")) };
    if map.keys().any(|name| name != "keys") {
        return Err(malformed("", "has a member that this route does not know"));
    }
    let one = |pointer: &str, detail: &str| {
        invalid(vec![MemberError { pointer: pointer.to_owned(), detail: detail.to_owned() }])
    };
    let keys = match map.get("keys") {
        None | Some(Value::Null) => return Err(one("/keys", "is missing")),
        Some(Value::Array(keys)) => keys,
        Some(_) => return Err(malformed("/keys", "must be an array")),
    };
    if keys.len() > wire::LOOKUP_KEYS_MAX {
        return Err(one("/keys", "has more than 200 keys"));
    }
    let mut read = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        let pointer = format!("/keys/{index}");
        let text = key.as_str().ok_or_else(|| malformed(&pointer, "must be a text"))?;
        let key = IdempotencyKey::from_header(text).ok().filter(|key| key.command_id().is_some());
        read.push(key.ok_or_else(|| one(&pointer, "is not an idempotency key"))?);
    }
    Ok(read)
}
