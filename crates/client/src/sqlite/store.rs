//! The engine's port: each method one transaction, handed to the writer or run over a snapshot.

use async_trait::async_trait;
use domain::{CaseId, CommandId, EntityId, EntityKind, Timestamp};
use engine::delivery::{DeliveryEvent, HistoryEntry, Hold, OutboxRow};
use engine::ports::{
    Accepted, Ambient, Applied, Base, Decided, Draft, FeedPage, Guard, OutboxFilter, Owner, StepCause, Store,
    StoreError, StoredSession,
};
use engine::view::{
    CaseDetail, CasePage, CaseQuery, Counts, Member, NotificationView, OutboxDetail, OutboxPage, OutboxRowView,
    Versions, ViewCounts,
};
use uuid::Uuid;

use super::outbox::{DecideOutcome, Wanted};
use super::writer::Job;
use super::{SqliteStore, case, feed, outbox, session};

/// More rows than this one claim never takes: each is a step of the same transaction.
const CLAIMS_MAX: usize = 500;
/// New ids a decision is given at first; a long lane needs more.
const DECISION_IDS: usize = 32;

#[async_trait]
impl Store for SqliteStore {
    fn owner(&self) -> Owner {
        self.owner
    }

    async fn session(&self) -> Result<StoredSession, StoreError> {
        self.read(|db| Box::pin(session::session(db))).await
    }

    async fn set_session(&self, session: StoredSession) -> Result<Versions, StoreError> {
        self.write(move |db| Box::pin(session::set_session(db, session))).await
    }

    async fn accept(&self, draft: Draft) -> Result<Accepted, StoreError> {
        self.hand_in(|reply| Job::Accept(Box::new(draft), reply)).await
    }

    async fn claim(
        &self,
        now: Timestamp,
        limit: usize,
        ignore_backoff: bool,
        tokens: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let owner = self.owner;
        let tokens: Vec<Uuid> = (0..limit.min(CLAIMS_MAX)).map(|_| tokens()).collect();
        let wanted = Wanted { now, ignore_backoff };
        self.write(move |db| Box::pin(outbox::claim(db, owner, wanted, tokens))).await
    }

    async fn step(
        &self,
        command: CommandId,
        guard: Guard,
        event: DeliveryEvent,
        cause: StepCause,
    ) -> Result<Option<OutboxRow>, StoreError> {
        self.write(move |db| Box::pin(async move { outbox::step(db, command, guard, event, &cause).await })).await
    }

    async fn recover(&self, now: Timestamp) -> Result<u32, StoreError> {
        let owner = self.owner;
        self.write(move |db| Box::pin(outbox::recover(db, owner, now))).await
    }

    async fn release(&self, hold: Hold, now: Timestamp) -> Result<u32, StoreError> {
        self.write(move |db| Box::pin(outbox::release(db, hold, now))).await
    }

