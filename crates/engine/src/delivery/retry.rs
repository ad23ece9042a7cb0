//! When a change that was not applied is tried again (DESIGN 3).

use domain::Timestamp;

/// The first wait.
pub const BACKOFF_MS_BASE: i64 = 1_000;
/// The longest wait of our own choosing.
pub const BACKOFF_MS_MAX: i64 = 60_000;
/// The longest wait a server may ask for.
pub const RETRY_AFTER_MS_MAX: i64 = 3_600_000;
/// How many equal failures quarantine a row.
pub const SAME_FAILURES_MAX: u32 = 8;

/// The upper bound of the wait after `failures` failures: doubling from the base up to the cap.
pub fn backoff_ms_max(failures: u32) -> i64 {
    let doublings = failures.saturating_sub(1).min(16);
    (BACKOFF_MS_BASE << doublings).min(BACKOFF_MS_MAX)
}

/// When to try again: full jitter (`fraction` in 0..1 of the bound), or what the server asked for, if longer.
pub fn next_try(now: Timestamp, failures: u32, fraction: f64, retry_after_ms: Option<i64>) -> Timestamp {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 60 000 ms")]
    let jittered = (backoff_ms_max(failures) as f64 * fraction.clamp(0.0, 1.0)) as i64;
    let asked = retry_after_ms.map_or(0, |ms| ms.clamp(0, RETRY_AFTER_MS_MAX));
    now.plus_ms(jittered.max(asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CASES A12: however many failures, the wait stays within the cap.
    #[test]
    fn the_wait_doubles_up_to_its_cap() {
        assert_eq!([1, 2, 3, 7, 40, u32::MAX].map(backoff_ms_max), [1_000, 2_000, 4_000, 60_000, 60_000, 60_000]);
        assert_eq!(next_try(Timestamp(0), 40, 1.0, None), Timestamp(60_000));
        assert_eq!(next_try(Timestamp(0), 1, 0.0, Some(86_400_000)), Timestamp(3_600_000));
        assert_eq!(next_try(Timestamp(0), 1, 0.0, Some(-5)), Timestamp(0));
    }
}
