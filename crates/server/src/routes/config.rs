//! What a client needs to know about this server before and beside signing in.

use std::sync::Arc;

use axum::extract::State;
use serde_json::json;

use crate::app::App;
use crate::command::Answer;
use crate::http::answer::{Refused, ok};
use crate::routes::changes::LIMIT_MAX;

/// `GET /v1/config`
pub async fn config(State(app): State<Arc<App>>) -> Result<Answer, Refused> {
    let value = json!({
        "receipt_lifetime": format!("P{}D", app.config.receipt_lifetime_days.0),
        "tombstone_lifetime": format!("P{}D", app.config.tombstone_lifetime_days.0.max(app.config.receipt_lifetime_days.0)),
        "purge_horizon": app.storage.purge_horizon().await?,
        "feed_epoch": app.storage.feed_epoch().await?,
        "server_time": app.clock.now(),
        "schema_versions": [wire::SCHEMA_VERSION],
        "limits": {
            "body_bytes": app.config.body_bytes.0,
            "batch_bytes": app.config.batch_bytes.0,
            "batch_commands": wire::BATCH_COMMANDS_MAX,
            "lookup_keys": wire::LOOKUP_KEYS_MAX,
            "changes": LIMIT_MAX,
        },
    });
    Ok(ok(200, &value))
}
