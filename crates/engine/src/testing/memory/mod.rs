//! The store in memory: the same trait and the same pure rules as the real one, as plainly as possible.
//!
//! A [`Disk`] outlives the process; each [`MemoryStore`] is one process that opened it, with an epoch of its own.

mod apply;
mod data;
mod read;
mod write;

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use domain::{ActorId, CaseId, CommandId, EntityId, EntityKind, TenantId, Timestamp};
use uuid::Uuid;

use self::data::Data;
use crate::delivery::{DeliveryEvent, HistoryEntry, Hold, OutboxRow};
use crate::ports::{
    Accepted, Ambient, Applied, Base, Decided, Draft, FeedPage, Guard, OutboxFilter, Owner, StepCause, Store,
    StoreError, StoredSession,
};
use crate::view::{
    CaseDetail, CasePage, CaseQuery, Counts, Member, NotificationView, OutboxDetail, OutboxPage, OutboxRowView,
    Versions, ViewCounts,
};

/// What survives the process.
#[derive(Default)]
pub struct Disk {
    data: Mutex<Data>,
    full_writes: Mutex<u32>,
}

impl Disk {
    /// An empty disk.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// The next `count` writes find the disk full.
    pub fn fill_up_for(&self, count: u32) {
        *self.full_writes.lock().unwrap_or_else(PoisonError::into_inner) = count;
    }

    fn is_full(&self) -> bool {
        let mut left = self.full_writes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = *left > 0;
        *left = left.saturating_sub(1);
        is_full
    }

    /// Every row, whatever became of it.
    pub fn rows(&self) -> Vec<OutboxRow> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner).rows.clone()
    }
}

/// One process that opened a disk.
pub struct MemoryStore {
    disk: Arc<Disk>,
    owner: Owner,
}

impl MemoryStore {
    /// Opens for writing: whoever opened before is no longer the owner.
    pub fn open(disk: &Arc<Disk>, tenant_id: TenantId, actor_id: ActorId) -> Self {
        let mut data = disk.data.lock().unwrap_or_else(PoisonError::into_inner);
        data.epoch += 1;
        let owner = Owner { epoch: data.epoch, tenant_id, actor_id };
        Self { disk: Arc::clone(disk), owner }
    }

    /// One transaction: all of `work` or nothing, since every `work` finds its errors before it changes anything.
    fn write<T>(&self, work: impl FnOnce(&mut Data, &Owner) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.disk.is_full() {
            return Err(StoreError::Full);
        }
        let mut data = self.disk.data.lock().unwrap_or_else(PoisonError::into_inner);
        if data.epoch != self.owner.epoch {
            return Err(StoreError::OwnerLost);
        }
        work(&mut data, &self.owner)
    }

