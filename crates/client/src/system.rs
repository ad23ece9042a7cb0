//! This computer's clock and randomness, as the engine asks for them.

use std::time::Duration;

use async_trait::async_trait;
use domain::Timestamp;
use engine::ports::{Clock, Ids};
use uuid::Uuid;

/// The wall clock, and a monotonic one for waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }

    async fn sleep_ms(&self, ms: i64) {
        tokio::time::sleep(Duration::from_millis(u64::try_from(ms).unwrap_or(0))).await;
    }
}

/// Ids and fractions from the operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn fraction(&self) -> f64 {
        rand::random::<f64>()
    }
}
