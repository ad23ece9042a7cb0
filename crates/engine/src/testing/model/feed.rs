//! The feed: each entity once, at its newest state, in commit order.

use domain::{ActorId, CommandId, EntityId, Revision, Timestamp};
use serde_json::Value;
use wire::{ChangesPage, FeedEntity, FeedItem};

use super::State;

impl State {
    pub(super) fn publish(
        &mut self,
        kind: &str,
        id: EntityId,
        revision: Revision,
        command_id: Option<CommandId>,
        at: Timestamp,
        entity: Value,
    ) -> u64 {
        self.seq += 1;
        self.feed.retain(|item| item.kind != kind || item.id != id);
        let (kind, deleted) = (kind.to_owned(), entity.is_null());
        self.feed.push(FeedItem { seq: self.seq, kind, id, revision, deleted, command_id, at, entity });
        self.seq
    }

    /// The feed's epoch.
    pub(super) fn epoch_name(&self) -> String {
        format!("e{}", self.epoch + 1)
    }

    /// What `actor` may see after `cursor`; without an actor, everything.
    pub(super) fn changes(&self, cursor: Option<u64>, limit: usize, actor: Option<ActorId>) -> ChangesPage {
        let is_for = |item: &FeedItem| match item.read() {
            Ok(Some(FeedEntity::Entity(entity))) => {
                actor.is_none() || entity.visible_to().is_none_or(|one| Some(one) == actor)
            }
            _ => true,
        };
        let after = |item: &&FeedItem| cursor.is_none_or(|cursor| item.seq > cursor) && is_for(item);
        let rest: Vec<&FeedItem> = self.feed.iter().filter(after).collect();
        let items: Vec<FeedItem> = rest.iter().take(limit).copied().cloned().collect();
        let has_more = rest.len() > items.len();
        let last = if has_more { items.last().map_or(0, |item| item.seq) } else { self.seq };
        let epoch = self.epoch_name();
        ChangesPage { cursor: format!("{epoch} {last}"), epoch, items, has_more, head: self.seq }
    }
}
