//! What is done without a command, as the audit tells it: by an administrator, by somebody who signs out, by the server
//! itself. Such an entry has no idempotency key, and its `command_id` tells one such deed from another.

use domain::{ActorId, CommandId, Timestamp};
use uuid::Uuid;
use wire::feed::MemberEntity;

use crate::execution::AuditEntry;
use crate::storage::UserChange;
use crate::storage::keeping::PurgePart;
use crate::storage::webhook::EndpointId;
use crate::webhooks::target::place_of;

/// Who acts where the server does.
const SERVER: &str = "onceover-server";
/// Who acts on the command line of the server.
const ADMINISTRATOR: &str = "administrator";

/// What is done, by whom and to what.
struct Deed {
    id: CommandId,
    operation: &'static str,
    actor: String,
    entity_type: &'static str,
    entity_id: String,
    code: Option<String>,
}

impl Deed {
    fn entry(self, now: Timestamp) -> AuditEntry {
        AuditEntry {
            command_id: self.id.to_string(),
            key: String::new(),
            actor_id: self.actor,
            entity_type: self.entity_type.to_owned(),
            entity_id: self.entity_id,
            operation: self.operation.to_owned(),
            previous_revision: None,
            next_revision: None,
            result: "committed".into(),
            code: self.code.map(Into::into),
            authority: None,
            session_version: 0,
            issued_under: 0,
            request_id: String::new(),
            occurred_at: now,
        }
    }
}

fn new_id() -> CommandId {
    CommandId(Uuid::now_v7())
}

/// A part of a purge took `count` rows away: `entity_id` says of before when, `code` how many.
pub(super) fn purged(part: &PurgePart, count: u64) -> AuditEntry {
    let deed = Deed {
        id: part.run,
        operation: "purge",
        actor: SERVER.to_owned(),
        entity_type: part.what.name(),
        entity_id: format!("before {}", part.before),
        code: Some(count.to_string()),
    };
    deed.entry(part.now)
}

/// The feed is in another epoch from here on.
pub(super) fn epoch_begun(epoch: &str, now: Timestamp) -> AuditEntry {
    let deed = Deed {
        id: new_id(),
        operation: "new-epoch",
        actor: SERVER.to_owned(),
        entity_type: "feed",
        entity_id: epoch.to_owned(),
        code: None,
    };
    deed.entry(now)
}

/// A user was added: `code` names the role.
pub(super) fn user_added(member: &MemberEntity, now: Timestamp) -> AuditEntry {
    let entry = on_user("user.add", member, Some(member.role.name().to_owned())).entry(now);
    AuditEntry { next_revision: Some(member.revision.0), ..entry }
}

/// `member` is about to be changed: `code` names the new role, where it is about that.
pub(super) fn user_changed(change: &UserChange, member: &MemberEntity, now: Timestamp) -> AuditEntry {
    let (operation, code) = match change {
        UserChange::Role(role) => ("user.set-role", Some(role.name().to_owned())),
        UserChange::Revoke => ("user.revoke", None),
        UserChange::Disabled(true) => ("user.disable", None),
        UserChange::Disabled(false) => ("user.enable", None),
        UserChange::Password(_) => ("user.set-password", None),
    };
    let (before, after) = (member.revision, member.revision.next());
    let entry = on_user(operation, member, code).entry(now);
    AuditEntry { previous_revision: Some(before.0), next_revision: Some(after.0), ..entry }
}

fn on_user(operation: &'static str, member: &MemberEntity, code: Option<String>) -> Deed {
    let (actor, entity_id) = (ADMINISTRATOR.to_owned(), member.id.to_string());
    Deed { id: new_id(), operation, actor, entity_type: "member", entity_id, code }
}

/// What an administrator did to the endpoint at `url`: `code` says where that is.
pub(super) fn endpoint(operation: &'static str, endpoint: EndpointId, url: &str, now: Timestamp) -> AuditEntry {
    on_endpoint(operation, ADMINISTRATOR, endpoint, url).entry(now)
}

/// The endpoint at `url` answered that it wants nothing any more.
pub(super) fn endpoint_gone(endpoint: EndpointId, url: &str, now: Timestamp) -> AuditEntry {
    on_endpoint("webhook.disable", SERVER, endpoint, url).entry(now)
}

fn on_endpoint(operation: &'static str, actor: &str, endpoint: EndpointId, url: &str) -> Deed {
    let (actor, entity_id, code) = (actor.to_owned(), endpoint.to_string(), Some(place_of(url)));
    Deed { id: new_id(), operation, actor, entity_type: "endpoint", entity_id, code }
}

/// Why a session ended by itself alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// Its owner signed out.
    SignedOut,
    /// A refresh token was used that should have been used up: somebody else may have it.
    TokenReused,
}

/// A session ended: `code` says why, unless its owner signed out.
pub(super) fn session_ended(session: Uuid, actor: ActorId, end: SessionEnd, now: Timestamp) -> AuditEntry {
    let code = (end == SessionEnd::TokenReused).then(|| "session-revoked".to_owned());
    let (id, entity_id) = (new_id(), session.to_string());
    Deed { id, operation: "session.end", actor: actor.to_string(), entity_type: "session", entity_id, code }.entry(now)
}
