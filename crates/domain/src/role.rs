//! Roles, each including the ones before it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a person may do in an organization; ordered, each includes the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Works on cases.
    Officer,
    /// Also closes and reopens them.
    Supervisor,
    /// Also manages the organization.
    Admin,
}

impl Role {
    /// Every role, least first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Officer, Self::Supervisor, Self::Admin];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Officer => "officer",
            Self::Supervisor => "supervisor",
            Self::Admin => "admin",
        }
    }

    /// The role of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}
