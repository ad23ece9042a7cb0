//! What a change of a user comes to, whichever database keeps it: decided here, stored there.

use domain::{EntityId, TenantId, Timestamp};
use wire::feed::MemberEntity;

use crate::command::answer::json;
use crate::execution::{FeedChange, Writes};
use crate::storage::UserChange;

/// A user as stored, with what its next `member` entity needs.
pub(super) struct StoredUser {
    pub(super) tenant: TenantId,
    pub(super) member: MemberEntity,
    pub(super) session_version: i64,
    /// The tenant's newest feed position.
    pub(super) head: u64,
}

/// What is to be stored besides the user itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Consequences {
    /// The role's history gets another entry.
    pub(super) has_new_role: bool,
    /// All sessions end.
    pub(super) ends_sessions: bool,
    /// The hash of another password.
    pub(super) password_hash: Option<String>,
}

impl StoredUser {
    /// Makes `change` of the user; `None` if it is so already and nothing is to be stored.
    pub(super) fn apply(&mut self, change: UserChange) -> Option<Consequences> {
        let mut consequences = Consequences::default();
        match change {
            UserChange::Role(role) if role == self.member.role => return None,
            UserChange::Role(role) => {
                self.member.role = role;
                consequences.has_new_role = true;
            }
            UserChange::Disabled(disabled) => {
                consequences.ends_sessions = disabled && !self.member.disabled;
                self.member.disabled = disabled;
            }
            UserChange::Password(hash) => {
                consequences.ends_sessions = true;
                consequences.password_hash = Some(hash);
            }
            UserChange::Revoke => consequences.ends_sessions = true,
        }
        self.session_version += i64::from(consequences.ends_sessions);
        Some(consequences)
    }

    /// Raises the revision and gives what puts the `member` entity into the feed.
    pub(super) fn announce(&mut self, now: Timestamp) -> Writes {
        let member = &mut self.member;
        member.revision = member.revision.next();
        let seq = self.head + 1;
        let change = FeedChange {
            seq,
            kind: "member",
            id: EntityId::from(member.id),
            revision: member.revision,
            visible_to: None,
            command_id: None,
            at: now,
            body: json(member),
        };
        Writes { changes: vec![change], head: seq, ..Writes::default() }
    }
}
