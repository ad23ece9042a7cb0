//! Refuses requests that those before this server could read otherwise: where one says nothing, or two things, about
//! whom it is for, or has its body coded in a way that is not undone here. And those whose head is longer than anybody
//! needs: as long as hyper takes it in at all, which answers beyond that by itself, without a body.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, Version};
use wire::{Code, Problem};

use crate::command::read::malformed;
use crate::http::answer::Refused;

/// Runs the request if it can be read in one way only, and its head has no more than `bytes_max`.
pub async fn checked(State(bytes_max): State<usize>, request: Request, next: Next) -> Response {
    if head_bytes(&request) > bytes_max {
        let detail = format!("A request's line and headers may have {bytes_max} bytes here.");
        return Refused::from(Problem::new(Code::RequestHeadTooLarge, detail)).into_response();
    }
    match doubt(request.version(), request.headers()) {
        None => next.run(request).await,
        Some(detail) => Refused::from(malformed("", detail)).into_response(),
    }
}

/// How long the head was as it came, but for spaces that nobody needs.
fn head_bytes(request: &Request) -> usize {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let line = request.method().as_str().len() + target + " HTTP/1.1\r\n".len() + 1;
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| name.as_str().len() + value.len() + 4;
    line + request.headers().iter().map(header).sum::<usize>() + 2
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
