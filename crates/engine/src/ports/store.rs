//! The durable state of one account on this computer, as whole units of work.
//!
//! Every method is one transaction: it happened wholly, or an error says that nothing did. Writing methods check
//! that this process still owns the store (the owner epoch) and fail with [`StoreError::OwnerLost`] otherwise.
//! What a unit of work decides is decided by pure functions of this crate ([`crate::accept`], [`crate::lane`],
//! [`crate::projection`], [`crate::resolve`], [`crate::delivery::Delivery::after`]), the same for every store.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    Activity, ActorId, Case, CaseId, CommandId, Entity, EntityId, EntityKind, Payload, Role, TenantId, Timestamp,
};
use uuid::Uuid;
use wire::ChangesPage;

use crate::accept::AcceptError;
use crate::delivery::{Claim, DeliveryEvent, HistoryEntry, LastError, OutboxRow, StateName};
use crate::view::{
    CaseDetail, CasePage, CaseQuery, Counts, Member, NotificationView, OutboxDetail, OutboxPage, OutboxRowView,
    Versions, ViewCounts,
};

/// Why a unit of work did not happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// The folder or file cannot be written.
    #[error("the store cannot be written")]
    ReadOnly,
    /// A newer version wrote the store; it is open for reading only.
    #[error("the store was last used by a newer version ({written_by})")]
    Newer {
        /// The version that wrote it.
        written_by: String,
    },
    /// The file is not a usable database.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Another process owns the store now; this one must stop writing.
    #[error("another process owns the store")]
    OwnerLost,
    /// The intent cannot be a change of this case; nothing was saved.
    #[error(transparent)]
    Refused(#[from] AcceptError),
    /// A step that the states do not allow, or a guard that should have held: a bug.
    #[error("illegal step: {0}")]
    Illegal(String),
    /// Anything else the disk or the database said.
    #[error("the store failed: {0}")]
    Io(String),
}

/// Who writes: the process by its epoch, and whose store this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Rises by one each time a process opens the store for writing.
    pub epoch: u64,
    /// The store's tenant.
    pub tenant_id: TenantId,
    /// The store's actor.
    pub actor_id: ActorId,
}

/// What a person decided, before it is durable.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Made when the form was opened.
    pub intent_id: Uuid,
    /// Made for this intent; used only if the intent is new.
    pub command_id: CommandId,
    /// What to do.
    pub payload: Payload,
    /// On what: the entity of the type that the operation's policy names. Also its lane.
    pub target: EntityId,
    /// The session version it is accepted under.
    pub session_version: u32,
    /// Now.
    pub issued_at: Timestamp,
}

/// What accepting a draft gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The row: the new one, or the one this intent already has.
    pub row: OutboxRow,
    /// True if the intent had been accepted before; nothing was written then.
    pub already: bool,
    /// The versions after it.
    pub versions: Versions,
}

/// What must hold for a step to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The row is claimed or sending under this claim.
    Claim(Claim),
    /// The row is in this state.
    State(StateName),
    /// The row is claimed or sending under an epoch lower than this one.
    OlderEpoch(u64),
}

/// Why a step is taken, kept with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepCause {
    /// The failure that caused it; becomes the row's last error and the history's code.
    pub error: Option<LastError>,
    /// Until when the server asked to wait (`Retry-After`, clamped). Only `outbox retry` overrides it.
    pub not_before: Option<Timestamp>,
    /// By this computer's clock.
    pub at: Timestamp,
}

/// Which rows a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutboxFilter {
    /// Only these states; empty for all.
    pub states: Vec<StateName>,
    /// Also rows that are received or decided.
    pub all: bool,
}

/// A page of the feed with what its application depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPage {
    /// As received.
    pub page: ChangesPage,
    /// The session version the page was asked for under. If the store's is another by now, nothing is applied.
    pub session_version: u32,
    /// The first page of a read without a cursor: what was held before and does not come again is dropped at its end.
    pub starts_over: bool,
    /// Now.
    pub now: Timestamp,
}

