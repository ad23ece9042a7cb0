//! What tests of delivery are made of: an in-memory store, a hand-turned clock, seeded ids, and the suite that every
//! store must pass. Never part of a release.

#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items, reason = "only tests use it")]

pub mod build;
pub mod conformance;
pub mod dice;
pub mod memory;
pub mod model;
pub mod world;

pub use dice::{Dice, SeededIds};
pub use memory::{Disk, MemoryStore};
pub use model::{Fault, ModelServer};
pub use world::{KeptSignals, ManualClock, MemoryVault};
