//! The running receiver: what every route shares, and the table of routes.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::execution::Gatherer;
use crate::http::{answer, trace};
use crate::key_file::ServerKey;
use crate::routes::health::Readiness;
use crate::routes::{changes, commands, config, events, health, operations, sessions};
use crate::storage::Storage;
use crate::throttle::Throttle;
use crate::wakes::Wakes;

/// How long an access token lives at most.
pub const ACCESS_TTL_MAX: Duration = Duration::from_mins(10);

/// What every route shares.
pub struct App {
    /// The database.
    pub storage: Arc<dyn Storage>,
    /// Executes commands.
    pub gatherer: Gatherer,
    /// Wakes event streams.
    pub wakes: Arc<Wakes>,
    /// Signs tokens and cursors.
    pub key: ServerKey,
    /// The server's clock.
    pub clock: Clock,
    /// Counts failed sign-ins.
    pub throttle: Throttle,
    /// Whether the database takes writes.
    pub readiness: Readiness,
    /// How long access tokens live.
    pub access_ttl: Duration,
    /// Turns true when the server drains: event streams end then.
    pub draining: watch::Receiver<bool>,
}

impl App {
    /// An app over `storage`. `draining` turns true when the server is told to stop.
    pub fn new(
        storage: Arc<dyn Storage>,
        key: ServerKey,
        clock: Clock,
        access_ttl: Duration,
        draining: watch::Receiver<bool>,
    ) -> Arc<Self> {
        let wakes = Arc::new(Wakes::default());
        let gatherer = Gatherer::new(Arc::clone(&storage), clock.clone(), Arc::clone(&wakes));
        let access_ttl = access_ttl.min(ACCESS_TTL_MAX);
        Arc::new(Self {
            storage,
            gatherer,
            wakes,
            key,
            clock,
            throttle: Throttle::default(),
            readiness: Readiness::default(),
            access_ttl,
            draining,
        })
    }

    /// The table of routes.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/v1/sessions", post(sessions::sign_in))
            .route("/v1/sessions/refresh", post(sessions::refresh))
            .route("/v1/sessions/current", axum::routing::delete(sessions::sign_out))
            .route("/v1/session", get(sessions::who_am_i))
            .route("/v1/commands", post(commands::execute))
            .route("/v1/commands/batch", post(commands::execute_batch))
            .route("/v1/operations/lookup", post(operations::look_up_many))
            .route("/v1/operations/{command_id}", get(operations::look_up))
            .route("/v1/operations/{command_id}/seal", post(operations::seal))
            .route("/v1/changes", get(changes::changes))
            .route("/v1/events", get(events::events))
            .route("/v1/config", get(config::config))
            .route("/healthz", get(health::healthz))
            .route("/readyz", get(health::readyz))
            .fallback(answer::not_found)
            .method_not_allowed_fallback(answer::method_not_allowed)
            .layer(axum::middleware::from_fn(trace::traced))
            .with_state(self)
    }
}
