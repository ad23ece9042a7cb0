//! One HTTP request and its raw answer. What an answer means is decided in [`crate::classify`], never here.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use wire::WakeEvent;

/// The methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "HTTP's own")]
pub enum Method {
    Get,
    Post,
    Delete,
}

/// One request to the account's server.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path and query, from `/`.
    pub path: String,
    /// The access token. Never logged.
    pub access: Option<SecretString>,
    /// The `Idempotency-Key` header.
    pub key: Option<String>,
    /// The JSON body.
    pub body: Option<Vec<u8>>,
}

/// What came back, whoever sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The media type without parameters, lower case.
    pub content_type: Option<String>,
    /// `Retry-After` in milliseconds, as sent (may be negative or huge).
    pub retry_after_ms: Option<i64>,
    /// The body, whole.
    pub body: Vec<u8>,
}

/// No whole answer came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No connection was made: surely nothing arrived.
    #[error("no connection: {0}")]
    NotConnected(String),
    /// TLS failed: surely nothing arrived.
    #[error("the server's certificate is not trusted: {0}")]
    Tls(String),
    /// TLS failed because the certificate is not valid now, by this computer's clock: surely nothing arrived.
    #[error("the certificate is not valid at this computer's time: {0}")]
    Clock(String),
    /// What answers there speaks no TLS: surely nothing arrived.
    #[error("what answers there speaks no TLS: {0}")]
    NotTls(String),
    /// A connection was made, and the answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// A connection was made, and it broke before the answer was whole.
    #[error("the connection broke: {0}")]
    Cut(String),
}

impl Failure {
    /// Whether nothing can have reached the server.
    pub fn is_surely_unsent(&self) -> bool {
        matches!(self, Self::NotConnected(_) | Self::Tls(_) | Self::Clock(_) | Self::NotTls(_))
    }
}

/// What the stream of wake-ups says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wakeup {
    /// The feed moved, or the stream just opened.
    Wake(WakeEvent),
    /// The session was ended.
    Revoked,
}

/// Wake-ups until the connection ends.
pub type WakeStream = BoxStream<'static, Result<Wakeup, Failure>>;

/// Talks to one server. One call is one HTTP request: redirects, retries and pools that resend are off.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends `request`: 10 s to connect, 15 s without a byte, 30 s in all (more for large bodies).
    async fn call(&self, request: Request) -> Result<Answer, Failure>;
    /// Opens `GET /v1/events`. A stream that stays silent for 60 s counts as cut.
    async fn wake_ups(&self, access: SecretString) -> Result<WakeStream, Failure>;
}
