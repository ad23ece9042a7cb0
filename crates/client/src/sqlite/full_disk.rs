//! A disk that is full for the writing connection: only from in here can that be arranged.

use std::collections::{BTreeMap, BTreeSet};

use domain::payload::{CaseCreate, CaseEdit};
use domain::{ActorId, CaseField, CaseId, Change, CommandId, FieldValue, Payload, Role, TenantId, Timestamp};
use engine::ports::{Ambient, Draft, Store, StoreError};
use uuid::Uuid;

use super::{Access, Identity, SqliteStore, error};

const NOW: Timestamp = Timestamp(1_796_000_000_000);
const CASE: CaseId = CaseId(Uuid::from_u128(10));

fn draft(n: u128, payload: Payload) -> Draft {
    Draft {
        intent_id: Uuid::from_u128(1_000 + n),
        command_id: CommandId(Uuid::from_u128(2_000 + n)),
        payload,
        target: CASE.into(),
        session_version: 0,
        issued_at: NOW,
    }
}

fn create() -> Draft {
    let fields = [(CaseField::Title, "Drain"), (CaseField::Kind, "complaint"), (CaseField::Priority, "normal")];
    let fields = fields.map(|(field, text)| (field, FieldValue::text(text)));
    draft(0, Payload::CaseCreate(CaseCreate { fields: BTreeMap::from(fields), status: None, external_id: None }))
}

fn describe(n: u128, text: String) -> Draft {
    let change = Change { from: FieldValue::Empty, to: FieldValue::Text(text) };
    draft(n, Payload::CaseEdit(CaseEdit { changes: BTreeMap::from([(CaseField::Description, change)]) }))
}

/// The writing connection may use this many more pages.
async fn leave_pages(store: &SqliteStore, pages: i64) {
    let limit = move |used: i64| sqlx::AssertSqlSafe(format!("pragma max_page_count = {}", used + pages));
    let work = store.write(move |db| {
        Box::pin(async move {
            let used: i64 = sqlx::query_scalar("pragma page_count").fetch_one(&mut *db).await.map_err(error::of)?;
            sqlx::query(limit(used)).execute(db).await.map_err(error::of)?;
            Ok(())
        })
    });
    work.await.unwrap();
}

/// CASES C8: a full disk at enqueue is an error before "saved": no row, no history, no change of what is shown; and
/// once there is room the same form is saved.
#[tokio::test]
async fn a_full_disk_refuses_the_intent_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity {
        tenant_id: TenantId(Uuid::from_u128(1)),
        actor_id: ActorId(Uuid::from_u128(2)),
        app_version: "1".to_owned(),
    };
    let store = SqliteStore::open(&dir.path().join("store.db"), identity, Access::Own).await.unwrap().store;
    store.accept(create()).await.unwrap();
    leave_pages(&store, 4).await;

    let received = BTreeSet::new();
    let ambient = Ambient { offline: false, sign_in_needed: false, paused: false, role: Role::Officer, received };
    let shown = store.case_detail(CASE, ambient.clone()).await.unwrap().unwrap();
    let versions = store.versions().await.unwrap();
    let words = (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let edit = describe(1, words);
    for _ in 0..3 {
        assert_eq!(store.accept(edit.clone()).await.unwrap_err(), StoreError::Full);
    }
    assert_eq!(store.row(edit.command_id).await.unwrap(), None);
    assert_eq!(store.history(edit.command_id).await.unwrap(), []);
    assert_eq!(store.versions().await.unwrap(), versions);
    assert_eq!(store.case_detail(CASE, ambient).await.unwrap().unwrap(), shown);
    assert_eq!(store.counts(NOW).await.unwrap().open, 1);

    // A shorter one still fits: a refusal leaves the writer usable.
    store.accept(describe(2, "short".to_owned())).await.unwrap();
    leave_pages(&store, 100_000).await;
    assert!(!store.accept(edit.clone()).await.unwrap().already);
    assert_eq!(store.history(edit.command_id).await.unwrap().len(), 1);
}

/// A burst in which one intent is too large for the disk: the others are saved all the same.
#[tokio::test]
async fn an_intent_too_large_for_the_disk_does_not_take_its_neighbours_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity {
        tenant_id: TenantId(Uuid::from_u128(1)),
        actor_id: ActorId(Uuid::from_u128(2)),
        app_version: "1".to_owned(),
    };
    let store = SqliteStore::open(&dir.path().join("store.db"), identity, Access::Own).await.unwrap().store;
    store.accept(create()).await.unwrap();
    leave_pages(&store, 12).await;
    let texts = ["a".to_owned(), "x".repeat(500_000), "b".to_owned()];
    let drafts = texts.into_iter().zip(1..).map(|(text, n)| store.accept(describe(n, text)));
    let outcomes = futures_util::future::join_all(drafts).await;
    let errors: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().cloned()).collect();
    assert_eq!(errors, [None, Some(StoreError::Full), None]);
}
