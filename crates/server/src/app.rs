//! The running receiver: what every route shares, and the table of routes.

use std::sync::Arc;

use axum::routing::{MethodRouter, delete, get, post};
use axum::{Router, middleware};
use http::header::CONNECTION;
use tokio::sync::watch;
use wire::{Code, Problem};

use crate::clock::Clock;
use crate::config::Config;
use crate::execution::Gatherer;
use crate::http::answer::{self, Refused};
use crate::http::client::Proxies;
use crate::http::listen::Routers;
use crate::http::{compress, framing, trace};
use crate::key_file::ServerKey;
use crate::presence::Presence;
use crate::rates::Rates;
use crate::routes::health::Readiness;
use crate::routes::{changes, commands, config, events, health, metrics, openapi, operations, presence, sessions};
use crate::storage::Storage;
use crate::streams::Streams;
use crate::throttle::Throttle;
use crate::wakes::Wakes;

/// What every route shares.
pub struct App {
    /// The database.
    pub storage: Arc<dyn Storage>,
    /// What the administrator set.
    pub config: Config,
    /// Executes commands.
    pub gatherer: Gatherer,
    /// Wakes event streams.
    pub wakes: Arc<Wakes>,
    /// Counts event streams.
    pub streams: Streams,
    /// Who is at which case.
    pub presence: Presence,
    /// Signs tokens and cursors.
    pub key: ServerKey,
    /// The server's clock.
    pub clock: Clock,
    /// Counts failed sign-ins.
    pub throttle: Throttle,
    /// Counts requests.
    pub rates: Rates,
    /// Whether the database takes writes.
    pub readiness: Readiness,
    /// Turns true when the server drains: event streams end then.
    pub draining: watch::Receiver<bool>,
}

impl App {
    /// An app over `storage`. `draining` turns true when the server is told to stop.
    pub fn new(
        storage: Arc<dyn Storage>,
        key: ServerKey,
        clock: Clock,
        config: Config,
        draining: watch::Receiver<bool>,
    ) -> Arc<Self> {
        crate::metrics::install();
        let wakes = Arc::new(Wakes::default());
        let gatherer = Gatherer::new(Arc::clone(&storage), clock.clone(), Arc::clone(&wakes));
        let rates = Rates::from(&config);
        let presence = Presence::lasting(config.presence_s.seconds());
        let streams = Streams::up_to(config.event_streams.count());
        Arc::new(Self {
            storage,
            config,
            gatherer,
            wakes,
            streams,
            presence,
            key,
            clock,
            throttle: Throttle::default(),
            rates,
            readiness: Readiness::default(),
            draining,
        })
    }

    /// Every route with its methods.
    fn routes() -> Vec<(&'static str, MethodRouter<Arc<Self>>)> {
        vec![
            ("/v1/sessions", post(sessions::sign_in)),
            ("/v1/sessions/refresh", post(sessions::refresh)),
            ("/v1/sessions/current", delete(sessions::sign_out)),
            ("/v1/session", get(sessions::who_am_i)),
            ("/v1/commands", post(commands::execute)),
            ("/v1/commands/batch", post(commands::execute_batch)),
            ("/v1/operations/lookup", post(operations::look_up_many)),
            ("/v1/operations/{command_id}", get(operations::look_up)),
            ("/v1/operations/{command_id}/seal", post(operations::seal)),
            ("/v1/changes", get(changes::changes)),
            ("/v1/events", get(events::events)),
            ("/v1/presence", post(presence::mark)),
            ("/v1/config", get(config::config)),
            ("/healthz", get(health::healthz)),
            ("/readyz", get(health::readyz)),
            ("/metrics", get(metrics::metrics)),
            ("/openapi.json", get(openapi::openapi)),
        ]
    }

    /// The path of every route, as the table of routes writes it.
    pub fn paths() -> Vec<&'static str> {
        Self::routes().into_iter().map(|(path, _)| path).collect()
    }

    /// What connections are answered by.
    pub fn routers(self: &Arc<Self>) -> Routers {
        let all = Self::routes()
            .into_iter()
            .fold(Router::new(), |router, (path, methods)| router.route(path, methods))
            .fallback(answer::not_found)
            .method_not_allowed_fallback(answer::method_not_allowed)
            .with_state(Arc::clone(self));
        Routers { all: self.wrapped(all), full: self.wrapped(Router::new().fallback(full)) }
    }

    /// What the separate address for figures is answered by.
    pub fn metrics_routers(self: &Arc<Self>) -> Routers {
        let all = Router::new()
            .route("/metrics", get(metrics::metrics_apart))
            .fallback(answer::not_found)
            .method_not_allowed_fallback(answer::method_not_allowed)
            .with_state(Arc::clone(self));
        Routers { all: self.wrapped(all), full: self.wrapped(Router::new().fallback(full)) }
    }

    /// With what goes around every request.
    fn wrapped(&self, router: Router) -> Router {
        let proxies = Arc::new(Proxies::from(&self.config));
        router
            .layer(compress::layer())
            .layer(middleware::from_fn(compress::decided))
            .layer(middleware::from_fn_with_state(self.config.head_bytes.count(), framing::checked))
            .layer(middleware::from_fn_with_state(proxies, trace::traced))
    }
}

/// The answer on a connection beyond the cap.
async fn full() -> ([(http::HeaderName, &'static str); 1], Refused) {
    let problem = Problem::new(Code::TemporarilyUnavailable, "The server has as many connections as it takes.");
    ([(CONNECTION, "close")], problem.into())
}
