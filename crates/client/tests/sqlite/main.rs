//! The store in SQLite: what must hold of the file, whatever happened to the process, the disk or the file itself.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accepting;
mod conformance;
mod delivering;
mod killed;
mod listing;
mod migrating;
mod opening;
mod plans;
mod pulling;
mod support;
