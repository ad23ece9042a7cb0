//! How often a session may ask, and an address sign in: each has a number of requests at hand that comes back with
//! time. In memory and per node: a restart forgives.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use uuid::Uuid;
use wire::{Code, Problem};

use crate::command::Answer;
use crate::config::Config;
use crate::http::answer::Refused;
use crate::metrics;

/// Attempts of one ended session that the audit keeps: a queue that a client tried to send, and no flood.
const UNSIGNED: Rate = Rate { burst: 200, one_in: Duration::from_secs(10) };
/// How many checks go by until those who have not asked for long are forgotten.
const FORGET_EVERY: u32 = 10_000;

/// A number of requests at once, and how soon each comes back.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// At once.
    pub burst: u32,
    /// One more after this.
    pub one_in: Duration,
}

impl Rate {
    /// `None` for any number.
    fn of(per_s: u64, burst: u64) -> Option<Self> {
        let per_s = u32::try_from(per_s).ok().filter(|per_s| *per_s > 0)?;
        let burst = u32::try_from(burst).unwrap_or(u32::MAX);
        Some(Self { burst, one_in: Duration::from_secs(1) / per_s })
    }
}

/// The rates of all sessions and addresses.
#[derive(Debug, Default)]
pub struct Rates {
    sessions: Option<Limiter<Uuid>>,
    addresses: Option<Limiter<IpAddr>>,
    unsigned: Option<Limiter<Uuid>>,
}

impl From<&Config> for Rates {
    fn from(config: &Config) -> Self {
        let sessions = Rate::of(config.requests_per_s.0, config.requests_burst.0);
        let addresses = Rate::of(config.sign_ins_per_s.0, config.sign_ins_burst.0);
        Self::new(sessions, addresses)
    }
}

impl Rates {
    /// With these rates; `None` for any number.
    pub fn new(sessions: Option<Rate>, addresses: Option<Rate>) -> Self {
        let unsigned = Limiter::new(UNSIGNED);
        Self { sessions: sessions.and_then(Limiter::new), addresses: addresses.and_then(Limiter::new), unsigned }
    }

    /// Counts a request of `session`.
    ///
    /// # Errors
    /// 429 with the time to wait: too many.
    pub fn session(&self, session: Uuid) -> Result<(), Refused> {
        check(self.sessions.as_ref(), &session, "session")
    }

    /// Counts a sign-in or refresh from `address`. Of an IPv6 address the network counts: a client has all of it.
    ///
    /// # Errors
    /// 429 with the time to wait: too many.
    pub fn sign_in(&self, address: IpAddr) -> Result<(), Refused> {
        let network = match address {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        };
        check(self.addresses.as_ref(), &network, "address")
    }
}

impl Rates {
    /// Whether one more attempt with a token that opens nothing any more goes into the audit of `session`.
    pub fn may_audit_unsigned(&self, session: Uuid) -> bool {
        self.unsigned.as_ref().is_some_and(|limiter| limiter.check(&session).is_none())
    }
}

fn check<K: Hash + Eq + Clone>(limiter: Option<&Limiter<K>>, key: &K, limit: &'static str) -> Result<(), Refused> {
    let Some(wait) = limiter.and_then(|limiter| limiter.check(key)) else { return Ok(()) };
    metrics::throttled(limit);
    let problem = Problem::new(Code::RateLimited, "These are more requests than this server takes; wait a little.");
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    Err(Refused(Answer { retry_after_s: Some(seconds.max(1)), ..Answer::problem(&problem) }))
}

#[derive(Debug)]
struct Limiter<K: Hash + Eq + Clone> {
    counts: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    checks: AtomicU32,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    fn new(rate: Rate) -> Option<Self> {
        let quota = Quota::with_period(rate.one_in)?.allow_burst(NonZeroU32::new(rate.burst)?);
        let (counts, clock) = (DefaultKeyedRateLimiter::keyed(quota), DefaultClock::default());
        Some(Self { counts, clock, checks: AtomicU32::new(0) })
    }

    /// How long `key` has to wait, if it has to.
    fn check(&self, key: &K) -> Option<Duration> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.counts.retain_recent();
        }
        self.counts.check_key(key).err().map(|refused| refused.wait_time_from(self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_number_of_requests_at_once() {
        let hourly = |burst| Some(Rate { burst, one_in: Duration::from_hours(1) });
        let rates = Rates::new(hourly(3), hourly(2));
        let (ana, bob) = (Uuid::now_v7(), Uuid::now_v7());
        for _ in 0..3 {
            assert!(rates.session(ana).is_ok());
        }
        let Refused(answer) = rates.session(ana).unwrap_err();
        assert_eq!((answer.status, answer.replayed), (429, false));
        assert!((3000..=3600).contains(&answer.retry_after_s.unwrap()));
        assert!(rates.session(bob).is_ok());
        let sign_in = |text: &str| rates.sign_in(text.parse().unwrap()).is_ok();
        assert!(sign_in("2001:db8::1") && sign_in("2001:db8::2") && !sign_in("2001:db8::3"));
        assert!(sign_in("2001:db8:0:1::1") && sign_in("192.0.2.1") && sign_in("192.0.2.2"));
    }

    #[test]
    fn no_rate_is_any_number() {
        assert!(Rate::of(0, 5).is_none());
        let rates = Rates::new(None, None);
        assert!((0..100_000).all(|_| rates.session(Uuid::nil()).is_ok()));
    }

    /// Whoever calls under ever new names fills no memory with them.
    #[test]
    fn those_who_have_all_their_requests_back_are_forgotten() {
        let limiter = Limiter::new(Rate { burst: 1, one_in: Duration::from_nanos(1) }).unwrap();
        for n in 0..5 * FORGET_EVERY {
            limiter.check(&n);
        }
        assert!(limiter.counts.len() <= FORGET_EVERY as usize);
    }
}
