//! One small part of a purge, as the storage port sees it; and what another epoch leaves out.

use domain::{CommandId, TenantId, Timestamp};
use uuid::Uuid;

/// How many case numbers are left out when another epoch begins: as many may have been given in the data that was lost.
pub(super) const NUMBERS_SKIPPED: i64 = 1_000;

/// What a purge takes away, in the order in which it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// Full answers become what is left of them.
    Receipts,
    /// What was left of them goes, and the purge horizon rises.
    Records,
    /// Notifications that were read become tombstones of the feed.
    Notifications,
    /// Tombstones of the feed go; older cursors expire.
    Tombstones,
    /// Sessions that are over go, but for each actor's first: rights at intent are held within the life of sessions.
    Sessions,
}

impl Purge {
    /// Each of them.
    pub const ALL: [Self; 5] = [Self::Receipts, Self::Records, Self::Notifications, Self::Tombstones, Self::Sessions];

    /// The name of one such thing, in figures and in the audit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Receipts => "receipt",
            Self::Records => "record",
            Self::Notifications => "notification",
            Self::Tombstones => "tombstone",
            Self::Sessions => "session",
        }
    }

    /// What was done to it, in words.
    pub fn deed(self) -> &'static str {
        match self {
            Self::Receipts => "receipts reduced",
            Self::Records => "reduced receipts removed",
            Self::Notifications => "read notifications expired",
            Self::Tombstones => "tombstones removed",
            Self::Sessions => "ended sessions removed",
        }
    }
}

/// A part of a purge: few enough rows of one tenant for one short transaction.
#[derive(Debug, Clone, Copy)]
pub struct PurgePart {
    /// Whose.
    pub tenant: TenantId,
    /// What.
    pub what: Purge,
    /// What is older than this has had its time.
    pub before: Timestamp,
    /// Rows at most.
    pub limit: u32,
    /// The purge that this is part of, for the audit.
    pub run: CommandId,
    /// The time.
    pub now: Timestamp,
}

/// What a part came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purged {
    /// How many rows.
    pub count: u64,
    /// Nothing more is old enough.
    pub is_done: bool,
}

impl PurgePart {
    /// Ids of version 7 made before this time are less than this one.
    pub fn least_id(&self) -> Uuid {
        let ms = u128::try_from(self.before.0).unwrap_or(0) & 0xffff_ffff_ffff;
        Uuid::from_u128(ms << 80)
    }

    /// Whether what was written at `at` need not be waited for. What was written while the clock was ahead does not hold up
    /// the rest.
    pub fn is_passed(&self, at: i64) -> bool {
        at < self.before.0 || at > self.now.0
    }

    /// That `count` rows were found, of which there may be more.
    pub fn purged(&self, count: usize) -> Purged {
        Purged { count: u64::try_from(count).unwrap_or(u64::MAX), is_done: count < self.limit as usize }
    }
}