    async fn in_doubt(&self, now: Timestamp, limit: usize, all: bool) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(|db| Box::pin(outbox::in_doubt(db, now, limit, all))).await
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|db| Box::pin(outbox::next_due(db))).await
    }

    async fn decide(
        &self,
        command: CommandId,
        decided: Decided,
        now: Timestamp,
        ids: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Option<Vec<OutboxRow>>, StoreError> {
        let owner = self.owner;
        let mut new_ids: Vec<Uuid> = (0..DECISION_IDS).map(|_| ids()).collect();
        loop {
            let (decided, given) = (decided.clone(), new_ids.clone());
            let decision = self.write(move |db| {
                Box::pin(async move { outbox::decide(db, owner, command, &decided, now, given).await })
            });
            match decision.await? {
                DecideOutcome::Decided(changed) => return Ok(changed),
                DecideOutcome::MoreIds => new_ids.extend((0..new_ids.len() * 3).map(|_| ids())),
            }
        }
    }

    async fn cursor(&self) -> Result<(Option<String>, bool), StoreError> {
        self.read(|db| Box::pin(feed::cursor(db))).await
    }

    async fn apply(&self, page: FeedPage) -> Result<Applied, StoreError> {
        self.write(move |db| Box::pin(async move { feed::apply(db, &page).await })).await
    }

    async fn feed_epoch(&self) -> Result<Option<String>, StoreError> {
        self.read(|db| Box::pin(feed::epoch(db))).await
    }

    async fn set_feed_epoch(&self, epoch: String) -> Result<(), StoreError> {
        self.write(move |db| Box::pin(feed::set_epoch(db, epoch))).await
    }

    async fn received_after(&self, seq: i64, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(move |db| Box::pin(outbox::received_after(db, seq, limit))).await
    }

    async fn forget_cursor(&self) -> Result<(), StoreError> {
        self.write(|db| Box::pin(feed::forget_cursor(db))).await
    }

    async fn versions(&self) -> Result<Versions, StoreError> {
        self.read(|db| Box::pin(session::versions(db))).await
    }

    async fn row(&self, command: CommandId) -> Result<Option<OutboxRow>, StoreError> {
        self.read(|db| Box::pin(outbox::by_command(db, command))).await
    }

    async fn lane(&self, case: EntityId) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(|db| Box::pin(outbox::lane(db, case))).await
    }

    async fn history(&self, command: CommandId) -> Result<Vec<HistoryEntry>, StoreError> {
        self.read(|db| Box::pin(outbox::history(db, command))).await
    }

    async fn counts(&self, since: Timestamp) -> Result<Counts, StoreError> {
        self.read(|db| Box::pin(outbox::counts(db, since))).await
    }

    async fn last_pull_at(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|db| Box::pin(feed::last_pull_at(db))).await
    }

    async fn entity_count(&self) -> Result<u32, StoreError> {
        self.read(|db| Box::pin(feed::entity_count(db))).await
    }

    async fn base(&self, case: CaseId) -> Result<Base, StoreError> {
        self.read(|db| Box::pin(case::base(db, case))).await
    }

    async fn case_of(&self, kind: EntityKind, id: EntityId) -> Result<Option<CaseId>, StoreError> {
        self.read(move |db| Box::pin(case::case_of(db, kind, id))).await
    }

    async fn case_page(&self, query: CaseQuery, ambient: Ambient) -> Result<CasePage, StoreError> {
        let me = self.owner.actor_id;
        self.read(move |db| Box::pin(async move { case::page(db, &query, ambient, me).await })).await
    }

    async fn case_detail(&self, case: CaseId, ambient: Ambient) -> Result<Option<CaseDetail>, StoreError> {
        self.read(|db| Box::pin(case::detail(db, case, ambient))).await
    }

    async fn notifications(&self, ambient: Ambient) -> Result<Vec<NotificationView>, StoreError> {
        self.read(|db| Box::pin(case::notifications(db, ambient))).await
    }

    async fn view_counts(&self, today: String) -> Result<ViewCounts, StoreError> {
        let me = self.owner.actor_id;
        self.read(move |db| Box::pin(async move { case::view_counts(db, &today, me).await })).await
    }

    async fn members(&self) -> Result<Vec<Member>, StoreError> {
        self.read(|db| Box::pin(case::members(db))).await
    }

    async fn outbox(&self, filter: OutboxFilter) -> Result<Vec<OutboxRowView>, StoreError> {
        self.read(move |db| Box::pin(async move { outbox::outbox(db, &filter).await })).await
    }

    async fn outbox_page(&self, since: Timestamp, ambient: Ambient) -> Result<OutboxPage, StoreError> {
        self.read(|db| Box::pin(outbox::page(db, since, ambient))).await
    }

    async fn outbox_detail(&self, command: CommandId, ambient: Ambient) -> Result<Option<OutboxDetail>, StoreError> {
        self.read(|db| Box::pin(outbox::detail(db, command, ambient))).await
    }
}
