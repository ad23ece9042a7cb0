//! Executing commands, one and many (CONTRACT 3 and 4).

mod refused;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::payload::MemberError;
use domain::{EntityId, Operation};
use http::HeaderMap;
use serde::Serialize;
use serde_json::Map;
use serde_json::value::{RawValue, Value};
use wire::{Code, IdempotencyKey, Problem};

use crate::app::App;
use crate::command::read::{Hints, invalid, malformed};
use crate::command::{Answer, Attempt, Batch, Sender, read};
use crate::http::answer::{Refused, ok};
use crate::http::body;
use crate::http::signed::{Named, Signed};
use crate::http::trace::RequestId;
use crate::metrics;

/// `POST /v1/commands`
pub async fn execute(
    State(app): State<Arc<App>>,
    named: Result<Named, Refused>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refused> {
    let limit = app.config.body_bytes.count();
    let named = match named {
        Ok(named) => named,
        Err(refusal) => return Err(refused::unsigned(&app, &request_id, &headers, body, limit, refusal).await),
    };
    let attempt = match receive(named, &request_id, &headers, body, limit).await {
        Ok(attempt) => attempt,
        Err(unread) => return Err(unread.refused(&app, named, &request_id, refused::key_text(&headers)).await),
    };
    let operation = attempt.command.payload.operation();
    let answer = app.gatherer.execute(vec![attempt]).await.into_iter().next();
    if answer.as_ref().is_none_or(|answer| answer.status == 409 || answer.status >= 500) {
        // Nobody looked yet whether the session stands.
        named.stands(&app).await?;
    }
    if let Some(answer) = &answer {
        metrics::attempt(Some(operation), answer.status, answer.replayed);
    }
    #[cfg(feature = "failpoints")]
    if crate::failpoint::is_dropped(answer.as_ref()) {
        let mut response = Response::new(Body::empty());
        response.extensions_mut().insert(crate::http::listen::Unanswered);
        return Ok(response);
    }
    let missing = || Problem::new(Code::InternalError, "The server gave no answer.").into();
    answer.map(axum::response::IntoResponse::into_response).ok_or_else(missing)
}

/// A command that could not be read, with what could be.
struct Unread {
    body: Value,
    problem: Problem,
}

impl From<Problem> for Unread {
    fn from(problem: Problem) -> Self {
        Self { body: Value::Null, problem }
    }
}

impl Unread {
    /// Whoever is signed out hears that, whatever else is wrong.
    async fn refused(self, app: &App, named: Named, request_id: &RequestId, key: &str) -> Refused {
        match named.stands(app).await {
            Ok(_) => refused::unread(app, named, request_id, key, &self.body, self.problem).await.into(),
            Err(refusal) => refused::ended(app, named, request_id, key, &self.body, refusal).await,
        }
    }
}

async fn receive(
    named: Named,
    request_id: &RequestId,
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
) -> Result<Attempt, Unread> {
    let body = body::json(&body::read(headers, body, bytes_max).await?)?;
    let attempt = key_of(headers).and_then(|key| attempt(named, request_id, &key, &body, None));
    attempt.map_err(|problem| Unread { body, problem })
}

/// `POST /v1/commands/batch`
pub async fn execute_batch(
    State(app): State<Arc<App>>,
    signed: Result<Signed, Refused>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refused> {
    let limit = app.config.batch_bytes.count();
    let signed = match signed {
        Ok(signed) => signed,
        Err(refusal) => return Err(refused::unsigned(&app, &request_id, &headers, body, limit, refusal).await),
    };
    let body = body::json(&body::read(&headers, body, limit).await?)?;
    let commands = commands_of(&body)?;
    let (items, attempts) = read_items(&app, signed.named(), &request_id, commands).await;
    let operations: Vec<Operation> = attempts.iter().map(|attempt| attempt.command.payload.operation()).collect();
    let executed = app.gatherer.execute(attempts).await;
    for (operation, answer) in operations.into_iter().zip(&executed) {
        metrics::attempt(Some(operation), answer.status, answer.replayed);
    }
    let mut executed = executed.into_iter();
    let results: Vec<ItemAnswer> = items
        .into_iter()
        .map(|item| {
            let answer = item.refusal.or_else(|| executed.next());
            let answer = answer
                .unwrap_or_else(|| Answer::problem(&Problem::new(Code::InternalError, "The server gave no answer.")));
            if let Some(code) = answer.code() {
                metrics::problem(code);
            }
            let body = RawValue::from_string(answer.body).ok();
            ItemAnswer { idempotency_key: item.key, status: answer.status, body }
        })
        .collect();
    Ok(ok(200, &BatchAnswer { results }).into_response())
}

/// What a batch is answered with.
#[derive(Serialize)]
struct BatchAnswer {
    results: Vec<ItemAnswer>,
}

/// What one item would have been answered with alone, byte for byte.
#[derive(Serialize)]
struct ItemAnswer {
    idempotency_key: Value,
    status: u16,
    body: Option<Box<RawValue>>,
}

/// One item of a batch: refused as it stands, or executed.
struct Item {
    key: Value,
    refusal: Option<Answer>,
}

/// Reads every item. One that is refused here blocks later ones on its target as one that is refused later would.
async fn read_items(app: &App, named: Named, request_id: &RequestId, commands: &[Value]) -> (Vec<Item>, Vec<Attempt>) {
    static BATCHES: AtomicU64 = AtomicU64::new(0);
    let id = BATCHES.fetch_add(1, Ordering::Relaxed);
    let mut refused_targets: HashSet<EntityId> = HashSet::new();
    let (mut items, mut attempts) = (Vec::with_capacity(commands.len()), Vec::with_capacity(commands.len()));
    for command in commands {
        let (key_text, key, body) = take_key(command);
        let target = Hints::of(&body).target;
        let blocked = target.is_some_and(|target| refused_targets.contains(&target));
        let read = match &key {
            Ok(key) => attempt(named, request_id, key, &body, Some(Batch { id, blocked })),
            Err(problem) => Err(problem.clone()),
        };
        let refusal = match read {
            Ok(attempt) => {
                attempts.push(attempt);
                None
            }
            Err(problem) => {
                refused_targets.extend(target);
                let key = key_text.as_str().unwrap_or_default();
                let problem = refused::unread(app, named, request_id, key, &body, problem).await;
                Some(Answer::problem(&problem))
            }
        };
        items.push(Item { key: key_text, refusal });
    }
    (items, attempts)
}

/// The key of a batch's item, as written and as read, and the item without it.
fn take_key(command: &Value) -> (Value, Result<IdempotencyKey, Problem>, Value) {
    let mut body = command.clone();
    let text = body.as_object_mut().and_then(|members: &mut Map<String, Value>| members.remove("idempotency_key"));
    let text = text.unwrap_or(Value::Null);
    let key = match &text {
        Value::Null => Err(Problem::new(Code::IdempotencyKeyMissing, "The item has no idempotency_key.")),
        Value::String(text) => IdempotencyKey::from_header(text).map_err(key_problem),
        _ => Err(malformed("/idempotency_key", "must be a text")),
    };
    (text, key, body)
}

fn commands_of(body: &Value) -> Result<&[Value], Problem> {
    let Value::Object(map) = body else { return Err(malformed("", "must be an object")) };
    if map.keys().any(|name| name != "commands") {
        return Err(malformed("", "has a member that this route does not know"));
    }
    let one = |detail: &str| invalid(vec![MemberError { pointer: "/commands".to_owned(), detail: detail.to_owned() }]);
    match map.get("commands") {
        None | Some(Value::Null) => Err(one("is missing")),
        Some(Value::Array(commands)) if commands.len() > wire::BATCH_COMMANDS_MAX => {
            Err(one("has more than 100 commands"))
        }
        Some(Value::Array(commands)) => Ok(commands),
        Some(_) => Err(malformed("/commands", "must be an array")),
    }
}

fn key_of(headers: &HeaderMap) -> Result<IdempotencyKey, Problem> {
    let mut values = headers.get_all("idempotency-key").iter();
    let invalid = |detail: &str| Problem::new(Code::IdempotencyKeyInvalid, detail);
    let first = values.next().ok_or_else(|| Problem::new(Code::IdempotencyKeyMissing, "The header is missing."))?;
    if values.next().is_some() {
        return Err(invalid("The header is there twice."));
    }
    let text = first.to_str().map_err(|_| invalid("The header is not visible ASCII."))?;
    IdempotencyKey::from_header(text).map_err(key_problem)
}

fn key_problem(error: wire::key::KeyError) -> Problem {
    Problem::new(Code::IdempotencyKeyInvalid, error.to_string())
}

fn attempt(
    named: Named,
    request_id: &RequestId,
    key: &IdempotencyKey,
    body: &Value,
    batch: Option<Batch>,
) -> Result<Attempt, Problem> {
    let envelope = read::read(key, body)?;
    Ok(Attempt {
        tenant: named.tenant,
        sender: Sender::Session(named.session),
        key: key.clone(),
        command: envelope.command(named.actor),
        payload_hash: envelope.payload_hash,
        confirmed_at: envelope.confirmed_at,
        session_version: envelope.session_version,
        issued_under: envelope.issued_under,
        request_id: request_id.0.clone(),
        batch,
    })
}
