//! Around every request: its id, whose it is, one log line without secrets or texts, its figures, and a net for bugs.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tracing::Instrument as _;
use wire::{Code, Problem};

use crate::http::answer::Refused;
use crate::http::client::{Client, Proxies};
use crate::metrics;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, for the audit and the log.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// Gives the request an id and its client, runs it, and writes one line about it.
pub async fn traced(State(proxies): State<Arc<Proxies>>, mut request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    // Every line about this request carries its id, also one of an error.
    let span = tracing::error_span!("request", request_id = %id);
    request.extensions_mut().insert(RequestId(id.clone()));
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let client = peer.map(|peer| proxies.client(peer, request.headers()));
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let line = Line { client, method: name_of(request.method()), path: request.uri().path().to_owned() };
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let began = Instant::now();
    async move {
        let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        let mut response = answered.unwrap_or_else(|_| {
            tracing::error!("a request panicked");
            Refused::from(Problem::new(Code::InternalError, "The cause is in the server's log.")).into_response()
        });
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        let (status, took) = (response.status().as_u16(), began.elapsed());
        metrics::request(line.method, route.as_deref().unwrap_or("none"), status, took);
        let Line { client, method, path } = line;
        let client = client.map(|client| client.address);
        tracing::info!(
            client = client.map(tracing::field::display),
            method,
            path,
            status,
            ms = took.as_millis(),
            "request"
        );
        response
    }
    .instrument(span)
    .await
}

/// What the log tells of a request.
struct Line {
    client: Option<Client>,
    method: &'static str,
    path: String,
}

/// A method as a label: whatever a client makes up is one.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The caller's id if it is short and printable, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    given
        .filter(|id| (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic()))
        .map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}
