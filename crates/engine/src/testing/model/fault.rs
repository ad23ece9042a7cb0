//! What can go wrong between a client and a server.

use wire::{Code, Problem};

use super::{ModelServer, State};
use crate::ports::{Answer, Clock, Failure, Request};

/// How long a stalled answer takes the client.
const STALL_MS: i64 = 15_000;

/// What one request meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// No connection.
    NotConnected,
    /// An untrusted certificate.
    Tls,
    /// A certificate that is not valid by this computer's clock.
    Clock,
    /// The connection breaks before the request arrives.
    LostRequest,
    /// The request takes effect; the answer is lost.
    LostAnswer,
    /// The request takes effect; the answer comes after the client's patience.
    Stall,
    /// The connection breaks, and the request arrives later, behind others.
    ArrivesLate,
    /// Somebody else's page, without effect.
    Html(u16),
    /// The request takes effect; half of the answer comes.
    Truncated,
    /// A bare 200, without effect.
    BareOk,
    /// The request takes effect; the answer is about something else.
    WrongFence,
    /// The server's own problem, without effect, and how long it asks to wait.
    Problem(Code, Option<i64>),
}

impl State {
    pub(super) fn next_fault(&mut self, is_command: bool) -> Fault {
        if let Some(fault) = &self.always {
            return fault.clone();
        }
        if let Some(fault) = is_command.then(|| self.faults.pop_front()).flatten() {
            return fault;
        }
        let Some((dice, percent)) = &mut self.chaos else { return Fault::None };
        if !dice.chance(*percent) {
            return Fault::None;
        }
        let any = [
            Fault::NotConnected,
            Fault::LostRequest,
            Fault::LostAnswer,
            Fault::Stall,
            Fault::ArrivesLate,
            Fault::Html(200),
            Fault::Html(502),
            Fault::Truncated,
            Fault::BareOk,
            Fault::WrongFence,
            Fault::Problem(Code::TemporarilyUnavailable, Some(2_000)),
            Fault::Problem(Code::OutcomeUnknown, None),
            Fault::Problem(Code::OperationInProgress, None),
            Fault::Problem(Code::TokenExpired, None),
            Fault::Problem(Code::RateLimited, Some(1_000)),
        ];
        any[dice.below(any.len())].clone()
    }

    /// Requests whose connection broke on the way arrive now.
    pub(super) fn arrive_late(&mut self, now: domain::Timestamp) {
        for request in std::mem::take(&mut self.late) {
            drop(self.serve(&request, now));
        }
    }
}

impl ModelServer {
    pub(super) fn meet(&self, fault: &Fault, request: Request) -> Result<Answer, Failure> {
        let now = self.clock.now();
        let serve = |request: &Request| self.lock().serve(request, now);
        let cut = || Err(Failure::Cut("reset by peer".to_owned()));
        match fault {
            Fault::None => Ok(serve(&request)),
            Fault::NotConnected => Err(Failure::NotConnected("connection refused".to_owned())),
            Fault::Tls => Err(Failure::Tls("unknown issuer".to_owned())),
            Fault::Clock => Err(Failure::Clock("not valid yet".to_owned())),
            Fault::LostRequest => cut(),
            Fault::LostAnswer => {
                drop(serve(&request));
                cut()
            }
            Fault::Stall => {
                drop(serve(&request));
                self.clock.advance(STALL_MS);
                Err(Failure::Timeout)
            }
            Fault::ArrivesLate => {
                self.lock().late.push(request);
                cut()
            }
            Fault::Html(status) => Ok(page(*status, "text/html", "<html>Welcome to our hotel</html>")),
            Fault::Truncated => {
                let mut answer = serve(&request);
                answer.body.truncate(answer.body.len() / 2);
                Ok(answer)
            }
            Fault::BareOk => Ok(page(200, "application/json", "{}")),
            Fault::WrongFence => {
                let mut answer = serve(&request);
                let text = String::from_utf8_lossy(&answer.body).replace("cmd-v1:", "cmd-v1:other-");
                answer.body = text.into_bytes();
                Ok(answer)
            }
            Fault::Problem(code, retry_after_ms) => Ok(Answer {
                retry_after_ms: *retry_after_ms,
                ..of_problem(&Problem::new(*code, "made up by the test"))
            }),
        }
    }
}

fn page(status: u16, kind: &str, body: &str) -> Answer {
    let (content_type, body) = (Some(kind.to_owned()), body.as_bytes().to_vec());
    Answer { status, content_type, retry_after_ms: None, body }
}

pub(super) fn of_problem(problem: &Problem) -> Answer {
    page(problem.status, wire::PROBLEM_JSON, &serde_json::to_string(problem).unwrap())
}

pub(super) fn of_json(status: u16, body: &impl serde::Serialize) -> Answer {
    page(status, "application/json", &serde_json::to_string(body).unwrap())
}
