//! What becomes of a delivery after an attempt. Pure: time and chance arrive as arguments.

use domain::Timestamp;

/// How long a delivery is tried in all, in milliseconds: three days.
pub const TRIED_MS: i64 = 3 * 24 * HOUR_MS;
/// A receiver that asks for a longer pause is asked again after this all the same.
pub const PAUSE_MS_MAX: i64 = 6 * HOUR_MS;

const SECOND_MS: i64 = 1000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The pauses after the first attempts; then comes one every hour.
const FIRST_PAUSES_MS: [i64; 5] = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
/// The hourly pause is as much shorter or longer at most, so that what failed together does not come back together.
const JITTER_MS: i64 = 6 * MINUTE_MS;

/// How an attempt ended, as far as the schedule cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The receiver has it.
    Delivered,
    /// It may go better later; the receiver may have said when, in milliseconds from now.
    Failed {
        /// `Retry-After`, if any.
        pause_ms: Option<i64>,
    },
    /// Sending it again cannot help.
    Refused,
    /// The receiver wants nothing any more (410).
    Gone,
}

/// What becomes of the delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Done.
    Delivered,
    /// It waits until then.
    Retry(Timestamp),
    /// It is a dead letter.
    Dead,
    /// It is a dead letter, and so is everything else that waits for this endpoint, which is disabled.
    Gone,
}

/// What becomes of a delivery whose `attempt`, counted from 1, ended at `now`; it is tried until `give_up_at`.
/// `chance` is any number, for the jitter.
pub fn next(ended: Ended, attempt: u32, now: Timestamp, give_up_at: Timestamp, chance: u32) -> Next {
    let pause_ms = match ended {
        Ended::Delivered => return Next::Delivered,
        Ended::Refused => return Next::Dead,
        Ended::Gone => return Next::Gone,
        Ended::Failed { pause_ms } => {
            let asked_ms = pause_ms.unwrap_or(0).clamp(0, PAUSE_MS_MAX);
            asked_ms.max(usual_pause_ms(attempt, chance))
        }
    };
    let due_at = Timestamp(now.0.saturating_add(pause_ms));
    if due_at > give_up_at { Next::Dead } else { Next::Retry(due_at) }
}

fn usual_pause_ms(attempt: u32, chance: u32) -> i64 {
    let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    let hourly = || HOUR_MS - JITTER_MS + i64::from(chance) % (2 * JITTER_MS + 1);
    FIRST_PAUSES_MS.get(index).copied().unwrap_or_else(hourly)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: Ended = Ended::Failed { pause_ms: None };
    const NEVER: Timestamp = Timestamp(i64::MAX);

    #[test]
    fn the_pauses_are_those_of_the_contract() {
        let pauses: Vec<i64> = (1..=5)
            .map(|attempt| match next(FAILED, attempt, Timestamp(7), NEVER, 99) {
                Next::Retry(due_at) => due_at.0 - 7,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(pauses, [5_000, 30_000, 120_000, 600_000, 1_800_000]);
        for (attempt, chance) in [(6, 0), (7, 360_000), (80, 720_000), (6, u32::MAX)] {
            let Next::Retry(due_at) = next(FAILED, attempt, Timestamp(0), NEVER, chance) else { panic!() };
            assert!((54 * MINUTE_MS..=66 * MINUTE_MS).contains(&due_at.0), "{due_at:?}");
        }
        assert_ne!(next(FAILED, 6, Timestamp(0), NEVER, 1), next(FAILED, 6, Timestamp(0), NEVER, 2));
    }

    #[test]
    fn after_three_days_of_failures_it_is_a_dead_letter() {
        let (mut now, mut attempt, give_up_at) = (Timestamp(0), 1, Timestamp(TRIED_MS));
        while let Next::Retry(due_at) = next(FAILED, attempt, now, give_up_at, attempt * 7919) {
            assert!(due_at > now && due_at <= give_up_at);
            (now, attempt) = (due_at, attempt + 1);
        }
        assert!(now.0 > TRIED_MS - 2 * HOUR_MS, "{now:?}");
        assert!((70..=85).contains(&attempt), "{attempt}");
        // What was not sent in all that time, the server being down, is tried once.
        assert_eq!(next(FAILED, 1, Timestamp(TRIED_MS + 1), give_up_at, 0), Next::Dead);
        assert_eq!(next(Ended::Delivered, 1, Timestamp(TRIED_MS + 1), give_up_at, 0), Next::Delivered);
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_within_bounds() {
        let asked = |pause_ms| match next(Ended::Failed { pause_ms }, 1, Timestamp(0), NEVER, 0) {
            Next::Retry(due_at) => due_at.0,
            other => panic!("{other:?}"),
        };
        assert_eq!(asked(Some(60_000)), 60_000);
        assert_eq!(asked(Some(1)), 5_000);
        assert_eq!(asked(Some(-5)), 5_000);
        assert_eq!(asked(Some(i64::MAX)), PAUSE_MS_MAX);
    }

    #[test]
    fn a_refusal_is_final() {
        assert_eq!(next(Ended::Refused, 1, Timestamp(0), NEVER, 0), Next::Dead);
        assert_eq!(next(Ended::Gone, 1, Timestamp(0), NEVER, 0), Next::Gone);
    }
}