/// What applying a page did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// False if the session fence no longer fitted: nothing was changed.
    pub applied: bool,
    /// Rows that left *unknown* because the feed shows their command.
    pub settled: Vec<CommandId>,
    /// The versions after it.
    pub versions: Versions,
}

/// A person's decision about a row (DESIGN 3, last line of the table).
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// Never send it. A `case.create` that was never applied takes its whole lane with it.
    Discard,
    /// Send this instead.
    Supersede(Box<Draft>),
    /// Keep the server's version: nothing is sent instead.
    KeepTheirs,
}

/// What the server last said of what a lane is about: a case, or one notification with the case it tells of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Base {
    /// The case.
    pub case: Option<Case>,
    /// What belongs to it: notes, tasks, time entries, inspections, notices. Of a notification's lane, the notification.
    pub children: Vec<Entity>,
    /// The case's timeline.
    pub timeline: Vec<Activity>,
}

/// The session as the store keeps it: no secret is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredSession {
    /// The session's version; 0 before the first sign-in.
    pub version: u32,
    /// Whether the server ended it.
    pub revoked: bool,
    /// Whether there is a session at all: false after a sign-out.
    pub signed_in: bool,
}

/// What the marks of a list depend on besides the store: known to the engine only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambient {
    /// The server does not answer.
    pub offline: bool,
    /// Sign-in is needed before anything is sent.
    pub sign_in_needed: bool,
    /// A person paused sending.
    pub paused: bool,
    /// The actor's role.
    pub role: Role,
    /// The server has these, and the store could not be told yet: their rows say what was known before.
    pub received: BTreeSet<CommandId>,
}

/// The durable state of one account.
#[async_trait]
pub trait Store: Send + Sync {
    /// Who writes.
    fn owner(&self) -> Owner;

    // Session

    /// The stored session.
    async fn session(&self) -> Result<StoredSession, StoreError>;
    /// Replaces it.
    async fn set_session(&self, session: StoredSession) -> Result<Versions, StoreError>;

    // Accepting

    /// Makes an intent durable: the row, its first history entry and the changed view, in one commit.
    /// [`crate::accept::prepare`] says what the row is. An intent that has a row already writes nothing.
    async fn accept(&self, draft: Draft) -> Result<Accepted, StoreError>;

    // Delivering

