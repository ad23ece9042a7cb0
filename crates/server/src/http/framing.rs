//! Refuses requests that those before this server could read otherwise: where one says nothing, or two things, about
//! whom it is for, or has its body coded in a way that is not undone here.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, Version};

use crate::command::read::malformed;
use crate::http::answer::Refused;

/// Runs the request if it can be read in one way only.
pub async fn checked(request: Request, next: Next) -> Response {
    match doubt(request.version(), request.headers()) {
        None => next.run(request).await,
        Some(detail) => Refused::from(malformed("", detail)).into_response(),
    }
}

/// What is wrong with a request's head (RFC 9112, 3.2 and 6.1).
fn doubt(version: Version, headers: &HeaderMap) -> Option<&'static str> {
    let hosts = headers.get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && version == Version::HTTP_11) {
        return Some("must have one Host header");
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let is_known = codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    (!is_known).then_some("has a transfer coding other than chunked")
}
