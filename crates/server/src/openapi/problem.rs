//! Which problems a route may say, by status, each with an example as it is written.

use std::collections::BTreeMap;

use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Header, Response};
use wire::{Code, PROBLEM_JSON, Problem};

use super::shape::{named, one_of, only, text, whole_from};

/// Every route: the head is too large, the server cannot work just now, or has a bug.
pub(super) const ANY: &[Code] = &[Code::RequestHeadTooLarge, Code::TemporarilyUnavailable, Code::InternalError];
/// Routes for those who have signed in.
pub(super) const SIGNED: &[Code] =
    &[Code::Unauthenticated, Code::TokenExpired, Code::SessionRevoked, Code::RateLimited];
/// Routes with a body.
pub(super) const BODY: &[Code] =
    &[Code::MalformedRequest, Code::ValidationFailed, Code::PayloadTooLarge, Code::UnsupportedMediaType];
/// Signing in.
pub(super) const SIGN_IN: &[Code] = &[Code::InvalidCredentials, Code::RateLimited];
/// Refreshing.
pub(super) const REFRESH: &[Code] = &[Code::Unauthenticated, Code::SessionRevoked, Code::RateLimited];
/// Executing a command.
pub(super) const COMMAND: &[Code] = &[
    Code::OperationInProgress,
    Code::IdempotencyKeyReused,
    Code::IdempotencyKeyMissing,
    Code::IdempotencyKeyInvalid,
    Code::UnsupportedVersion,
    Code::PayloadHashMismatch,
    Code::DomainRejected,
    Code::RevisionConflict,
    Code::TargetDeleted,
    Code::TargetNotFound,
    Code::DependencyMissing,
    Code::DependencyFailed,
    Code::OperationSealed,
    Code::Forbidden,
    Code::ConfirmationRequired,
    Code::ReplayForbidden,
    Code::OperationWindowExpired,
    Code::OutcomeUnknown,
];
/// Asking about an operation by its key.
pub(super) const KEY: &[Code] = &[Code::MalformedRequest, Code::IdempotencyKeyMissing, Code::IdempotencyKeyInvalid];
/// Reading the feed.
pub(super) const FEED: &[Code] =
    &[Code::MalformedRequest, Code::ValidationFailed, Code::CursorInvalid, Code::CursorExpired];
/// A route that is not there for everybody.
pub(super) const HIDDEN: &[Code] = &[Code::NotFound];

/// The responses for these codes, by status.
pub(super) fn responses(groups: &[&[Code]]) -> BTreeMap<String, Response> {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in groups.iter().copied().flatten() {
        let codes = by_status.entry(code.meaning().0).or_default();
        if !codes.contains(code) {
            codes.push(*code);
        }
    }
    by_status.into_iter().map(|(status, codes)| (status.to_string(), response(status, &codes))).collect()
}

/// The response of this status for these codes.
pub(super) fn response(status: u16, codes: &[Code]) -> Response {
    let titles: Vec<String> = codes.iter().map(|code| format!("`{}`: {}.", code.name(), code.meaning().3)).collect();
    let narrowed = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("status", only(status))
        .property("code", one_of(codes.iter().map(|code| code.name())));
    let examples = codes.iter().map(|code| {
        let problem = Problem::new(*code, "What is said about this one.");
        let value = serde_json::to_value(problem).ok();
        (code.name(), ExampleBuilder::new().summary(code.meaning().3).value(value).build())
    });
    let schema = AllOfBuilder::new().item(named("Problem")).item(narrowed);
    let content = ContentBuilder::new().schema(Some(schema)).examples_from_iter(examples).build();
    let response = with_request_id(ResponseBuilder::new().description(titles.join(" ")).content(PROBLEM_JSON, content));
    let response = if matches!(status, 429 | 503) { response.header("Retry-After", retry_after()) } else { response };
    let response = if status == 401 { response.header("WWW-Authenticate", www_authenticate()) } else { response };
    response.build()
}

/// With the header that every answer has.
pub(super) fn with_request_id(response: ResponseBuilder) -> ResponseBuilder {
    let header = HeaderBuilder::new().schema(Some(text()));
    let header =
        header.description(Some("The request's own id, or one made for it; also in the server's log and audit."));
    response.header("X-Request-Id", header.build())
}

fn retry_after() -> Header {
    let header = HeaderBuilder::new().schema(Some(whole_from(1)));
    header.description(Some("Seconds to wait before the same request is sent again.")).build()
}

fn www_authenticate() -> Header {
    HeaderBuilder::new().schema(Some(only("Bearer"))).description(Some("How to sign in.")).build()
}
