//! The delivery of one change: its states, the events that move it, and what is kept of its past.

pub mod history;
pub mod retry;
pub mod row;
pub mod state;
pub mod step;
#[cfg(test)]
mod table;
pub mod waits;

pub use history::{HistoryEntry, LastError, may_be_applied};
pub use row::{MISSING_AGAIN, OutboxRow, RECOVERED, Resolution, ResolutionKind};
pub use state::{
    Claim, ConflictFound, Delivery, DeliveryEvent, EventName, Hold, IllegalTransition, KeptReceipt, Refusal, StateName,
};
