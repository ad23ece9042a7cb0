//! The other ports, obedient: a clock turned by hand, a vault in memory, signals that are kept.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use domain::Timestamp;
use secrecy::SecretString;

use crate::ports::{Clock, Signals, Vault, VaultError};
use crate::view::{Signal, VaultKind};

/// How often a sleeper lets others go first before time passes by itself.
const PATIENCE: u32 = 50;

/// A clock that is turned by hand, or turns by itself to the next sleeper when nothing else happens.
#[derive(Debug)]
pub struct ManualClock {
    state: Mutex<ClockState>,
    turns_itself: bool,
}

#[derive(Debug)]
struct ClockState {
    wall: i64,
    monotonic: i64,
    sleepers: BTreeMap<u64, i64>,
    next_sleeper: u64,
    /// Rises whenever somebody does something: looks at the clock or goes to sleep.
    activity: u64,
}

impl ManualClock {
    /// A clock that stands still until [`Self::advance`].
    pub fn standing() -> Self {
        Self::new(false)
    }

    /// A clock that jumps to the next sleeper's time when nobody has anything else to do.
    pub fn turning() -> Self {
        Self::new(true)
    }

    fn new(turns_itself: bool) -> Self {
        let wall = super::build::START.0;
        let state = ClockState { wall, monotonic: 0, sleepers: BTreeMap::new(), next_sleeper: 0, activity: 0 };
        Self { state: Mutex::new(state), turns_itself }
    }

    /// Lets time pass.
    pub fn advance(&self, ms: i64) {
        let mut state = self.state.lock().unwrap();
        state.wall += ms;
        state.monotonic += ms;
    }

    /// Sets the wall clock, as a person or a time server would.
    pub fn set_wall(&self, now: Timestamp) {
        self.state.lock().unwrap().wall = now.0;
    }

    fn is_over(&self, id: u64, until: i64, has_waited: bool) -> bool {
        let mut state = self.state.lock().unwrap();
        let is_first =
            state.sleepers.iter().min_by_key(|(id, until)| (**until, **id)).is_some_and(|(one, _)| *one == id);
        if self.turns_itself && has_waited && is_first && state.monotonic < until {
            let ms = until - state.monotonic;
            state.wall += ms;
            state.monotonic = until;
        }
        state.monotonic >= until
    }
}

/// Takes a sleeper off the list when it wakes or is dropped.
struct Sleeper<'a>(&'a ManualClock, u64);

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap().sleepers.remove(&self.1);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let mut state = self.state.lock().unwrap();
        state.activity += 1;
        Timestamp(state.wall)
    }

    async fn sleep_ms(&self, ms: i64) {
        let (id, until) = {
            let mut state = self.state.lock().unwrap();
            let (id, until) = (state.next_sleeper, state.monotonic + ms.max(0));
            state.next_sleeper += 1;
            state.activity += 1;
            state.sleepers.insert(id, until);
            (id, until)
        };
        let _sleeper = Sleeper(self, id);
        let (mut polls, mut activity) = (0, 0);
        loop {
            let seen = std::mem::replace(&mut activity, self.state.lock().unwrap().activity);
            polls = if seen == activity { polls + 1 } else { 0 };
            if self.is_over(id, until, polls > PATIENCE) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Secrets that end with the test.
#[derive(Debug, Default)]
pub struct MemoryVault(Mutex<BTreeMap<String, SecretString>>);

#[async_trait]
impl Vault for MemoryVault {
    fn kind(&self) -> VaultKind {
        VaultKind::Memory
    }

    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        Ok(self.0.lock().unwrap().get(name).cloned())
    }

    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError> {
        self.0.lock().unwrap().insert(name.to_owned(), secret);
        Ok(())
    }

    async fn forget(&self, name: &str) -> Result<(), VaultError> {
        self.0.lock().unwrap().remove(name);
        Ok(())
    }
}

/// Keeps what was told.
#[derive(Debug, Default)]
pub struct KeptSignals(Mutex<Vec<Signal>>);

impl KeptSignals {
    /// What was told since the last call.
    pub fn take(&self) -> Vec<Signal> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Signals for KeptSignals {
    fn emit(&self, signal: Signal) {
        self.0.lock().unwrap().push(signal);
    }
}
