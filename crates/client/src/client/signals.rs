//! Signals on their way to the windows, with versions that outlive one engine.
//!
//! `cases` and `outbox` have their versions in the store. `session` and `link` are about this process: an engine is
//! replaced when the account changes, and its count would start again; so this process counts them itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::ports::Signals;
use engine::view::{Scope, Signal};

/// Counts what is about this process and passes everything on.
pub(super) struct CountedSignals {
    session: AtomicU64,
    link: AtomicU64,
    onward: Arc<dyn Signals>,
}

impl CountedSignals {
    /// Starts at the time of day, so that versions do not fall from one process to the next.
    pub(super) fn new(onward: Arc<dyn Signals>) -> Self {
        let start = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
        Self { session: AtomicU64::new(start), link: AtomicU64::new(start), onward }
    }

    /// Who is signed in changed.
    pub(super) fn session_changed(&self) {
        self.emit(Signal { scope: Scope::Session, version: 0 });
    }

    pub(super) fn session(&self) -> u64 {
        self.session.load(Ordering::SeqCst)
    }

    pub(super) fn link(&self) -> u64 {
        self.link.load(Ordering::SeqCst)
    }
}

impl Signals for CountedSignals {
    fn emit(&self, signal: Signal) {
        let version = match signal.scope {
            Scope::Session => self.session.fetch_add(1, Ordering::SeqCst) + 1,
            Scope::Link => self.link.fetch_add(1, Ordering::SeqCst) + 1,
            Scope::Cases | Scope::Outbox => signal.version,
        };
        self.onward.emit(Signal { version, ..signal });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<Signal>>);

    impl Signals for Heard {
        fn emit(&self, signal: Signal) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(signal);
        }
    }

    /// An engine that is replaced counts from its own start; what windows hear never falls.
    #[test]
    fn versions_of_session_and_link_rise_across_engines() {
        let heard = Arc::new(Heard::default());
        let signals = CountedSignals::new(Arc::clone(&heard) as Arc<dyn Signals>);
        for version in [9, 10, 1, 2] {
            signals.emit(Signal { scope: Scope::Link, version });
        }
        signals.emit(Signal { scope: Scope::Cases, version: 7 });
        let versions: Vec<u64> = heard.0.lock().unwrap().iter().map(|signal| signal.version).collect();
        assert!(versions[..4].is_sorted_by(|a, b| a < b), "{versions:?}");
        assert_eq!((versions[3], versions[4]), (signals.link(), 7));
    }
}
