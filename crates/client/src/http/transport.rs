//! The engine's transport over HTTP/1.1. One call is one request on one connection.
//!
//! Connections are not kept: the library would send a request again by itself when a kept connection turns out to
//! be dead, and a dead connection would put rows in doubt for nothing.

use std::num::IntErrorKind;
use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use engine::ports::{Answer, Failure, Method, Request, Transport, WakeStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderMap, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, timeout, timeout_at};

use super::events::wake_stream;
use super::failure::failure_of;
use super::server_url::ServerUrl;

/// How long each part of a call may take, and how large an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To connect, with TLS.
    pub connect_ms: u64,
    /// Without a byte of the answer, from the start; its head counts as one byte. Longer than `connect_ms`: ended while
    /// connecting, a call would seem to have been sent.
    pub idle_ms: u64,
    /// In all.
    pub total_ms: u64,
    /// A body gets this much more time, the request's as it is and the answer's as it comes: so many bytes count as one
    /// second. A slow link is no dead one.
    pub body_bytes_per_s: u64,
    /// Larger answers are not read to their end.
    pub answer_bytes_max: usize,
    /// A stream of wake-ups that says nothing for this long counts as cut.
    pub stream_silence_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            idle_ms: 15_000,
            total_ms: 30_000,
            body_bytes_per_s: 32 * 1024,
            answer_bytes_max: 64 * 1024 * 1024,
            stream_silence_ms: 60_000,
        }
    }
}

impl Limits {
    fn for_body(&self, bytes: usize) -> Duration {
        Duration::from_millis((bytes as u64).saturating_mul(1_000) / self.body_bytes_per_s.max(1))
    }
}

/// Talks to one server.
#[derive(Debug)]
pub struct HttpTransport {
    server: ServerUrl,
    limits: Limits,
    // Made at the first call: who only works offline does not wait for the trusted certificates to be read.
    client: OnceLock<Result<reqwest::Client, String>>,
}

/// An answer with the server's own time, for whoever compares clocks.
pub(super) struct Dated {
    pub(super) answer: Answer,
    pub(super) server_now_ms: Option<i64>,
}

impl HttpTransport {
    /// A transport to `server` with the usual limits.
    pub fn new(server: ServerUrl) -> Self {
        Self::with_limits(server, Limits::default())
    }

    /// A transport with other limits.
    pub fn with_limits(server: ServerUrl, limits: Limits) -> Self {
        Self { server, limits, client: OnceLock::new() }
    }

    fn client(&self) -> Result<&reqwest::Client, Failure> {
        let client = self.client.get_or_init(|| new_client(&self.server, &self.limits));
        client.as_ref().map_err(|cause| Failure::Tls(cause.clone()))
    }

    /// Whom it talks to.
    pub fn server(&self) -> &ServerUrl {
        &self.server
    }

