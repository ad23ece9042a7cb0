//! What a disk holds.

use std::collections::{BTreeMap, BTreeSet};

use domain::{ActorId, Case, CaseId, CommandId, Entity, EntityId, EntityKind, Timestamp};
use wire::feed::MemberEntity;

use crate::delivery::{HistoryEntry, OutboxRow};
use crate::ports::{Base, StoredSession};
use crate::view::Versions;

#[derive(Debug, Clone, Default)]
pub(super) struct Data {
    pub(super) epoch: u64,
    pub(super) session: StoredSession,
    pub(super) rows: Vec<OutboxRow>,
    pub(super) history: BTreeMap<CommandId, Vec<HistoryEntry>>,
    pub(super) entities: BTreeMap<(EntityKind, EntityId), Entity>,
    pub(super) members: BTreeMap<ActorId, MemberEntity>,
    pub(super) cursor: Option<String>,
    pub(super) feed_epoch: Option<String>,
    pub(super) is_complete: bool,
    /// While a read without a cursor is under way: what came again so far.
    pub(super) came_again: Option<BTreeSet<(String, EntityId)>>,
    pub(super) last_pull_at: Option<Timestamp>,
    pub(super) versions: Versions,
}

impl Data {
    pub(super) fn row(&self, command: CommandId) -> Option<&OutboxRow> {
        self.rows.iter().find(|row| row.command_id == command)
    }

    /// The target's pending and open rows, in enqueue order.
    pub(super) fn lane(&self, target: EntityId) -> Vec<OutboxRow> {
        let belongs = |row: &&OutboxRow| row.target == target && (row.is_pending() || row.is_open());
        let mut lane: Vec<OutboxRow> = self.rows.iter().filter(belongs).cloned().collect();
        lane.sort_by_key(OutboxRow::lane_order);
        lane
    }

    pub(super) fn case(&self, id: CaseId) -> Option<&Case> {
        match self.entities.get(&(EntityKind::Case, id.into())) {
            Some(Entity::Case(case)) => Some(case),
            _ => None,
        }
    }

    pub(super) fn base(&self, id: CaseId) -> Base {
        let mut base = Base { case: self.case(id).cloned(), ..Base::default() };
        for entity in self.entities.values().filter(|entity| entity.case_id() == id) {
            match entity {
                Entity::Case(_) | Entity::Notification(_) => {}
                Entity::Activity(activity) => base.timeline.push(activity.clone()),
                child => base.children.push(child.clone()),
            }
        }
        base
    }

    /// What the server last said of a target of this type.
    pub(super) fn base_of(&self, kind: EntityKind, target: EntityId) -> Base {
        if kind == EntityKind::Case {
            return self.base(CaseId(target.0));
        }
        let held = self.entities.get(&(kind, target));
        Base {
            case: held.and_then(|held| self.case(held.case_id())).cloned(),
            children: held.cloned().into_iter().collect(),
            ..Base::default()
        }
    }

    pub(super) fn entity_count(&self) -> u32 {
        u32::try_from(self.entities.len() + self.members.len()).unwrap_or(u32::MAX)
    }

    /// Both scopes changed: what a row's step does to the outbox it does to the view over the cases.
    pub(super) fn touch(&mut self) {
        self.versions.cases += 1;
        self.versions.outbox += 1;
    }
}