    fn read<T>(&self, work: impl FnOnce(&Data) -> T) -> T {
        work(&self.disk.data.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn owner(&self) -> Owner {
        self.owner
    }

    async fn session(&self) -> Result<StoredSession, StoreError> {
        Ok(self.read(|data| data.session))
    }

    async fn set_session(&self, session: StoredSession) -> Result<Versions, StoreError> {
        self.write(|data, _| {
            data.session = session;
            Ok(data.versions)
        })
    }

    async fn accept(&self, draft: Draft) -> Result<Accepted, StoreError> {
        self.write(|data, owner| data.accept(&draft, owner))
    }

    async fn claim(
        &self,
        now: Timestamp,
        limit: usize,
        ignore_backoff: bool,
        tokens: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Vec<OutboxRow>, StoreError> {
        self.write(|data, owner| data.claim(now, limit, ignore_backoff, owner, tokens))
    }

    async fn step(
        &self,
        command: CommandId,
        guard: Guard,
        event: DeliveryEvent,
        cause: StepCause,
    ) -> Result<Option<OutboxRow>, StoreError> {
        self.write(|data, _| data.step(command, guard, event, &cause))
    }

    async fn recover(&self, now: Timestamp) -> Result<u32, StoreError> {
        self.write(|data, owner| data.recover(now, owner))
    }

    async fn release(&self, hold: Hold, now: Timestamp) -> Result<u32, StoreError> {
        self.write(|data, _| data.release(hold, now))
    }

    async fn in_doubt(&self, now: Timestamp, limit: usize, all: bool) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(self.read(|data| data.in_doubt(now, limit, all)))
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.read(Data::next_due))
    }

    async fn decide(
        &self,
        command: CommandId,
        decided: Decided,
        now: Timestamp,
        ids: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Option<Vec<OutboxRow>>, StoreError> {
        self.write(|data, owner| data.decide(command, &decided, now, owner, ids))
    }

    async fn cursor(&self) -> Result<(Option<String>, bool), StoreError> {
        Ok(self.read(|data| (data.cursor.clone(), data.is_complete)))
    }

    async fn apply(&self, page: FeedPage) -> Result<Applied, StoreError> {
        self.write(|data, _| data.apply(&page))
    }

    async fn feed_epoch(&self) -> Result<Option<String>, StoreError> {
        Ok(self.read(|data| data.feed_epoch.clone()))
    }

    async fn set_feed_epoch(&self, epoch: String) -> Result<(), StoreError> {
        self.write(|data, _| {
            data.feed_epoch = Some(epoch);
            Ok(())
        })
    }

    async fn received_after(&self, seq: i64, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(self.read(|data| data.received_after(seq, limit)))
    }

    async fn forget_cursor(&self) -> Result<(), StoreError> {
        self.write(|data, _| {
            data.cursor = None;
            Ok(())
        })
    }

    async fn versions(&self) -> Result<Versions, StoreError> {
        Ok(self.read(|data| data.versions))
    }

    async fn row(&self, command: CommandId) -> Result<Option<OutboxRow>, StoreError> {
        Ok(self.read(|data| data.row(command).cloned()))
    }

    async fn lane(&self, case: EntityId) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(self.read(|data| data.lane(case)))
    }

    async fn history(&self, command: CommandId) -> Result<Vec<HistoryEntry>, StoreError> {
        Ok(self.read(|data| data.history.get(&command).cloned().unwrap_or_default()))
    }

    async fn counts(&self, since: Timestamp) -> Result<Counts, StoreError> {
        Ok(self.read(|data| crate::present::counts(&data.rows, since)))
    }

    async fn last_pull_at(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.read(|data| data.last_pull_at))
    }

    async fn entity_count(&self) -> Result<u32, StoreError> {
        Ok(self.read(Data::entity_count))
    }

    async fn base(&self, case: CaseId) -> Result<Base, StoreError> {
        Ok(self.read(|data| data.base(case)))
    }

    async fn case_of(&self, kind: EntityKind, id: EntityId) -> Result<Option<CaseId>, StoreError> {
        Ok(self.read(|data| data.case_of(kind, id)))
    }

    async fn case_page(&self, query: CaseQuery, ambient: Ambient) -> Result<CasePage, StoreError> {
        Ok(self.read(|data| data.case_page(&query, &ambient, self.owner.actor_id)))
    }

    async fn case_detail(&self, case: CaseId, ambient: Ambient) -> Result<Option<CaseDetail>, StoreError> {
        Ok(self.read(|data| data.case_detail(case, &ambient)))
    }

    async fn notifications(&self, ambient: Ambient) -> Result<Vec<NotificationView>, StoreError> {
        Ok(self.read(|data| data.notifications(&ambient)))
    }

    async fn view_counts(&self, today: String) -> Result<ViewCounts, StoreError> {
        Ok(self.read(|data| data.view_counts(&today, self.owner.actor_id)))
    }

    async fn members(&self) -> Result<Vec<Member>, StoreError> {
        Ok(self.read(Data::members))
    }

    async fn outbox(&self, filter: OutboxFilter) -> Result<Vec<OutboxRowView>, StoreError> {
        Ok(self.read(|data| data.outbox(&filter)))
    }

    async fn outbox_page(&self, since: Timestamp, ambient: Ambient) -> Result<OutboxPage, StoreError> {
        Ok(self.read(|data| data.outbox_page(since, &ambient)))
    }

    async fn outbox_detail(&self, command: CommandId, ambient: Ambient) -> Result<Option<OutboxDetail>, StoreError> {
        Ok(self.read(|data| data.outbox_detail(command, &ambient)))
    }
}
