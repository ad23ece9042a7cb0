//! What a disk holds.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Activity, ActorId, Case, CaseId, CommandId, EntityId, Note, NoteId, Timestamp};
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
    pub(super) cases: BTreeMap<CaseId, Case>,
    pub(super) notes: BTreeMap<NoteId, Note>,
    pub(super) activities: BTreeMap<CommandId, Activity>,
    pub(super) members: BTreeMap<ActorId, MemberEntity>,
    pub(super) cursor: Option<String>,
    pub(super) is_complete: bool,
    /// While a read without a cursor is under way: what came again so far.
    pub(super) came_again: Option<BTreeSet<EntityId>>,
    pub(super) last_pull_at: Option<Timestamp>,
    pub(super) versions: Versions,
}

impl Data {
    pub(super) fn row(&self, command: CommandId) -> Option<&OutboxRow> {
        self.rows.iter().find(|row| row.command_id == command)
    }

    /// The case's pending and open rows, in enqueue order.
    pub(super) fn lane(&self, case: EntityId) -> Vec<OutboxRow> {
        let belongs = |row: &&OutboxRow| row.target == case && (row.is_pending() || row.is_open());
        let mut lane: Vec<OutboxRow> = self.rows.iter().filter(belongs).cloned().collect();
        lane.sort_by_key(OutboxRow::lane_order);
        lane
    }

    pub(super) fn base(&self, case: CaseId) -> Base {
        Base {
            case: self.cases.get(&case).cloned(),
            notes: self.notes.values().filter(|note| note.case_id == case).cloned().collect(),
            timeline: self.activities.values().filter(|activity| activity.case_id == case).cloned().collect(),
        }
    }

    pub(super) fn entity_count(&self) -> u32 {
        let count = self.cases.len() + self.notes.len() + self.activities.len() + self.members.len();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Both scopes changed: what a row's step does to the outbox it does to the view over the cases.
    pub(super) fn touch(&mut self) {
        self.versions.cases += 1;
        self.versions.outbox += 1;
    }
}
