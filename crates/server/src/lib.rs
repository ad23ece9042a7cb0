//! The receiver: it executes each command at most once per key, answers every repeat with the first answer,
//! and feeds what changed back to the clients.
//!
//! A request goes `http` (deadlines, limits) → `routes` (unpack, pack) → `execution` (gather, decide) →
//! `storage` (one port, whole units of work). A library so that the tests can drive the real router.

#![allow(clippy::result_large_err, reason = "a problem is only made where a request ends with it")]

pub mod app;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
pub mod cursor;
pub mod execution;
#[cfg(feature = "failpoints")]
pub mod failpoint;
pub mod http;
pub mod keeping;
pub mod key_file;
pub mod log;
pub mod metrics;
pub mod openapi;
pub mod password;
pub mod presence;
pub mod rates;
pub mod routes;
pub mod sealed;
pub mod storage;
pub mod streams;
pub mod throttle;
pub mod token;
pub mod wakes;
pub mod webhooks;