    fn build(&self, request: Request) -> Result<reqwest::Request, Failure> {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut builder = self
            .client()?
            .request(method, self.server.at(&request.path))
            .header(ACCEPT, "application/json, application/problem+json");
        if let Some(access) = &request.access {
            builder = builder.bearer_auth(access.expose_secret());
        }
        if let Some(key) = &request.key {
            builder = builder.header("Idempotency-Key", key);
        }
        if let Some(body) = request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body);
        }
        builder.build().map_err(|error| failure_of(&error))
    }

    pub(super) async fn call_dated(&self, request: Request) -> Result<Dated, Failure> {
        let allowance = self.limits.for_body(request.body.as_ref().map_or(0, Vec::len));
        let request = self.build(request)?;
        let end = Instant::now() + Duration::from_millis(self.limits.total_ms) + allowance;
        self.exchange(request, Duration::from_millis(self.limits.idle_ms) + allowance, end).await
    }

    /// One exchange. `end` is when it is over if no byte of an answer's body comes.
    async fn exchange(&self, request: reqwest::Request, first_byte: Duration, end: Instant) -> Result<Dated, Failure> {
        let mut response = timeout_at(end.min(Instant::now() + first_byte), self.client()?.execute(request))
            .await
            .map_err(|_| Failure::Timeout)?
            .map_err(|error| failure_of(&error))?;
        let (status, content_type) = (response.status().as_u16(), media_type(response.headers()));
        let server_now_ms = header(response.headers(), DATE).and_then(http_date_ms);
        let retry_after_ms = header(response.headers(), RETRY_AFTER).and_then(|text| retry_after_ms(text, now_ms()));
        let idle = Duration::from_millis(self.limits.idle_ms);
        let mut body = Vec::new();
        loop {
            let end = end + self.limits.for_body(body.len());
            let chunk = timeout_at(end.min(Instant::now() + idle), response.chunk()).await;
            let chunk = chunk.map_err(|_| Failure::Timeout)?;
            let Some(chunk) = chunk.map_err(|error| failure_of(&error))? else { break };
            if body.len() + chunk.len() > self.limits.answer_bytes_max {
                return Err(Failure::Cut("the answer is too large".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Dated { answer: Answer { status, content_type, retry_after_ms, body }, server_now_ms })
    }
}

fn new_client(server: &ServerUrl, limits: &Limits) -> Result<reqwest::Client, String> {
    // Fails only if the process has a provider already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("onceover/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(Duration::from_millis(limits.connect_ms));
    if server.is_loopback() {
        builder = builder.no_proxy();
    }
    if server.is_plain() {
        // No certificate is ever looked at; a machine without any still works with a server of its own.
        builder = builder.tls_certs_only(std::iter::empty());
    }
    builder.build().map_err(|error| super::failure::root_cause(&error))
}

#[async_trait]
impl Transport for HttpTransport {
    async fn call(&self, request: Request) -> Result<Answer, Failure> {
        let (method, path) = (request.method, request.path.split('?').next().unwrap_or_default().to_owned());
        let result = self.call_dated(request).await.map(|dated| dated.answer);
        match &result {
            Ok(answer) => tracing::debug!(?method, path, status = answer.status, "answered"),
            Err(failure) => tracing::debug!(?method, path, %failure, "no answer"),
        }
        result
    }

    async fn wake_ups(&self, access: SecretString) -> Result<WakeStream, Failure> {
        let request = self
            .client()?
            .get(self.server.at("/v1/events"))
            .header(ACCEPT, "text/event-stream")
            .bearer_auth(access.expose_secret())
            .build()
            .map_err(|error| failure_of(&error))?;
        let idle = Duration::from_millis(self.limits.idle_ms);
        let response = timeout(idle, self.client()?.execute(request))
            .await
            .map_err(|_| Failure::Timeout)?
            .map_err(|error| failure_of(&error))?;
        let is_stream = media_type(response.headers()).as_deref() == Some("text/event-stream");
        if response.status() != reqwest::StatusCode::OK || !is_stream {
            return Err(Failure::Cut(format!("no stream of events, status {}", response.status().as_u16())));
        }
        Ok(wake_stream(response, Duration::from_millis(self.limits.stream_silence_ms)))
    }
}

fn header(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    header(headers, CONTENT_TYPE)?.split(';').next().map(|kind| kind.trim().to_ascii_lowercase())
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn http_date_ms(text: &str) -> Option<i64> {
    jiff::fmt::rfc2822::parse(text).ok().map(|moment| moment.timestamp().as_millisecond())
}

/// `Retry-After`: seconds, or a date. More seconds than a number holds are for ever, not no wish at all.
fn retry_after_ms(text: &str, now_ms: i64) -> Option<i64> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(seconds) => Some(seconds.saturating_mul(1000)),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => http_date_ms(text).map(|at| at.saturating_sub(now_ms)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(retry_after_ms(" 120 ", 0), Some(120_000));
        assert_eq!(retry_after_ms("-5", 0), Some(-5_000));
        assert_eq!(retry_after_ms("9223372036854775807", 0), Some(i64::MAX));
        assert_eq!(retry_after_ms("Thu, 01 Jan 1970 00:01:00 GMT", 10_000), Some(50_000));
        assert_eq!(retry_after_ms("99999999999999999999", 0), Some(i64::MAX), "more seconds than a number holds");
        assert_eq!(retry_after_ms("-99999999999999999999", 0), Some(i64::MIN));
        assert_eq!(retry_after_ms("soon", 0), None);
    }
}
