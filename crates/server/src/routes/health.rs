//! Whether the process lives, and whether it can work.

use std::sync::Arc;

use axum::extract::State;
use serde_json::json;
use wire::{Code, Problem};

use crate::app::App;
use crate::command::Answer;
use crate::http::answer::{Refused, ok};

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Answer {
    ok(200, &json!({ "status": "ok" }))
}

/// `GET /readyz`: the database answers, and the server is not draining.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<Answer, Refused> {
    if *app.draining.borrow() {
        return Err(Problem::new(Code::TemporarilyUnavailable, "The server is shutting down.").into());
    }
    app.storage.ping().await?;
    Ok(ok(200, &json!({ "status": "ready" })))
}
