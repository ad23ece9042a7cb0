//! The operations of version 1 and every policy that goes with each.
//!
//! There is no default: a new operation does not compile until each question is answered.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::case::Status;
use crate::payload::Payload;
use crate::role::Role;

/// What an actor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "described by `Operation::policy`")]
pub enum Operation {
    #[serde(rename = "case.create")]
    CaseCreate,
    #[serde(rename = "case.edit")]
    CaseEdit,
    #[serde(rename = "case.transition")]
    CaseTransition,
    #[serde(rename = "case.assign")]
    CaseAssign,
    #[serde(rename = "tag.add")]
    TagAdd,
    #[serde(rename = "tag.remove")]
    TagRemove,
    #[serde(rename = "note.add")]
    NoteAdd,
}

/// What decides whether an operation still fits the state it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// It makes the target.
    NewId,
    /// Each field still holds what the actor saw.
    PerField,
    /// The target still has the revision the actor saw.
    Revision,
    /// Adding and removing members of a set: order does not matter.
    Set,
    /// It adds an entity of its own.
    Append,
}

/// What to do about a command that was sent and not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownOutcome {
    /// Send it again with the same key.
    Resend,
    /// Ask the server before any resend.
    ReconcileFirst,
}

/// Whose rights count when a command arrives late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// The rights the actor has now.
    Current,
    /// The rights the actor had when it was issued, else those of now.
    AtIntent,
}

/// Everything the client and the server need to know about an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// See [`Concurrency`].
    pub concurrency: Concurrency,
    /// See [`UnknownOutcome`].
    pub unknown_outcome: UnknownOutcome,
    /// See [`Authority`].
    pub authority: Authority,
    /// Whether it may pass, or be passed by, another commuting command of its lane.
    pub commutes: bool,
    /// Whether it raises the revision of its target case.
    pub raises_revision: bool,
    /// The least role; a payload may ask for more, see [`Operation::least_role_for`].
    pub least_role: Role,
}

impl Operation {
    /// Every operation of version 1 that this build knows.
    pub const ALL: [Self; 7] = [
        Self::CaseCreate,
        Self::CaseEdit,
        Self::CaseTransition,
        Self::CaseAssign,
        Self::TagAdd,
        Self::TagRemove,
        Self::NoteAdd,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::CaseCreate => "case.create",
            Self::CaseEdit => "case.edit",
            Self::CaseTransition => "case.transition",
            Self::CaseAssign => "case.assign",
            Self::TagAdd => "tag.add",
            Self::TagRemove => "tag.remove",
            Self::NoteAdd => "note.add",
        }
    }

    /// The operation of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The policies of this operation (CONTRACT 3).
    pub fn policy(self) -> Policy {
        use Authority::{AtIntent, Current};
        use Concurrency::{Append, NewId, PerField, Revision, Set};
        use UnknownOutcome::{ReconcileFirst, Resend};
        let (concurrency, unknown_outcome, authority, commutes, raises_revision, least_role) = match self {
            Self::CaseCreate => (NewId, Resend, Current, false, true, Role::Officer),
            Self::CaseEdit | Self::CaseAssign => (PerField, Resend, Current, false, true, Role::Officer),
            Self::CaseTransition => (Revision, ReconcileFirst, Current, false, true, Role::Officer),
            Self::TagAdd | Self::TagRemove => (Set, Resend, Current, true, false, Role::Officer),
            Self::NoteAdd => (Append, Resend, AtIntent, true, false, Role::Officer),
        };
        Policy { concurrency, unknown_outcome, authority, commutes, raises_revision, least_role }
    }

    /// The least role for this payload: closing and reopening need a supervisor.
    pub fn least_role_for(payload: &Payload) -> Role {
        match payload {
            Payload::CaseTransition(transition) if matches!(transition.to, Status::Closed | Status::Reopened) => {
                Role::Supervisor
            }
            _ => payload.operation().policy().least_role,
        }
    }

    /// The operations `role` may run in at least one form: what a session lists as its rights.
    pub fn rights_of(role: Role) -> Vec<Self> {
        Self::ALL.into_iter().filter(|operation| role >= operation.policy().least_role).collect()
    }
}

/// Whether two operations of one lane may be in flight in any order, as far as the operations alone tell.
pub fn commute(a: Operation, b: Operation) -> bool {
    a.policy().commutes && b.policy().commutes
}
