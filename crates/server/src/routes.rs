//! The routes, by noun. Each unpacks, calls one thing below, and packs.

pub mod changes;
pub mod commands;
pub mod config;
pub mod events;
pub mod health;
pub mod metrics;
pub mod openapi;
pub mod operations;
pub mod presence;
pub mod query;
pub mod sessions;
