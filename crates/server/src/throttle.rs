//! Failed sign-ins, counted per account and per address. In memory: a restart forgives.
//!
//! Nobody is turned away unheard, or a stranger could lock out whomever he can name: the password decides. What
//! too many failures change is how the next one goes: one at a time, slowly, and told to wait.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::Timestamp;

const WINDOW_MS: i64 = 60_000;
const PER_ACCOUNT: usize = 8;
const PER_ADDRESS: usize = 60;
/// Beyond this many keys the oldest windows are dropped, so that guessing cannot fill the memory.
const KEYS_MAX: usize = 100_000;

/// Counts failures in a sliding minute.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<HashMap<String, Vec<Timestamp>>>);

impl Throttle {
    /// How many seconds this account or address should wait, if it has failed too often.
    pub fn wait_s(&self, account: &str, address: &str, now: Timestamp) -> Option<u64> {
        wait_s(&self.0.lock().unwrap_or_else(PoisonError::into_inner), account, address, now)
    }

    /// Counts one failure, or says how many seconds to wait if there were too many already: those are not
    /// counted, so that the wait ends when it was said to.
    pub fn failed(&self, account: &str, address: &str, now: Timestamp) -> Option<u64> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seconds) = wait_s(&failures, account, address, now) {
            return Some(seconds);
        }
        if failures.len() >= KEYS_MAX {
            failures.retain(|_, times| times.last().is_some_and(|at| now.0 - at.0 < WINDOW_MS));
        }
        for key in [format!("account {account}"), format!("address {address}")] {
            let times = failures.entry(key).or_default();
            times.retain(|at| now.0 - at.0 < WINDOW_MS);
            times.push(now);
        }
        None
    }

    /// Forgets the failures of an account that has signed in.
    pub fn succeeded(&self, account: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&format!("account {account}"));
    }
}

fn wait_s(failures: &HashMap<String, Vec<Timestamp>>, account: &str, address: &str, now: Timestamp) -> Option<u64> {
    let wait = |key: String, limit: usize| {
        let recent: Vec<_> = failures.get(&key)?.iter().filter(|at| now.0 - at.0 < WINDOW_MS).collect();
        let first = recent.len().checked_sub(limit).and_then(|index| recent.get(index))?;
        u64::try_from((first.0 + WINDOW_MS - now.0 + 999) / 1000).ok().map(|seconds| seconds.max(1))
    };
    wait(format!("account {account}"), PER_ACCOUNT).max(wait(format!("address {address}"), PER_ADDRESS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_fails_too_often_waits_and_others_do_not() {
        let throttle = Throttle::default();
        for n in 0..8 {
            assert_eq!(throttle.wait_s("a", "x", Timestamp(n)), None);
            assert_eq!(throttle.failed("a", "x", Timestamp(n)), None);
        }
        assert_eq!(throttle.failed("a", "x", Timestamp(8)), Some(60), "and it is not counted");
        assert_eq!(throttle.wait_s("a", "y", Timestamp(8)), Some(60));
        assert_eq!(throttle.wait_s("b", "x", Timestamp(8)), None);
        assert_eq!(throttle.wait_s("a", "x", Timestamp(60_000)), None, "the first failure has left the window");
        throttle.succeeded("a");
        assert_eq!(throttle.wait_s("a", "x", Timestamp(8)), None);
    }
}
