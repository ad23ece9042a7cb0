//! Builders: a store in a folder of its own, drafts, pages of the feed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use domain::payload::{CaseCreate, CaseEdit, CaseTransition, NoteAdd, TaskAdd, TaskSetDone};
use domain::{
    ActorId, Case, CaseField, CaseId, Change, CommandId, FieldValue, NoteId, Payload, Priority, Revision, Role, Status,
    TaskId, TenantId, Timestamp,
};
use engine::delivery::{Claim, DeliveryEvent, LastError, OutboxRow};
use engine::ports::{Ambient, Draft, FeedPage, Guard, StepCause, Store};
use onceover_client::sqlite::{Access, Identity, OpenError, Opened, SqliteStore};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;
use uuid::Uuid;
use wire::{ChangesPage, FeedItem};

/// The n-th id of a test.
pub(crate) fn id(n: u64) -> Uuid {
    Uuid::from_u128(0x0197_f3c2_5a10_7000_8000_0000_0000_0000 + u128::from(n))
}

/// An id no other call gives.
pub(crate) fn new_id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1_000_000);
    id(NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) const NOW: Timestamp = Timestamp(1_796_000_000_000);

pub(crate) fn identity() -> Identity {
    Identity { tenant_id: TenantId(id(1)), actor_id: ActorId(id(2)), app_version: "1.2.3".to_owned() }
}

pub(crate) const AMBIENT: Ambient =
    Ambient { offline: false, sign_in_needed: false, paused: false, role: Role::Supervisor, received: BTreeSet::new() };

/// A folder with the path of a store in it.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("store.db")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) async fn try_open(&self) -> Result<Opened, OpenError> {
        SqliteStore::open(&self.path(), identity(), Access::Own).await
    }

    pub(crate) async fn open(&self) -> SqliteStore {
        self.try_open().await.unwrap().store
    }

    /// A connection that does what the store never would.
    pub(crate) async fn raw(&self) -> SqliteConnection {
        raw(&self.path()).await
    }

    /// The files whose name begins with this.
    pub(crate) fn files(&self, prefix: &str) -> Vec<String> {
        let names = std::fs::read_dir(self.folder()).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name.starts_with(prefix));
        names.sort();
        names
    }
}

pub(crate) async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap()
}

pub(crate) async fn run(db: &mut SqliteConnection, sql: &'static str) -> Result<u64, sqlx::Error> {
    sqlx::raw_sql(sql).execute(db).await.map(|done| done.rows_affected())
}

fn draft(case: CaseId, payload: Payload) -> Draft {
    Draft {
        intent_id: new_id(),
        command_id: CommandId(new_id()),
        payload,
        target: case.into(),
        session_version: 0,
        issued_at: NOW,
    }
}

pub(crate) fn create(case: CaseId, title: &str) -> Draft {
    let text = FieldValue::text;
    let fields = BTreeMap::from([
        (CaseField::Title, text(title)),
        (CaseField::Kind, text("complaint")),
        (CaseField::Priority, text("normal")),
    ]);
    draft(case, Payload::CaseCreate(CaseCreate { fields, status: None, external_id: None }))
}

pub(crate) fn retitle(case: CaseId, from: &str, to: &str) -> Draft {
    let change = Change { from: FieldValue::text(from), to: FieldValue::text(to) };
    draft(case, Payload::CaseEdit(CaseEdit { changes: BTreeMap::from([(CaseField::Title, change)]) }))
}

pub(crate) fn transition(case: CaseId, to: Status) -> Draft {
    draft(case, Payload::CaseTransition(CaseTransition { to, reason_code: "ready".to_owned(), comment: None }))
}

pub(crate) fn note(case: CaseId, text: &str) -> Draft {
    draft(case, Payload::NoteAdd(NoteAdd { note_id: NoteId(new_id()), text: text.to_owned() }))
}

pub(crate) fn add_task(case: CaseId, task_id: TaskId) -> Draft {
    draft(case, Payload::TaskAdd(TaskAdd { task_id, title: "Call".to_owned(), due_on: None }))
}

pub(crate) fn set_done(case: CaseId, task_id: TaskId) -> Draft {
    draft(case, Payload::TaskSetDone(TaskSetDone { task_id, done: true }))
}

pub(crate) fn a_case(n: u64) -> Case {
    Case {
        id: CaseId(id(n)),
        number: Some(format!("2026-{n:06}")),
        title: format!("Case {n}"),
        kind: "complaint".to_owned(),
        priority: Priority::Normal,
        status: Status::Open,
        description: None,
        address: Some(format!("{n} Mill Lane")),
        district: None,
        latitude: None,
        longitude: None,
        due_on: None,
        external_id: None,
        assignee_id: None,
        tags: Vec::new(),
        archived: false,
        revision: Revision(1),
        created_at: NOW,
        created_by: ActorId(id(2)),
    }
}

pub(crate) fn item(seq: u64, kind: &str, id: Uuid, command: Option<CommandId>, entity: Value) -> FeedItem {
    FeedItem {
        seq,
        kind: kind.to_owned(),
        id: domain::EntityId(id),
        revision: Revision(1),
        deleted: entity.is_null(),
        command_id: command,
        at: NOW,
        entity,
    }
}

pub(crate) fn case_item(seq: u64, case: &Case) -> FeedItem {
    item(seq, "case", case.id.0, None, serde_json::to_value(case).unwrap())
}

pub(crate) fn member_item(seq: u64, actor: ActorId, name: &str) -> FeedItem {
    let entity = json!({"id": actor, "username": name, "display_name": name, "role": "officer", "disabled": false,
        "revision": 1, "created_at": NOW});
    item(seq, "member", actor.0, None, entity)
}

/// The last page of a read, with these items.
pub(crate) fn page(items: Vec<FeedItem>, starts_over: bool) -> FeedPage {
    let head = items.iter().map(|item| item.seq).max().unwrap_or(0);
    FeedPage {
        page: ChangesPage { epoch: "e".to_owned(), items, cursor: format!("after {head}"), has_more: false, head },
        session_version: 0,
        starts_over,
        now: NOW,
    }
}

pub(crate) fn because(code: Option<&str>) -> StepCause {
    let error = code.map(|code| LastError { code: code.to_owned(), message: String::new(), at_ms: NOW.0 });
    StepCause { error, not_before: None, at: NOW }
}

pub(crate) async fn claim(store: &SqliteStore, limit: usize) -> Vec<OutboxRow> {
    store.claim(NOW, limit, false, &new_id).await.unwrap()
}

/// Claims the next row and marks it as sent.
pub(crate) async fn send(store: &SqliteStore) -> (OutboxRow, Claim) {
    let row = claim(store, 1).await.remove(0);
    let claim = row.delivery.claim().unwrap();
    let event = DeliveryEvent::SendMarked { now: NOW };
    let row = store.step(row.command_id, Guard::Claim(claim), event, because(None)).await.unwrap().unwrap();
    (row, claim)
}

/// Sends the next row and ends the attempt with `event`.
pub(crate) async fn attempt(store: &SqliteStore, event: DeliveryEvent, code: Option<&str>) -> OutboxRow {
    let (row, claim) = send(store).await;
    store.step(row.command_id, Guard::Claim(claim), event, because(code)).await.unwrap().unwrap()
}
