//! The feed of changes and the wake-ups (CONTRACT 6).

use domain::{ActorId, CaseId, CommandId, Entity, EntityId, EntityKind, Revision, Role, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One page of `GET /v1/changes`, with its entities as `E`: whoever passes them on need not read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangesPage<E = Value> {
    /// Changes after a restore or failover.
    pub epoch: String,
    /// In the order of their positions.
    pub items: Vec<FeedItem<E>>,
    /// Where the next page starts; opaque.
    pub cursor: String,
    /// Whether more is there already.
    pub has_more: bool,
    /// The newest position of the tenant.
    pub head: u64,
}

/// One entity at its newest state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedItem<E = Value> {
    /// Its position: per tenant, in commit order.
    pub seq: u64,
    /// Its type; readers ignore types they do not know.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: EntityId,
    /// Its revision.
    pub revision: Revision,
    /// Erased, expired or no longer visible to this actor; `entity` is null then.
    pub deleted: bool,
    /// The command that made this state, if one did.
    pub command_id: Option<CommandId>,
    /// When it was committed.
    pub at: Timestamp,
    /// The entity; `null` if deleted.
    pub entity: E,
}

/// An entity of the feed, read.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each entity describes itself")]
#[allow(clippy::large_enum_variant, reason = "read and stored one by one")]
pub enum FeedEntity {
    Entity(Entity),
    Member(MemberEntity),
}

/// A person of the organization, as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "plain")]
pub struct MemberEntity {
    pub id: ActorId,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    pub disabled: bool,
    pub revision: Revision,
    pub created_at: Timestamp,
}

impl FeedItem {
    /// The entity, or `None` for a deleted one and for a type this build does not know.
    ///
    /// # Errors
    /// When the entity does not have its type's members: the page is not usable then.
    pub fn read(&self) -> Result<Option<FeedEntity>, serde_json::Error> {
        if self.deleted {
            return Ok(None);
        }
        let entity = self.entity.clone();
        if self.kind == "member" {
            return Ok(Some(FeedEntity::Member(serde_json::from_value(entity)?)));
        }
        let Some(kind) = EntityKind::named(&self.kind) else { return Ok(None) };
        Ok(Some(FeedEntity::Entity(Entity::from_value(kind, entity)?)))
    }
}

/// The data of `event: presence`: everybody who is at a case now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresenceEvent {
    /// The case.
    pub case_id: CaseId,
    /// Nobody, once the last one has gone.
    pub actors: Vec<ActorId>,
}

/// The data of `event: wake`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeEvent {
    /// The feed's epoch.
    pub epoch: String,
    /// The feed's newest position.
    pub head: u64,
}
