//! The server's figures. They name nobody, but say how much goes on: so they are for this machine alone, unless the
//! administrator gives them an address of their own.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::app::App;
use crate::http::answer::not_found;
use crate::http::client::Client;
use crate::metrics;

/// `GET /metrics` at the address for everything: there for whoever asks from this machine, through no proxy.
pub async fn metrics(State(app): State<Arc<App>>, Extension(client): Extension<Client>) -> Response {
    if app.config.metrics_listen.0.is_some() || !client.is_here() {
        return not_found().await.into_response();
    }
    figures(&app)
}

/// `GET /metrics` at the address for figures.
pub async fn metrics_apart(State(app): State<Arc<App>>) -> Response {
    figures(&app)
}

fn figures(app: &App) -> Response {
    metrics::feed_head(app.wakes.heads_sum());
    for pool in app.storage.pools() {
        metrics::pool(pool.name, pool.connections, pool.idle);
    }
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE), (CACHE_CONTROL, "no-store")], metrics::render()).into_response()
}
