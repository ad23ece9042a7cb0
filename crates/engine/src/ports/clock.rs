//! Time and randomness come in from outside, so that tests own them.

use async_trait::async_trait;
use domain::Timestamp;
use uuid::Uuid;

/// This computer's clock. It drives delays and display, never order.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now, by the wall clock.
    fn now(&self) -> Timestamp;
    /// Waits `ms` milliseconds, by a monotonic clock.
    async fn sleep_ms(&self, ms: i64);
}

/// New ids and random fractions.
pub trait Ids: Send + Sync {
    /// A new UUIDv7.
    fn new_id(&self) -> Uuid;
    /// A fraction in `0.0..1.0`, for jitter.
    fn fraction(&self) -> f64;
}
