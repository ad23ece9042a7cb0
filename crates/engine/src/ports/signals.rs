//! Telling windows that something changed.

use crate::view::Signal;

/// Takes signals after each commit. They are hints: losing, doubling or reordering them changes nothing.
pub trait Signals: Send + Sync {
    /// Something changed. Must not block.
    fn emit(&self, signal: Signal);
}
