//! Whether an answer is our server's own, and what it says.

use domain::CommandId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wire::{Code, KnownEffect, PROBLEM_JSON, Problem, Retry};

use crate::ports::{Answer, Failure};

/// What came back.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "one an answer, looked at once")]
pub enum Said<T> {
    /// The server's own answer, as asked for.
    Ours(T),
    /// The server's own problem.
    Problem(SeenProblem),
    /// Somebody else's page.
    NotOurs {
        /// A gateway in front of the server says that the server is behind it.
        by_gateway: bool,
    },
    /// No whole answer.
    Failed(Failure),
}

/// A problem as a client reads it: codes it does not know are kept, and their effect and retry count all the same.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SeenProblem {
    /// The HTTP status.
    pub status: u16,
    /// What went wrong.
    pub code: String,
    /// What is known about the operation.
    pub effect: KnownEffect,
    /// What a retry may do.
    pub retry: Retry,
    /// For a person, the same for every problem of this code.
    #[serde(default)]
    pub title: String,
    /// For a person, about this one.
    #[serde(default)]
    pub detail: String,
    /// The command it is about.
    #[serde(default)]
    pub operation_id: Option<CommandId>,
    /// Why a rule said no.
    #[serde(default)]
    pub reason: Option<String>,
    /// Conflict: the target's revision now.
    #[serde(default)]
    pub current_revision: Option<u32>,
    /// Conflict: what the fields that moved hold now.
    #[serde(default)]
    pub current: Option<Value>,
    /// Conflict: the fields that moved.
    #[serde(default)]
    pub conflicting_fields: Vec<String>,
    /// How long the server asks to wait.
    #[serde(skip)]
    pub retry_after_ms: Option<i64>,
}

impl SeenProblem {
    /// Whether it has this code.
    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }

    /// Whether it came with the status that its code has. A code of a later server has any.
    fn has_its_own_status(&self) -> bool {
        Code::ALL.iter().find(|code| code.name() == self.code).is_none_or(|code| code.meaning().0 == self.status)
    }
}

impl From<Problem> for SeenProblem {
    fn from(problem: Problem) -> Self {
        Self {
            status: problem.status,
            code: problem.code.name().to_owned(),
            effect: problem.effect,
            retry: problem.retry,
            title: problem.title,
            detail: problem.detail,
            operation_id: problem.operation_id,
            reason: problem.reason,
            current_revision: problem.current_revision,
            current: problem.current,
            conflicting_fields: problem.conflicting_fields,
            retry_after_ms: None,
        }
    }
}

/// Reads an answer that is `T` if all went well.
pub fn said<T: DeserializeOwned>(result: &Result<Answer, Failure>) -> Said<T> {
    let answer = match result {
        Ok(answer) => answer,
        Err(failure) => return Said::Failed(failure.clone()),
    };
    let is_of_type = |name: &str| answer.content_type.as_deref() == Some(name);
    if matches!(answer.status, 200 | 201)
        && is_of_type("application/json")
        && let Ok(ours) = serde_json::from_slice(&answer.body)
    {
        return Said::Ours(ours);
    }
    if answer.status >= 400
        && is_of_type(PROBLEM_JSON)
        && let Ok(problem) = serde_json::from_slice::<SeenProblem>(&answer.body)
        && problem.status == answer.status
        && problem.has_its_own_status()
    {
        return Said::Problem(SeenProblem { retry_after_ms: answer.retry_after_ms, ..problem });
    }
    Said::NotOurs { by_gateway: is_gateways(answer.status) }
}

/// What a gateway says of a server behind it that is down, busy or slow. Other 5xx are pages of programs that have no
/// Onceover server behind them: 501 from one that knows no such request, 511 from a network that wants a sign-in first.
fn is_gateways(status: u16) -> bool {
    matches!(status, 500 | 502 | 503 | 504 | 520..=530)
}
