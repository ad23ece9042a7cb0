//! Around every request: its id, one log line without secrets or texts, and a net for bugs.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue};
use wire::{Code, Problem};

use crate::http::answer::Refused;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, for the audit and the log.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// Gives the request an id, runs it, and writes one line about it.
pub async fn traced(mut request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    request.extensions_mut().insert(RequestId(id.clone()));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let began = Instant::now();
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        tracing::error!(request_id = %id, "a request panicked");
        Refused::from(Problem::new(Code::InternalError, "The cause is in the server's log.")).into_response()
    });
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status().as_u16();
    tracing::info!(request_id = %id, %method, path, status, ms = began.elapsed().as_millis(), "request");
    response
}

/// The caller's id if it is short and printable, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    given
        .filter(|id| (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic()))
        .map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}
