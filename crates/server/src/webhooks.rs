//! Carries events out of the server: signed HTTP posts by Standard Webhooks 1.0, and mail.
//!
//! An event is written in the transaction of the command it tells of, once for each endpoint that wants it
//! (`storage`). A task of `serve` ([`carry`]) claims what is due under a lease, makes one attempt each ([`post`],
//! [`mail`]) and writes down how it ended; [`schedule`] says when the next one is due. An attempt is made at least
//! once, and carries the same id and the same bytes every time, so that a receiver can tell a repeat.

pub mod address;
pub mod carry;
pub mod mail;
pub mod outcome;
pub mod post;
pub mod resolve;
pub mod schedule;
pub mod secret;
pub mod target;
