//! Executing commands: gathered per tenant ([`gather`]), loaded by the storage into a [`Ground`], folded
//! one after the other through the domain's pure decision ([`fold`]) into what is to be written.

pub mod chain;
pub mod events;
pub mod fold;
pub mod gather;
pub mod ground;
pub mod in_hand;
pub mod lanes;
mod refusal;
pub mod remains;
pub mod writes;

pub use chain::{Chain, Linked};
pub use events::OutgoingEvent;
pub use fold::fold;
pub use gather::Gatherer;
pub use ground::{Ground, Needs, Outcome, Record, Standing};
pub use writes::{AuditEntry, FeedChange, Writes};
