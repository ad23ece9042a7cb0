//! Telling windows that something changed: scope and version, after the commit.

use super::Engine;
use crate::view::{Scope, Signal, Versions};

impl Engine {
    /// Rows or cases changed: tells what the store's versions say, once.
    pub(super) async fn tell_rows(&self) {
        match self.ports.store.versions().await {
            Ok(versions) => self.tell_versions(versions),
            // Signals are hints: a window that gains focus compares versions by itself.
            Err(error) => tracing::warn!(%error, "the versions could not be read"),
        }
    }

    pub(super) fn tell_versions(&self, versions: Versions) {
        let mut signals = Vec::new();
        {
            let told = &mut self.live().versions;
            if versions.cases > told.cases {
                told.cases = versions.cases;
                signals.push(Signal { scope: Scope::Cases, version: versions.cases });
            }
            if versions.outbox > told.outbox {
                told.outbox = versions.outbox;
                signals.push(Signal { scope: Scope::Outbox, version: versions.outbox });
            }
        }
        for signal in signals {
            self.ports.signals.emit(signal);
        }
    }

    pub(super) fn tell_session(&self) {
        let version = {
            let versions = &mut self.live().versions;
            versions.session += 1;
            versions.session
        };
        self.ports.signals.emit(Signal { scope: Scope::Session, version });
    }

    pub(super) fn tell_link(&self) {
        let version = {
            let versions = &mut self.live().versions;
            versions.link += 1;
            versions.link
        };
        self.ports.signals.emit(Signal { scope: Scope::Link, version });
    }
}
