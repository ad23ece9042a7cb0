//! The operations of version 1 and every policy that goes with each.
//!
//! There is no default: a new operation does not compile until each question is answered.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::case::Status;
use crate::entity::EntityKind;
use crate::payload::Payload;
use crate::role::Role;

macro_rules! operations {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// What an actor can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[allow(missing_docs, reason = "described by `Operation::policy`")]
        pub enum Operation {
            $(#[serde(rename = $name)] $variant),*
        }

        impl Operation {
            /// Every operation of version 1.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

operations! {
    CaseCreate "case.create",
    CaseEdit "case.edit",
    CaseTransition "case.transition",
    CaseAssign "case.assign",
    CaseArchive "case.archive",
    CaseRestore "case.restore",
    TagAdd "tag.add",
    TagRemove "tag.remove",
    NoteAdd "note.add",
    NoteRedact "note.redact",
    TaskAdd "task.add",
    TaskSetDone "task.set_done",
    TimeLog "time.log",
    InspectionRecord "inspection.record",
    NoticeIssue "notice.issue",
    NotificationRead "notification.read",
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
    /// It puts something into a state, whatever it was before; doing it twice is doing it once.
    Set,
    /// It adds an entity of its own, or takes one away for good.
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
    /// The rights the actor has now, and a confirmation if it is older than its [`Age`] or of an older session.
    Confirmed,
}

/// What a repeat of a committed command is told when its actor may no longer run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Its receipt: what an actor did by rights of that time stays theirs to know.
    Receipt,
    /// That it is committed, and nothing else.
    CommittedOnly,
}

/// How old a command may be when it takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// As old as the server remembers keys; older ones it can no longer tell from repeats.
    WhileRemembered,
    /// So many hours since it was issued, or confirmed.
    HoursSinceConfirmed(u16),
}

/// Everything the client and the server need to know about an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The members of its payload; optional ones carry a question mark.
    pub payload: &'static str,
    /// What it is about.
    pub target: EntityKind,
    /// See [`Concurrency`].
    pub concurrency: Concurrency,
    /// See [`UnknownOutcome`].
    pub unknown_outcome: UnknownOutcome,
    /// See [`Authority`].
    pub authority: Authority,
    /// See [`Repeat`].
    pub repeat: Repeat,
    /// See [`Age`].
    pub age_max: Age,
    /// Whether it may pass, or be passed by, another commuting command of its lane.
    pub commutes: bool,
    /// Whether it raises the revision of its target.
    pub raises_revision: bool,
    /// The least role; a payload may ask for more, see [`Operation::least_role_for`].
    pub least_role: Role,
}

impl Operation {
    /// The operation of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The policies of this operation (CONTRACT 3), written out one by one on purpose.
    #[allow(clippy::too_many_lines, clippy::match_same_arms, reason = "a flat table, each line chosen for itself")]
    pub fn policy(self) -> Policy {
        use Age::{HoursSinceConfirmed, WhileRemembered};
        use Authority::{AtIntent, Confirmed, Current};
        use Concurrency::{Append, NewId, PerField, Revision, Set};
        use EntityKind::{Case, Notification};
        use Repeat::{CommittedOnly, Receipt};
        use Role::{Officer, Supervisor, Viewer};
        use UnknownOutcome::{ReconcileFirst, Resend};
        match self {
            Self::CaseCreate => Policy {
                payload: "title, kind, priority, status?, description?, address?, district?, latitude?, longitude?, due_on?, external_id?",
                target: Case,
                concurrency: NewId,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Officer,
            },
            Self::CaseEdit => Policy {
                payload: "changes: {field: {from, to}}",
                target: Case,
                concurrency: PerField,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Officer,
            },
            Self::CaseTransition => Policy {
                payload: "to, reason_code, comment?",
                target: Case,
                concurrency: Revision,
                unknown_outcome: ReconcileFirst,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Officer,
            },
            Self::CaseAssign => Policy {
                payload: "from, to",
                target: Case,
                concurrency: PerField,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Officer,
            },
            Self::CaseArchive => Policy {
                payload: "reason",
                target: Case,
                concurrency: Revision,
                unknown_outcome: ReconcileFirst,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Supervisor,
            },
            Self::CaseRestore => Policy {
                payload: "reason",
                target: Case,
                concurrency: Revision,
                unknown_outcome: ReconcileFirst,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: false,
                raises_revision: true,
                least_role: Supervisor,
            },
            Self::TagAdd => Policy {
                payload: "tag",
                target: Case,
                concurrency: Set,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::TagRemove => Policy {
                payload: "tag",
                target: Case,
                concurrency: Set,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::NoteAdd => Policy {
                payload: "note_id, text",
                target: Case,
                concurrency: Append,
                unknown_outcome: Resend,
                authority: AtIntent,
                repeat: Receipt,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::NoteRedact => Policy {
                payload: "note_id, reason",
                target: Case,
                concurrency: Append,
                unknown_outcome: ReconcileFirst,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Supervisor,
            },
            Self::TaskAdd => Policy {
                payload: "task_id, title, due_on?",
                target: Case,
                concurrency: Append,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::TaskSetDone => Policy {
                payload: "task_id, done",
                target: Case,
                concurrency: Set,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::TimeLog => Policy {
                payload: "entry_id, minutes, worked_on, note?",
                target: Case,
                concurrency: Append,
                unknown_outcome: Resend,
                authority: AtIntent,
                repeat: Receipt,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::InspectionRecord => Policy {
                payload: "inspection_id, kind, inspected_on, outcome, findings[]",
                target: Case,
                concurrency: Append,
                unknown_outcome: ReconcileFirst,
                authority: AtIntent,
                repeat: Receipt,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: false,
                least_role: Officer,
            },
            Self::NoticeIssue => Policy {
                payload: "notice_id, kind, recipient, body",
                target: Case,
                concurrency: Revision,
                unknown_outcome: ReconcileFirst,
                authority: Confirmed,
                repeat: CommittedOnly,
                age_max: HoursSinceConfirmed(24),
                commutes: false,
                raises_revision: false,
                least_role: Supervisor,
            },
            Self::NotificationRead => Policy {
                payload: "notification_id, read_at",
                target: Notification,
                concurrency: Set,
                unknown_outcome: Resend,
                authority: Current,
                repeat: CommittedOnly,
                age_max: WhileRemembered,
                commutes: true,
                raises_revision: true,
                least_role: Viewer,
            },
        }
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
