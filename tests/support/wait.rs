//! Waiting for a condition, with an end.

use std::time::{Duration, Instant};

/// Asks `condition` again and again until it gives something.
///
/// # Panics
/// When 60 s have passed without: the story cannot go on.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut condition: impl FnMut() -> F) -> T {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(found) = condition().await {
            return found;
        }
        assert!(Instant::now() < end, "waited 60 s for: {what}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}
