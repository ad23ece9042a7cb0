//! What the server counts about itself, and how it is shown (Prometheus text). Each figure has one function here, so
//! that names, labels and units are in one place; none tells one tenant, person or case from another.

mod describe;

use std::sync::LazyLock;
use std::time::Duration;

use ::metrics::{counter, gauge, histogram};
use domain::Operation;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use wire::Code;

use crate::storage::Purge;

/// The content type of [`render`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Seconds; a commit on a disk takes some milliseconds.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Commands; a group has at most 100.
const COMMANDS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 70.0, 100.0];

/// Everything counted in this process.
static FIGURES: LazyLock<PrometheusHandle> = LazyLock::new(|| {
    let buckets = |builder: PrometheusBuilder, name: &str, values: &[f64]| {
        builder
            .set_buckets_for_metric(Matcher::Full(name.to_owned()), values)
            .expect("the list of buckets is not empty")
    };
    let builder = buckets(PrometheusBuilder::new(), describe::REQUEST_SECONDS, &SECONDS);
    let builder = buckets(builder, describe::POOL_WAIT_SECONDS, &SECONDS);
    let recorder = buckets(builder, describe::GROUP_COMMANDS, &COMMANDS).build_recorder();
    let handle = recorder.handle();
    if ::metrics::set_global_recorder(recorder).is_err() {
        tracing::warn!("somebody else counts already: /metrics will be empty");
    }
    describe::all();
    handle
});

/// Begins to count; what happens before is not counted.
pub fn install() {
    LazyLock::force(&FIGURES);
}

/// Everything counted so far.
pub fn render() -> String {
    FIGURES.run_upkeep();
    FIGURES.render()
}

/// Moves what was measured into its buckets, so that it does not pile up while nobody looks.
pub async fn keep_up() {
    loop {
        tokio::time::sleep(Duration::from_secs(10)).await;
        FIGURES.run_upkeep();
    }
}

/// A request was answered: by which route, if it is one, how, and after what time.
pub fn request(method: &'static str, route: &str, status: u16, took: Duration) {
    let class = match status {
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    };
    let labels = [("method", method.to_owned()), ("route", route.to_owned()), ("status", class.to_owned())];
    histogram!(describe::REQUEST_SECONDS, &labels).record(took);
}

/// A command was attempted, and this is the status its sender hears. `None` is an operation that is not ours.
pub fn attempt(operation: Option<Operation>, status: u16, is_replayed: bool) {
    let operation = operation.map_or("unknown", Operation::name);
    let result = match status {
        _ if is_replayed => "duplicate_returned",
        200..300 => "committed",
        409 => "in_progress",
        412 => "conflict",
        400..500 => "rejected",
        _ => "failed",
    };
    counter!(describe::ATTEMPTS, "operation" => operation, "result" => result).increment(1);
}

/// A problem was said.
pub fn problem(code: Code) {
    counter!(describe::PROBLEMS, "code" => code.name()).increment(1);
}

/// This many commands were executed in one transaction.
pub fn group(commands: usize) {
    histogram!(describe::GROUP_COMMANDS).record(f64::from(u32::try_from(commands).unwrap_or(u32::MAX)));
}

/// Somebody asked too often, or for too much: `session`, `address`, `sign_in` (too many failures) or `streams`.
pub fn throttled(limit: &'static str) {
    counter!(describe::THROTTLED, "limit" => limit).increment(1);
}

/// A sign-in or refresh failed.
pub fn sign_in_failed(code: Code) {
    counter!(describe::SIGN_IN_FAILURES, "code" => code.name()).increment(1);
}

/// A purge took so many away.
pub fn purged(what: Purge, count: u64) {
    counter!(describe::PURGED, "what" => what.name()).increment(count);
}

/// The sum of all tenants' newest feed positions.
pub fn feed_head(sum: u64) {
    gauge!(describe::FEED_HEAD).set(as_f64(sum));
}

/// Connections of a pool to the database, in all and of these at rest.
pub fn pool(pool: &'static str, connections: u32, idle: usize) {
    let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(connections);
    gauge!(describe::POOL_CONNECTIONS, "pool" => pool, "state" => "idle").set(idle);
    gauge!(describe::POOL_CONNECTIONS, "pool" => pool, "state" => "busy").set(connections - idle);
}

/// Somebody waited this long for a connection of a pool.
pub fn pool_wait(pool: &'static str, waited: Duration) {
    histogram!(describe::POOL_WAIT_SECONDS, "pool" => pool).record(waited);
}

/// Deliveries of external effects (webhooks, mail) that wait to be sent, and those given up, in the whole database.
/// For whoever delivers: to be called when the numbers may have changed.
pub fn deliveries(waiting: u64, dead: u64) {
    gauge!(describe::DELIVERIES, "state" => "waiting").set(as_f64(waiting));
    gauge!(describe::DELIVERIES, "state" => "dead").set(as_f64(dead));
}

/// An attempt to deliver an external effect ended: `delivered`, `failed` (it is tried again) or `dead` (given up).
pub fn delivery_attempt(result: &'static str) {
    counter!(describe::DELIVERY_ATTEMPTS, "result" => result).increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a gauge for a chart")]
fn as_f64(number: u64) -> f64 {
    number as f64
}

/// A connection, counted while this lives.
#[derive(Debug)]
pub struct OpenConnection;

impl OpenConnection {
    /// Within the cap, or turned away.
    pub fn new(is_within: bool) -> Self {
        if !is_within {
            counter!(describe::CONNECTIONS_REFUSED).increment(1);
        }
        gauge!(describe::CONNECTIONS).increment(1);
        Self
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        gauge!(describe::CONNECTIONS).decrement(1);
    }
}

/// An event stream, counted while this lives.
#[derive(Debug)]
pub struct OpenStream;

impl OpenStream {
    /// One more.
    #[expect(clippy::new_without_default, reason = "making one counts it")]
    pub fn new() -> Self {
        gauge!(describe::EVENT_STREAMS).increment(1);
        Self
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        gauge!(describe::EVENT_STREAMS).decrement(1);
    }
}
