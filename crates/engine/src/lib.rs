//! Delivery: what makes every action of an officer reach the server and take effect once, or come back.
//!
//! The protocol, in full. An intent is *accepted* in one commit: the outbox row with its command id, key and hash,
//! its first history entry, the changed view. Only then "saved" is said. The sender *claims* rows that may go (lane by
//! lane), writes the *send mark*, sends one HTTP request, and stores the receipt or the failure: each a commit of its
//! own, each under the claim's token and the owner's epoch. A row with a send mark and no valid receipt is *in doubt*
//! whatever happened to the process; it is asked about, or sent again with the same key, and the receiver answers a
//! repeat with the first result. The *pull* brings the server's state; pending rows are drawn again over it, and a
//! received row stays pending until the state held here contains it. Signals only say that something changed.
//!
//! Everything that decides is a pure function ([`delivery::Delivery::after`], [`classify`], [`accept`], [`lane`],
//! [`projection`], [`resolve`], [`decision`], [`mark`], [`present`]); everything that does goes through [`ports`].

pub mod accept;
pub mod classify;
pub mod decision;
pub mod delivery;
pub mod engine;
pub mod failpoint;
pub mod lane;
pub mod mark;
pub mod ports;
pub mod present;
pub mod projection;
pub mod resolve;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod view;

pub use engine::{Account, Engine, EngineError, Intent, Ports, PullReport, SyncOptions, SyncReport, Trigger, sign_in};
