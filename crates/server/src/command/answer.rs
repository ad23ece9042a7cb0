//! What a caller hears about one command.

use domain::CommandId;
use serde::Deserialize;
use wire::{Code, Problem};

/// Status and body, byte for byte as stored where they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: String,
    /// Whether this is the stored answer to an earlier delivery.
    pub replayed: bool,
    /// Seconds for `Retry-After`.
    pub retry_after_s: Option<u64>,
}

impl Answer {
    /// A problem as an answer.
    pub fn problem(problem: &Problem) -> Self {
        let retry_after_s = matches!(problem.status, 429 | 503).then_some(1);
        Self { status: problem.status, body: json(problem), replayed: false, retry_after_s }
    }

    /// A problem of this code about this operation.
    pub fn refuse(code: Code, detail: &str, operation: CommandId) -> Self {
        Self::problem(&Problem::new(code, detail).about(operation))
    }

    /// The code of the problem that this is, if it is one.
    pub fn code(&self) -> Option<Code> {
        #[derive(Deserialize)]
        struct Coded {
            code: Code,
        }
        let problem = (self.status >= 400).then(|| serde_json::from_str::<Coded>(&self.body));
        Some(problem?.ok()?.code)
    }

    /// Whether the command took effect.
    pub fn is_committed(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Plain data as JSON.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text keys is JSON")
}
