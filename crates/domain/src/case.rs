//! A case: its fields, its status machine and its priority.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, Revision, Timestamp};

/// One case as the feed carries it and the windows show it. Absent optional texts are `None`, never "".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Case {
    /// The case's id, made by whoever opened it.
    pub id: CaseId,
    /// `YYYY-NNNNNN`, given when it is committed; `None` while only this computer knows the case.
    pub number: Option<String>,
    /// One line.
    pub title: String,
    /// A slug such as `complaint` or `inspection`.
    pub kind: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Where it stands.
    pub status: Status,
    /// Longer text.
    pub description: Option<String>,
    /// Where it is about.
    pub address: Option<String>,
    /// The district, as the organization names it.
    pub district: Option<String>,
    /// Degrees north.
    pub latitude: Option<f64>,
    /// Degrees east.
    pub longitude: Option<f64>,
    /// `YYYY-MM-DD`.
    pub due_on: Option<String>,
    /// The id in the system the case was imported from; unique in the tenant.
    pub external_id: Option<String>,
    /// Who works on it.
    pub assignee_id: Option<ActorId>,
    /// Sorted, without doubles.
    pub tags: Vec<String>,
    /// Archived cases only take `case.restore`.
    pub archived: bool,
    /// Rises by one with each committed `case.*` operation and nothing else.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who opened it.
    pub created_by: ActorId,
}

/// Where a case stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the field's own")]
pub enum Status {
    Draft,
    Open,
    UnderReview,
    PendingInfo,
    Resolved,
    Closed,
    Reopened,
    Withdrawn,
}

impl Status {
    /// Every status, in the order of a case's life.
    pub const ALL: [Self; 8] = [
        Self::Draft,
        Self::Open,
        Self::UnderReview,
        Self::PendingInfo,
        Self::Resolved,
        Self::Closed,
        Self::Reopened,
        Self::Withdrawn,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::UnderReview => "under_review",
            Self::PendingInfo => "pending_info",
            Self::Resolved => "resolved",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The status of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether a case may go from here to `to` (CONTRACT 3, status machine).
    pub fn may_become(self, to: Self) -> bool {
        use Status as S;
        matches!(
            (self, to),
            (S::Draft, S::Open)
                | (S::Open | S::PendingInfo | S::Reopened, S::UnderReview)
                | (S::UnderReview, S::PendingInfo | S::Resolved)
                | (S::Resolved, S::Closed)
                | (S::Closed, S::Reopened)
        ) || (to == S::Withdrawn && !matches!(self, S::Closed | S::Withdrawn))
    }

    /// The statuses a case may go to from here.
    pub fn next(self) -> Vec<Self> {
        Self::ALL.into_iter().filter(|to| self.may_become(*to)).collect()
    }
}

/// How urgent a case is, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the field's own")]
pub enum Priority {
    Low,
    Normal,
    High,
    Urgent,
}

impl Priority {
    /// Every priority, least first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Urgent];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }

    /// The priority of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_machine_allows_exactly_the_pairs_of_the_contract() {
        let legal = [
            ("draft", "open"),
            ("open", "under_review"),
            ("under_review", "pending_info"),
            ("pending_info", "under_review"),
            ("under_review", "resolved"),
            ("resolved", "closed"),
            ("closed", "reopened"),
            ("reopened", "under_review"),
            ("draft", "withdrawn"),
            ("open", "withdrawn"),
            ("under_review", "withdrawn"),
            ("pending_info", "withdrawn"),
            ("resolved", "withdrawn"),
            ("reopened", "withdrawn"),
        ];
        for from in Status::ALL {
            for to in Status::ALL {
                assert_eq!(from.may_become(to), legal.contains(&(from.name(), to.name())), "{from:?} to {to:?}");
            }
        }
    }
}