    /// Claims up to `limit` rows that may go now ([`crate::lane::claimable`]), in enqueue order, each with a claim of
    /// its own from `tokens`. With `ignore_backoff`, rows held for time or network count as due, unless the server
    /// asked to wait.
    async fn claim(
        &self,
        now: Timestamp,
        limit: usize,
        ignore_backoff: bool,
        tokens: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Vec<OutboxRow>, StoreError>;
    /// Takes one step: [`crate::delivery::Delivery::after`] under `guard`. `None` if the guard does not hold (someone was first): a
    /// normal result. A send mark raises `attempt`.
    async fn step(
        &self,
        command: CommandId,
        guard: Guard,
        event: DeliveryEvent,
        cause: StepCause,
    ) -> Result<Option<OutboxRow>, StoreError>;
    /// Frees what a dead owner left: each claimed or sending row of an older epoch gets [`DeliveryEvent::ClaimEnded`].
    /// Pulls waits that lie beyond their cap back to it (a clock that jumped). Returns how many rows changed.
    async fn recover(&self, now: Timestamp) -> Result<u32, StoreError>;
    /// Ends the wait of every row held for this reason (a sign-in, a right, a returning network).
    async fn release(&self, hold: crate::delivery::Hold, now: Timestamp) -> Result<u32, StoreError>;
    /// Rows in doubt that are due to be asked about or resent, oldest first. With `all`, due or not.
    async fn in_doubt(&self, now: Timestamp, limit: usize, all: bool) -> Result<Vec<OutboxRow>, StoreError>;
    /// When the next row is due by itself; `None` if none is.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;
    /// Records a decision about an open row, by the store's actor, with what follows for its lane
    /// ([`crate::resolve`]). Returns the rows that changed or came: the decided one first. `None` if the row is not open.
    async fn decide(
        &self,
        command: CommandId,
        decided: Decided,
        now: Timestamp,
        ids: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Option<Vec<OutboxRow>>, StoreError>;

    // Pulling

    /// The feed cursor to go on from, and whether the feed was ever read to its end.
    async fn cursor(&self) -> Result<(Option<String>, bool), StoreError>;
    /// Puts a page into the base, settles rows in doubt that it shows, marks received rows it contains as projected,
    /// and draws the pending rows again over the new base: one commit. Applying a page twice changes nothing.
    async fn apply(&self, page: FeedPage) -> Result<Applied, StoreError>;
    /// The server's feed epoch under which every received row was last known to be at the server; `None` before the
    /// first one.
    async fn feed_epoch(&self) -> Result<Option<String>, StoreError>;
    /// Remembers that.
    async fn set_feed_epoch(&self, epoch: String) -> Result<(), StoreError>;
    /// Received rows that nobody decided about, in enqueue order from after this `seq`.
    async fn received_after(&self, seq: i64, limit: usize) -> Result<Vec<OutboxRow>, StoreError>;
    /// Forgets the cursor: the next read starts over. What is held stays until the new read is complete.
    async fn forget_cursor(&self) -> Result<(), StoreError>;

    // Reading

    /// The newest version of each scope this store owns (`cases`, `outbox`).
    async fn versions(&self) -> Result<Versions, StoreError>;
    /// One row.
    async fn row(&self, command: CommandId) -> Result<Option<OutboxRow>, StoreError>;
    /// The rows of one lane that are pending or open, in enqueue order.
    async fn lane(&self, case: EntityId) -> Result<Vec<OutboxRow>, StoreError>;
    /// What happened to a row, oldest first.
    async fn history(&self, command: CommandId) -> Result<Vec<HistoryEntry>, StoreError>;
    /// The outbox in numbers; `since` bounds `received_today`.
    async fn counts(&self, since: Timestamp) -> Result<Counts, StoreError>;
    /// When the feed was last read to its end.
    async fn last_pull_at(&self) -> Result<Option<Timestamp>, StoreError>;
    /// How many entities the base holds.
    async fn entity_count(&self) -> Result<u32, StoreError>;
    /// What the server last said of a case.
    async fn base(&self, case: CaseId) -> Result<Base, StoreError>;
    /// The case that a note, a task or another entity belongs to: as the server says, or as a pending change of this
    /// computer makes it. `None` if neither knows it.
    async fn case_of(&self, kind: EntityKind, id: EntityId) -> Result<Option<CaseId>, StoreError>;
    /// A page of the list.
    async fn case_page(&self, query: CaseQuery, ambient: Ambient) -> Result<CasePage, StoreError>;
    /// A case with everything its window shows.
    async fn case_detail(&self, case: CaseId, ambient: Ambient) -> Result<Option<CaseDetail>, StoreError>;
    /// What this actor was told of cases, newest first, with pending reads applied.
    async fn notifications(&self, ambient: Ambient) -> Result<Vec<NotificationView>, StoreError>;
    /// How many cases each fixed view has.
    async fn view_counts(&self, today: String) -> Result<ViewCounts, StoreError>;
    /// The people of the organization, by display name.
    async fn members(&self) -> Result<Vec<Member>, StoreError>;
    /// Rows for programs (CONTRACT 8), in enqueue order.
    async fn outbox(&self, filter: OutboxFilter) -> Result<Vec<OutboxRowView>, StoreError>;
    /// Rows for the sync centre; `since` bounds those received or discarded.
    async fn outbox_page(&self, since: Timestamp, ambient: Ambient) -> Result<OutboxPage, StoreError>;
    /// One row with its past.
    async fn outbox_detail(&self, command: CommandId, ambient: Ambient) -> Result<Option<OutboxDetail>, StoreError>;
}
