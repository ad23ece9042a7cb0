//! Sending requests, and noting what each answer says about the link and the session.

use secrecy::SecretString;
use serde::de::DeserializeOwned;

use super::{Engine, EngineError};
use crate::classify::{Said, SeenProblem, Sender, said};
use crate::delivery::retry::{BACKOFF_MS_BASE, RETRY_AFTER_MS_MAX};
use crate::ports::{Answer, Failure, Method, Request};
use crate::view::Link;

/// Under which session something is sent. Its answer counts only while this still holds.
#[derive(Clone)]
pub(super) struct Pass {
    pub(super) generation: u64,
    pub(super) version: u32,
    pub(super) access: SecretString,
}

impl Engine {
    /// The session to send under; gets an access token first if there is none.
    pub(super) async fn pass(&self) -> Result<Pass, EngineError> {
        let generation = self.generation();
        let access = self.access().await?;
        let live = self.live();
        if live.stopping || generation != self.generation() {
            return Err(EngineError::Unreachable);
        }
        Ok(Pass { generation, version: live.session.version, access })
    }

    /// Whether an answer that came under `pass` may still change anything beyond its own row (R10).
    pub(super) fn still_holds(&self, pass: &Pass) -> bool {
        let live = self.live();
        pass.generation == self.generation() && pass.version == live.session.version && !live.session.revoked
    }

    /// One request. `None` if it was cut off: then nothing of it is waited for any more.
    pub(super) async fn call(&self, generation: u64, request: Request) -> Option<Result<Answer, Failure>> {
        let mut cut = self.cut.subscribe();
        tokio::select! {
            biased;
            _ = cut.wait_for(|now| *now != generation) => None,
            result = self.ports.transport.call(request) => Some(result),
        }
    }

    /// Reads something under the session; an expired token is replaced once.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(Pass, Result<Answer, Failure>, Said<T>), EngineError> {
        self.read_about(method, path, None).await
    }

    /// [`Self::read`], with a body that says about what.
    pub(super) async fn read_about<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<(Pass, Result<Answer, Failure>, Said<T>), EngineError> {
        let mut has_refreshed = false;
        loop {
            let pass = self.pass().await?;
            let access = Some(pass.access.clone());
            let request = Request { method, path: path.to_owned(), access, key: None, body: body.clone() };
            let result = self.call(pass.generation, request).await.ok_or(EngineError::Unreachable)?;
            if !self.still_holds(&pass) {
                return Err(EngineError::SignInNeeded);
            }
            let said = said::<T>(&result);
            let sender = sender_of(&said);
            self.note(sender, retry_after(&said));
            match sender {
                Sender::Refreshes if !has_refreshed => {
                    has_refreshed = true;
                    self.refresh(Some(&pass.access)).await?;
                }
                Sender::SignsIn | Sender::Revoked | Sender::Refreshes => {
                    self.session_ended(sender == Sender::Revoked).await?;
                    return Ok((pass, result, said));
                }
                _ => {
                    if matches!(said, Said::Ours(_)) {
                        self.live().served_at = Some(self.now());
                    }
                    return Ok((pass, result, said));
                }
            }
        }
    }

    /// A server that is too busy for a session is too busy for everything.
    pub(super) fn slow_down(&self, problem: &SeenProblem) {
        if matches!(problem.status, 429 | 503) {
            self.note(Sender::SlowsDown, problem.retry_after_ms);
        }
    }

    /// Notes what an answer says about the link.
    pub(super) fn note(&self, sender: Sender, retry_after_ms: Option<i64>) {
        let (now, fraction) = (self.now(), self.ports.ids.fraction());
        let changed = {
            let mut live = self.live();
            if sender == Sender::SlowsDown {
                let wait_ms = retry_after_ms.unwrap_or(BACKOFF_MS_BASE).clamp(0, RETRY_AFTER_MS_MAX);
                live.slow_until = Some(now.plus_ms(wait_ms));
            }
            match sender {
                Sender::Unanswered => live.unanswered(now, fraction),
                Sender::Offline => live.lost(Link::Offline, now, fraction),
                Sender::NotOurServer => live.lost(Link::NotOurServer, now, fraction),
                _ => live.answered(now),
            }
        };
        if changed {
            self.tell_link();
        }
    }
}

/// What the sender does after something that was said.
pub(super) fn sender_of<T>(said: &Said<T>) -> Sender {
    match said {
        Said::Ours(_) => Sender::GoesOn,
        Said::Problem(problem) => crate::classify::sender_after(problem),
        Said::NotOurs { by_gateway: true } | Said::Failed(Failure::Timeout | Failure::Cut(_)) => Sender::Unanswered,
        Said::NotOurs { by_gateway: false } | Said::Failed(Failure::Tls(_) | Failure::NotTls(_)) => {
            Sender::NotOurServer
        }
        Said::Failed(Failure::NotConnected(_) | Failure::Clock(_)) => Sender::Offline,
    }
}

fn retry_after<T>(said: &Said<T>) -> Option<i64> {
    match said {
        Said::Problem(problem) => problem.retry_after_ms,
        _ => None,
    }
}

/// What was asked for, or why it did not come.
pub(super) fn asked<T>(said: Said<T>) -> Result<T, EngineError> {
    match said {
        Said::Ours(ours) => Ok(ours),
        Said::Problem(problem) => Err(refused(&problem)),
        Said::NotOurs { by_gateway: false } => Err(EngineError::NotOurServer),
        Said::Failed(Failure::Tls(_)) => Err(EngineError::Tls),
        Said::Failed(Failure::Clock(_)) => Err(EngineError::Clock),
        Said::Failed(Failure::NotTls(_)) => Err(EngineError::NotTls),
        Said::NotOurs { by_gateway: true } | Said::Failed(_) => Err(EngineError::Unreachable),
    }
}

fn refused(problem: &SeenProblem) -> EngineError {
    match (problem.status, problem.code.as_str()) {
        (401, "session-revoked") => EngineError::Revoked,
        (401, "token-expired" | "unauthenticated") => EngineError::SignInNeeded,
        (429 | 503, _) => EngineError::Throttled {
            retry_after_ms: problem.retry_after_ms.unwrap_or(BACKOFF_MS_BASE).clamp(0, RETRY_AFTER_MS_MAX),
        },
        (500.., _) => EngineError::ServerFailed { code: problem.code.clone() },
        _ => EngineError::Refused { code: problem.code.clone(), detail: problem.detail.clone() },
    }
}
