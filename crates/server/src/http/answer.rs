//! How answers look: our JSON or our problems, never cached, and nothing of anybody else's making.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use wire::{Code, PROBLEM_JSON, Problem, REPLAYED_HEADER};

use crate::command::Answer;
use crate::command::answer::json;
use crate::metrics;
use crate::storage::StorageError;

/// A refusal on its way out.
#[derive(Debug)]
pub struct Refused(pub Answer);

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self(Answer::problem(&problem))
    }
}

impl From<StorageError> for Refused {
    fn from(error: StorageError) -> Self {
        tracing::error!(%error, "a request failed");
        error.problem().into()
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let content_type = if self.status < 400 { "application/json" } else { PROBLEM_JSON };
        if let Some(code) = self.code() {
            metrics::problem(code);
        }
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.replayed {
            headers.insert(HeaderName::from_static(REPLAYED_HEADER), HeaderValue::from_static("true"));
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == 401 {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// A body of ours with this status.
pub fn ok(status: u16, value: &impl Serialize) -> Answer {
    Answer { status, body: json(value), replayed: false, retry_after_s: None }
}

/// The answer for an unknown route.
pub async fn not_found() -> Refused {
    Problem::new(Code::NotFound, "This server has no such route.").into()
}

/// The answer for a known route and a method it does not have.
pub async fn method_not_allowed() -> Refused {
    Problem::new(Code::MethodNotAllowed, "This route does not take this method.").into()
}
