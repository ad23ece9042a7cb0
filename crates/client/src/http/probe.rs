//! Is there an Onceover server at an address? Asked before a password is sent anywhere.

use engine::ports::{Answer, Failure, Method, Request};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use wire::problem::{Code, Problem};

use super::server_url::ServerUrl;
use super::transport::HttpTransport;

/// What stands at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerCheck {
    /// Our server.
    Ours {
        /// How far its clock is ahead of this computer's, to about a second, if it said its time.
        ahead_ms: Option<i64>,
    },
    /// Nothing answered.
    Unreachable,
    /// Something answered that is not our server.
    NotOurServer,
    /// Its certificate is not trusted.
    Tls,
    /// Its certificate is not valid at this computer's time.
    Clock,
}

/// A check as the sign-in form shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerProbe {
    /// Whether our server is there.
    pub found: bool,
    /// If not: `unreachable`, `not-our-server`, `tls` or `clock`.
    pub problem: Option<String>,
}

impl From<ServerCheck> for ServerProbe {
    fn from(check: ServerCheck) -> Self {
        let problem = match check {
            ServerCheck::Ours { .. } => None,
            ServerCheck::Unreachable => Some("unreachable"),
            ServerCheck::NotOurServer => Some("not-our-server"),
            ServerCheck::Tls => Some("tls"),
            ServerCheck::Clock => Some("clock"),
        };
        Self { found: problem.is_none(), problem: problem.map(str::to_owned) }
    }
}

/// Looks at `server` for the sign-in form.
pub async fn probe(server: &ServerUrl) -> ServerProbe {
    check_server(server).await.into()
}

/// Asks who one is without saying who: only our server refuses that with our own problem.
pub async fn check_server(server: &ServerUrl) -> ServerCheck {
    let transport = HttpTransport::new(server.clone());
    let request = Request { method: Method::Get, path: "/v1/session".to_owned(), access: None, key: None, body: None };
    match transport.call_dated(request).await {
        Ok(dated) if is_ours(&dated.answer) => {
            let now_ms = jiff::Timestamp::now().as_millisecond();
            ServerCheck::Ours { ahead_ms: dated.server_now_ms.map(|server_ms| server_ms - now_ms) }
        }
        Ok(_) | Err(Failure::NotTls(_)) => ServerCheck::NotOurServer,
        Err(Failure::Tls(_)) => ServerCheck::Tls,
        Err(Failure::Clock(_)) => ServerCheck::Clock,
        Err(Failure::NotConnected(_) | Failure::Timeout | Failure::Cut(_)) => ServerCheck::Unreachable,
    }
}

fn is_ours(answer: &Answer) -> bool {
    let Ok(problem) = serde_json::from_slice::<Problem>(&answer.body) else { return false };
    let busy = matches!(problem.code, Code::TemporarilyUnavailable | Code::RateLimited);
    answer.content_type.as_deref() == Some("application/problem+json")
        && answer.status == problem.status
        && (problem.code == Code::Unauthenticated || busy)
}
