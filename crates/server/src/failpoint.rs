//! Named boundaries where a test kills the process or makes it fail: `ONCEOVER_FAILPOINT`, a comma-separated
//! list of `name[=kill|once|forever][:N]`. Without a mode the process dies; N is the hit it happens at, the
//! first by default. Only in builds with the feature `failpoints`.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::command::Answer;
use crate::storage::StorageError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Kill,
    Once,
    Forever,
}

#[derive(Debug)]
struct Armed {
    mode: Mode,
    at: u64,
    hits: u64,
}

static ARMED: LazyLock<Mutex<HashMap<String, Armed>>> = LazyLock::new(|| {
    let text = std::env::var("ONCEOVER_FAILPOINT").unwrap_or_default();
    Mutex::new(text.split(',').filter(|part| !part.is_empty()).map(parse).collect())
});

fn parse(part: &str) -> (String, Armed) {
    let (rest, at) = part.rsplit_once(':').map_or((part, 1), |(rest, at)| (rest, at.parse().unwrap_or(1)));
    let (name, mode) = rest.split_once('=').unwrap_or((rest, "kill"));
    let mode = match mode {
        "once" => Mode::Once,
        "forever" => Mode::Forever,
        _ => Mode::Kill,
    };
    (name.to_owned(), Armed { mode, at, hits: 0 })
}

/// Passes the boundary `name`, or dies, or fails.
pub fn hit(name: &str) -> Result<(), StorageError> {
    let mut armed = ARMED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(point) = armed.get_mut(name) else { return Ok(()) };
    point.hits += 1;
    let fails = match point.mode {
        Mode::Kill if point.hits == point.at => std::process::abort(),
        Mode::Kill => false,
        Mode::Once => point.hits == point.at,
        Mode::Forever => point.hits >= point.at,
    };
    if fails { Err(StorageError::Unavailable(format!("failpoint {name}"))) } else { Ok(()) }
}

/// What `after-commit-before-reply` makes of answers: their connections are closed without one.
pub fn dropped(answers: Vec<Answer>) -> Vec<Answer> {
    answers.into_iter().map(|answer| Answer { status: 0, ..answer }).collect()
}

/// Whether this answer must not be sent, by `after-commit-before-reply` or `drop-answer`.
pub fn is_dropped(answer: Option<&Answer>) -> bool {
    answer.is_some_and(|answer| answer.status == 0) || hit("drop-answer").is_err()
}
