//! What windows and the command line are shown: plain data, declared once, also for TypeScript.
//!
//! Nothing here decides anything. The words for people are the window's; here are states and reasons.

pub mod case;
pub mod notification;
pub mod outbox;
pub mod session;
pub mod sync;

pub use case::*;
pub use notification::*;
pub use outbox::*;
pub use session::*;
pub use sync::*;
