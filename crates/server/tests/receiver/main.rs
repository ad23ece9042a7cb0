//! The receiver from outside: its storage port, its routes over a real socket, and its real process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod batch;
mod commands;
mod compression;
mod concurrency;
mod conformance;
mod events;
mod feed;
mod figures;
mod import;
mod limits;
mod operations;
mod presence;
mod problems;
mod process;
mod replay;
mod rights;
mod sessions;
mod settings;
mod webhooks;
