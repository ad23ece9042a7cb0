//! Whether the process lives, and whether it can work.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use wire::{Code, Problem};

use crate::app::App;
use crate::command::Answer;
use crate::http::answer::{Refused, ok};
use crate::storage::Storage;

/// How long one trial counts: whoever may ask may ask often, and each trial writes to the disk.
const TRIAL_COUNTS: Duration = Duration::from_secs(1);
/// How long a trial may take.
const TRIAL_TAKES_MAX: Duration = Duration::from_secs(5);

/// The last trial write, and how it went.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// Whether the database takes writes, as of now or just before.
    async fn is_ready(&self, storage: &dyn Storage) -> bool {
        let mut last = self.0.lock().await;
        if let Some((_, was_ready)) = last.filter(|(at, _)| at.elapsed() < TRIAL_COUNTS) {
            return was_ready;
        }
        let is_ready = match timeout(TRIAL_TAKES_MAX, storage.try_write()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database takes no writes");
                false
            }
            Err(_) => {
                tracing::warn!("the database takes no writes in time");
                false
            }
        };
        *last = Some((Instant::now(), is_ready));
        is_ready
    }
}

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Answer {
    ok(200, &json!({ "status": "ok" }))
}

/// `GET /readyz`: the database takes writes, and the server is not draining.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<Answer, Refused> {
    let not_ready = |detail| Refused::from(Problem::new(Code::TemporarilyUnavailable, detail));
    if *app.draining.borrow() {
        return Err(not_ready("The server is shutting down."));
    }
    if !app.readiness.is_ready(app.storage.as_ref()).await {
        return Err(not_ready("The server cannot write."));
    }
    Ok(ok(200, &json!({ "status": "ready" })))
}
