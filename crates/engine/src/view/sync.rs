//! The connection and the outbox in numbers, and the signals that say "something changed".

use std::collections::BTreeMap;

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::delivery::StateName;

/// The state of sending and receiving, for the rail, the banner and the sync centre.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SyncStatus {
    /// What the last attempt to reach the server said.
    pub link: Link,
    /// When `link` last changed.
    pub link_since: Option<Timestamp>,
    /// When the server last answered anything.
    pub last_answer_at: Option<Timestamp>,
    /// When the feed was last read to its end.
    pub last_pull_at: Option<Timestamp>,
    /// The person paused sending.
    pub paused: bool,
    /// Counts; each equals a count of the table.
    pub counts: Counts,
    /// A first download in progress: entities held so far, and the head's number if known.
    pub first_sync: Option<FirstSync>,
}

/// Whether the server answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// Not tried yet.
    #[default]
    Unknown,
    /// The server answered.
    Online,
    /// No connection.
    Offline,
    /// Something answered that is not the server.
    NotOurServer,
}

/// The outbox in numbers. "Open" is neither received nor decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Counts {
    /// Unresolved rows by state.
    pub by_state: BTreeMap<StateName, u32>,
    /// Open rows.
    pub open: u32,
    /// Cases with an open row.
    pub open_cases: u32,
    /// Open rows that go by themselves.
    pub waiting: u32,
    /// Open rows in doubt.
    pub in_doubt: u32,
    /// Open rows in conflict, rejected, or held for a grant, a confirmation, quarantine or a person.
    pub needs_attention: u32,
    /// Rows received since the start of `since` (local midnight, given by the window).
    pub received_today: u32,
}

/// Progress of a first download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FirstSync {
    /// Entities stored so far.
    pub entities: u32,
    /// The feed's head, an upper bound of what is to come.
    #[ts(type = "number | null")]
    pub head: Option<u64>,
}

/// What a signal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Cases, notes, members, timeline, and the pending view over them.
    Cases,
    /// The outbox and its counts.
    Outbox,
    /// Who is signed in.
    Session,
    /// Whether the server answers, and first-download progress.
    Link,
}

/// "Something changed": scope and version only. Windows read what they show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Signal {
    /// What changed.
    pub scope: Scope,
    /// The scope's version after the change; never falls within one process or across restarts of one store.
    #[ts(type = "number")]
    pub version: u64,
}

/// The newest version of each scope: what a window compares on focus and every 30 s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "the scopes")]
pub struct Versions {
    #[ts(type = "number")]
    pub cases: u64,
    #[ts(type = "number")]
    pub outbox: u64,
    #[ts(type = "number")]
    pub session: u64,
    #[ts(type = "number")]
    pub link: u64,
}
