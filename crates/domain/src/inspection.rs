//! An inspection of a case and what it found.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, InspectionId, Revision, Timestamp};

/// One inspection as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Inspection {
    /// The inspection's id, made by the inspector's computer.
    pub id: InspectionId,
    /// The case it belongs to.
    pub case_id: CaseId,
    /// A slug.
    pub kind: String,
    /// `YYYY-MM-DD`.
    pub inspected_on: String,
    /// How it went.
    pub outcome: Outcome,
    /// What was found, in the inspector's order.
    pub findings: Vec<Finding>,
    /// Always 1.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who inspected.
    pub created_by: ActorId,
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Finding {
    /// The rule it breaks, as the organization numbers them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What was found.
    pub text: String,
    /// How grave it is.
    pub severity: Severity,
    /// What is to be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrective_action: Option<String>,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal),* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the names are the field's own")]
        pub enum $name { $($variant),* }

        impl $name {
            /// Each of them.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

named! {
    /// How an inspection went.
    Outcome { Pass "pass", PassWithConditions "pass_with_conditions", Fail "fail", NoAccess "no_access" }
}

named! {
    /// How grave a finding is, least first.
    Severity { Minor "minor", Major "major", Critical "critical" }
}
