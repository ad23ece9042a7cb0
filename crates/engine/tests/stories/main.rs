//! Stories of the engine against a model server: what goes wrong on the way, and what comes of it.
#![allow(clippy::unwrap_used, reason = "tests")]

mod background;
mod bookkeeping;
mod conflicts;
mod operations;
mod order;
mod patience;
mod restored;
mod sessions;
mod support;
mod unknown_outcome;
mod walk;
