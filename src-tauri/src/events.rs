//! Signals on their way to the windows: many that come together become one a scope, and nobody waits for a window.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::ports::Signals;
use engine::view::{Scope, Signal};
use tauri::{AppHandle, Emitter};
use tokio::sync::Notify;

/// The event every window listens to.
const CHANGED: &str = "changed";
/// Signals this close together reach the windows as one: about a frame.
const GATHER: Duration = Duration::from_millis(16);

/// Takes signals from the engine and hands them on from a task of its own.
#[derive(Default)]
pub(crate) struct Relay {
    waiting: Mutex<Waiting>,
    came: Notify,
}

/// The newest version of each scope that no window has been told of.
#[derive(Debug, Default, PartialEq, Eq)]
struct Waiting(BTreeMap<Scope, u64>);

impl Waiting {
    /// With the session, the account may be another one, and with it the store whose versions these are: what waits
    /// is dropped, for windows compare versions when they hear of the session.
    fn add(&mut self, signal: Signal) {
        if signal.scope == Scope::Session {
            self.0.retain(|scope, _| matches!(scope, Scope::Session | Scope::Link));
        }
        let version = self.0.entry(signal.scope).or_default();
        *version = signal.version.max(*version);
    }

    fn take(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.0).into_iter().map(|(scope, version)| Signal { scope, version }).collect()
    }
}

impl Signals for Relay {
    fn emit(&self, signal: Signal) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).add(signal);
        self.came.notify_one();
    }
}

impl Relay {
    /// Hands signals on with `deliver`, for as long as the program runs.
    async fn run(self: Arc<Self>, deliver: impl Fn(Signal)) {
        loop {
            self.came.notified().await;
            tokio::time::sleep(GATHER).await;
            let gathered = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
            gathered.into_iter().for_each(&deliver);
        }
    }

    /// Hands signals on to every window.
    pub(crate) fn to_windows(app: &AppHandle) -> Arc<Self> {
        let (relay, app) = (Arc::new(Self::default()), app.clone());
        tauri::async_runtime::spawn(Arc::clone(&relay).run(move |signal| {
            if let Err(error) = app.emit(CHANGED, signal) {
                tracing::warn!(%error, "a signal did not reach the windows");
            }
        }));
        relay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(scope: Scope, version: u64) -> Signal {
        Signal { scope, version }
    }

    #[test]
    fn of_a_scope_the_newest_version_is_told() {
        let mut waiting = Waiting::default();
        for version in [3, 5, 4] {
            waiting.add(signal(Scope::Cases, version));
        }
        waiting.add(signal(Scope::Link, 1));
        assert_eq!(waiting.take(), [signal(Scope::Cases, 5), signal(Scope::Link, 1)]);
        assert_eq!(waiting.take(), []);
    }

    #[test]
    fn no_version_of_one_accounts_store_is_told_as_anothers() {
        let mut waiting = Waiting::default();
        for (scope, version) in [(Scope::Cases, 500), (Scope::Link, 2), (Scope::Session, 8), (Scope::Cases, 3)] {
            waiting.add(signal(scope, version));
        }
        let told = [signal(Scope::Cases, 3), signal(Scope::Session, 8), signal(Scope::Link, 2)];
        assert_eq!(waiting.take(), told);
    }

    #[tokio::test]
    async fn a_burst_is_told_in_few_signals_and_its_end_is_never_lost() {
        const LAST: u64 = 10_000;
        let relay = Arc::new(Relay::default());
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let running = tokio::spawn(Arc::clone(&relay).run(move |signal| {
            let _ = sender.send(signal);
        }));
        for version in 1..=LAST {
            relay.emit(signal(Scope::Outbox, version));
            if version % 1_000 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let mut told = 0;
        let waiting = async {
            while let Some(signal) = receiver.recv().await {
                told += 1;
                if signal.version == LAST {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(10), waiting).await.expect("the last version arrives");
        assert!(told < 100, "{told} signals");
        running.abort();
    }
}
