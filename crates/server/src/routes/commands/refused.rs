//! Attempts that are refused before they can be decided, in the audit: one entry each, as far as they say what they were.
//!
//! What names no command is no attempt on one: a body that is no JSON, or too long, is counted and logged, and that is
//! all. Nor does the audit hold what the database could not take or was spared (429 and 5xx): the log does, by the
//! request's id. A token that is not ours leaves nothing: strangers fill no disk.

use std::time::Duration;

use axum::body::Body;
use domain::{ActorId, Operation, TenantId};
use http::HeaderMap;
use serde_json::Value;
use wire::{Code, Problem};

use crate::app::App;
use crate::command::read::Hints;
use crate::execution::AuditEntry;
use crate::http::answer::Refused;
use crate::http::body;
use crate::http::signed::{Named, claims};
use crate::http::trace::RequestId;
use crate::metrics;

/// How long after it has expired a token still tells whose attempt it was.
const TOKEN_TELLS_FOR: Duration = Duration::from_hours(24);

/// An attempt of somebody who is signed in, which could not be read.
pub(super) async fn unread(
    app: &App,
    named: Named,
    request_id: &RequestId,
    key: &str,
    body: &Value,
    problem: Problem,
) -> Problem {
    if body.is_null() {
        return problem;
    }
    let hints = Hints::of(body);
    metrics::attempt(hints.operation.as_deref().and_then(Operation::named), problem.status, false);
    let Some(command_id) = hints.command_id else { return problem };
    audit(app, (named.tenant, named.actor), request_id, key, hints, problem.code).await;
    problem.about(command_id)
}

/// An attempt that could not be read, of somebody whose session was ended: that alone is said. One that could be read
/// was executed, and is in the audit like any other.
pub(super) async fn ended(
    app: &App,
    named: Named,
    request_id: &RequestId,
    key: &str,
    body: &Value,
    refusal: Refused,
) -> Refused {
    let hints = Hints::of(body);
    if let Some(code) = told_by_token(&refusal)
        && hints.command_id.is_some()
        && app.rates.may_audit_unsigned(named.session)
    {
        audit(app, (named.tenant, named.actor), request_id, key, hints, code).await;
    }
    refusal
}

/// What was found of a token of ours, if it is that which `refusal` is about.
fn told_by_token(refusal: &Refused) -> Option<Code> {
    refusal.0.code().filter(|code| matches!(code, Code::SessionRevoked | Code::TokenExpired))
}

/// Attempts that came with a token of ours which opens nothing any more: after its session was ended, or too late. The
/// answer is decided; what was sent is read for the audit alone, and only so many of one session.
pub(super) async fn unsigned(
    app: &App,
    request_id: &RequestId,
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    refusal: Refused,
) -> Refused {
    let (Some(code), Ok(claims)) = (told_by_token(&refusal), claims(app, headers)) else { return refusal };
    let oldest = app.clock.now().plus_ms(-i64::try_from(TOKEN_TELLS_FOR.as_millis()).unwrap_or(0));
    if claims.number < oldest.0 || !app.rates.may_audit_unsigned(claims.session) {
        return refusal;
    }
    let Ok(bytes) = body::read(headers, body, bytes_max).await else { return refusal };
    let Ok(body) = body::json(&bytes) else { return refusal };
    let who = (claims.tenant, claims.actor);
    let Some(commands) = body.get("commands").and_then(Value::as_array) else {
        let hints = Hints::of(&body);
        metrics::attempt(hints.operation.as_deref().and_then(Operation::named), 401, false);
        if hints.command_id.is_some() {
            audit(app, who, request_id, key_text(headers), hints, code).await;
        }
        return refusal;
    };
    for command in commands.iter().take(wire::BATCH_COMMANDS_MAX) {
        let hints = Hints::of(command);
        metrics::attempt(hints.operation.as_deref().and_then(Operation::named), 401, false);
        if hints.command_id.is_some() && app.rates.may_audit_unsigned(claims.session) {
            let key = command.get("idempotency_key").and_then(Value::as_str).unwrap_or_default();
            audit(app, who, request_id, key, hints, code).await;
        }
    }
    refusal
}

/// The key as it was sent, if that can be told.
pub(super) fn key_text(headers: &HeaderMap) -> &str {
    headers.get("idempotency-key").and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn audit(
    app: &App,
    (tenant, actor): (TenantId, ActorId),
    request_id: &RequestId,
    key: &str,
    hints: Hints,
    code: Code,
) {
    let entry = AuditEntry {
        command_id: hints.command_id.map_or_else(String::new, |id| id.to_string()),
        key: cut(key, 128),
        actor_id: actor.to_string(),
        entity_type: cut(&hints.target_type.unwrap_or_default(), 60),
        entity_id: hints.target.map_or_else(String::new, |target| target.to_string()),
        operation: cut(&hints.operation.unwrap_or_default(), 60),
        previous_revision: None,
        next_revision: None,
        result: "rejected".into(),
        code: Some(code.name().into()),
        authority: None,
        session_version: hints.session_version,
        issued_under: hints.issued_under,
        request_id: request_id.0.clone(),
        occurred_at: app.clock.now(),
    };
    if let Err(error) = app.storage.audit_refusal(tenant, entry).await {
        tracing::warn!(%error, request_id = %request_id.0, "a refusal could not be audited");
    }
}

/// What somebody wrote where a name or a key belongs, cut to the length of one.
fn cut(text: &str, chars: usize) -> String {
    text.trim_matches([' ', '\t']).chars().filter(|char| !char.is_control()).take(chars).collect()
}
