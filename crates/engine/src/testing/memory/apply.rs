//! Putting the feed into the base.

use std::collections::BTreeSet;

use domain::{ActorId, CommandId, EntityId, EntityKind};
use wire::{FeedEntity, FeedItem};

use super::data::Data;
use crate::delivery::{Delivery, DeliveryEvent, EventName, StateName};
use crate::ports::{Applied, FeedPage, Guard, StepCause, StoreError};
use crate::projection::is_contained;

impl Data {
    pub(super) fn apply(&mut self, feed: &FeedPage) -> Result<Applied, StoreError> {
        if feed.session_version != self.session.version {
            return Ok(Applied { applied: false, settled: Vec::new(), versions: self.versions });
        }
        for item in &feed.page.items {
            item.read().map_err(|error| StoreError::Illegal(error.to_string()))?;
        }
        if feed.starts_over {
            self.came_again = Some(BTreeSet::new());
        }
        let mut settled = Vec::new();
        for item in &feed.page.items {
            self.put(item)?;
            settled.extend(self.settle(item, feed)?);
        }
        self.cursor = Some(feed.page.cursor.clone());
        if !feed.page.has_more {
            self.finish(feed);
        }
        self.versions.cases += 1;
        Ok(Applied { applied: true, settled, versions: self.versions })
    }

    fn put(&mut self, item: &FeedItem) -> Result<(), StoreError> {
        let entity = item.read().map_err(|error| StoreError::Illegal(error.to_string()))?;
        if let Some(came_again) = &mut self.came_again {
            came_again.insert((item.kind.clone(), item.id));
        }
        match entity {
            Some(FeedEntity::Entity(entity)) => drop(self.entities.insert((entity.kind(), entity.id()), entity)),
            Some(FeedEntity::Member(member)) => drop(self.members.insert(member.id, member)),
            None if item.deleted => self.remove(&item.kind, item.id),
            None => {}
        }
        Ok(())
    }

    fn remove(&mut self, kind: &str, id: EntityId) {
        match EntityKind::named(kind) {
            Some(kind) => drop(self.entities.remove(&(kind, id))),
            None => drop(self.members.remove(&ActorId(id.0))),
        }
    }

    /// A row in doubt whose command made this state is received.
    fn settle(&mut self, item: &FeedItem, feed: &FeedPage) -> Result<Option<CommandId>, StoreError> {
        let Some(command) = item.command_id.filter(|_| !item.deleted) else { return Ok(None) };
        let event = DeliveryEvent::FeedShowed { position: item.seq };
        let cause = StepCause { error: None, not_before: None, at: feed.now };
        let row = self.step(command, Guard::State(StateName::Unknown), event, &cause)?;
        Ok(row.map(|row| row.command_id))
    }

    fn finish(&mut self, feed: &FeedPage) {
        if let Some(came_again) = self.came_again.take() {
            let entities = self.entities.keys().map(|(kind, id)| (kind.name().to_owned(), *id));
            let members = self.members.keys().map(|id| ("member".to_owned(), EntityId::from(*id)));
            let held: Vec<(String, EntityId)> = entities.chain(members).collect();
            for (kind, id) in held.into_iter().filter(|key| !came_again.contains(key)) {
                self.remove(&kind, id);
            }
        }
        self.is_complete = true;
        self.last_pull_at = Some(feed.now);
        let received = self.rows.iter().filter(|row| matches!(row.delivery, Delivery::Acked { .. }) && !row.projected);
        let contained: Vec<CommandId> =
            received.filter(|row| is_contained(row, feed.page.head)).map(|row| row.command_id).collect();
        for command in contained {
            self.annotate(command, EventName::Projected, feed.now, |row| row.projected = true);
        }
    }
}
