//! Stores of earlier versions: brought up to date whole, with every row as it was (invariant R21, CASES J1).

use domain::{CaseId, TaskId};
use engine::ports::Store;
use onceover_client::sqlite::{Access, OpenError, SqliteStore};

use crate::support::{Place, add_task, claim, create, id, identity, run, set_done};

/// Takes the file back to the schema before changes knew what they are about within their case.
async fn take_back_to_the_first_schema(place: &Place) {
    let mut db = place.raw().await;
    run(&mut db, "alter table meta drop column feed_epoch").await.unwrap();
    run(&mut db, "alter table outbox drop column thing").await.unwrap();
    run(&mut db, "delete from _sqlx_migrations where version > 1").await.unwrap();
}

#[tokio::test]
async fn rows_saved_before_keep_the_order_of_what_they_are_about() {
    let place = Place::new();
    let store = place.open().await;
    let (case, task) = (CaseId(id(10)), TaskId(id(20)));
    let mut rows = Vec::new();
    for draft in [create(case, "t"), add_task(case, task), set_done(case, task)] {
        rows.push(store.accept(draft).await.unwrap().row);
    }
    store.close().await;
    take_back_to_the_first_schema(&place).await;

    let reading = SqliteStore::open(&place.path(), identity(), Access::Read).await.err();
    assert_eq!(reading, Some(OpenError::Older), "only its owner brings a store up to date");
    let store = place.open().await;
    for row in &rows {
        assert_eq!(store.row(row.command_id).await.unwrap().as_ref(), Some(row));
    }
    assert_eq!(claim(&store, 5).await.len(), 1, "the case goes first, alone");
}
