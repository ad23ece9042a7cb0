//! The name of each figure and what it says, as /metrics and docs/server.md tell it.

use ::metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};

pub(super) const ATTEMPTS: &str = "onceover_attempts_total";
pub(super) const PROBLEMS: &str = "onceover_problems_total";
pub(super) const REQUEST_SECONDS: &str = "onceover_request_seconds";
pub(super) const GROUP_COMMANDS: &str = "onceover_group_commands";
pub(super) const POOL_CONNECTIONS: &str = "onceover_pool_connections";
pub(super) const POOL_WAIT_SECONDS: &str = "onceover_pool_wait_seconds";
pub(super) const DELIVERIES: &str = "onceover_deliveries";
pub(super) const DELIVERY_ATTEMPTS: &str = "onceover_delivery_attempts_total";
pub(super) const FEED_HEAD: &str = "onceover_feed_head";
pub(super) const EVENT_STREAMS: &str = "onceover_event_streams";
pub(super) const SIGN_IN_FAILURES: &str = "onceover_sign_in_failures_total";
pub(super) const THROTTLED: &str = "onceover_throttled_total";
pub(super) const CONNECTIONS: &str = "onceover_connections";
pub(super) const CONNECTIONS_REFUSED: &str = "onceover_connections_refused_total";
pub(super) const PURGED: &str = "onceover_purged_total";
const BUILD: &str = "onceover_build_info";

/// Says what each figure is, and shows those at once that begin at nothing.
pub(super) fn all() {
    describe_counter!(
        ATTEMPTS,
        "Deliveries of commands, by operation and result: committed, duplicate_returned, conflict, rejected, in_progress, failed"
    );
    describe_counter!(PROBLEMS, "Problems said, by code");
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Time to the first byte of an answer, by route");
    describe_histogram!(GROUP_COMMANDS, "Commands executed in one transaction");
    describe_gauge!(POOL_CONNECTIONS, "Connections to the database, by pool and state: idle, busy");
    describe_histogram!(POOL_WAIT_SECONDS, Unit::Seconds, "Time that somebody waited for a connection to the database");
    describe_gauge!(DELIVERIES, "External effects that wait to be delivered, and those given up: waiting, dead");
    describe_counter!(DELIVERY_ATTEMPTS, "Attempts to deliver external effects, by result: delivered, failed, dead");
    describe_gauge!(FEED_HEAD, "Sum of the newest feed positions of all tenants");
    describe_gauge!(EVENT_STREAMS, "Open event streams");
    describe_counter!(SIGN_IN_FAILURES, "Failed sign-ins and refreshes, by problem code");
    describe_counter!(THROTTLED, "Requests told to wait, by limit: session, address, sign_in");
    describe_gauge!(CONNECTIONS, "Open connections");
    describe_counter!(CONNECTIONS_REFUSED, "Connections told to come back, since there were too many");
    describe_counter!(
        PURGED,
        "What purges took away: receipt (reduced), record, notification (expired), tombstone, session (removed)"
    );
    describe_gauge!(BUILD, "Always 1; the label says which version runs");
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1);
    gauge!(CONNECTIONS).increment(0);
    gauge!(EVENT_STREAMS).increment(0);
    counter!(CONNECTIONS_REFUSED).increment(0);
}
