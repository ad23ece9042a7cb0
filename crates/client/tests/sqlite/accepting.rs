//! Making intents durable.

use std::sync::Arc;

use domain::CaseId;
use engine::delivery::StateName;
use engine::ports::{Store, StoreError};
use engine::view::CaseQuery;
use futures_util::future::join_all;
use onceover_client::sqlite::SqliteStore;

use crate::support::{AMBIENT, Place, a_case, case_item, create, id, note, page, run};

async fn with_case(place: &Place) -> (SqliteStore, CaseId) {
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    (store, case.id)
}

#[tokio::test]
async fn an_accepted_intent_is_a_row_with_history_and_a_drawn_case() {
    let place = Place::new();
    let store = place.open().await;
    let case = CaseId(id(10));
    let accepted = store.accept(create(case, "Blocked drain")).await.unwrap();
    assert!(!accepted.already);
    assert_eq!(store.row(accepted.row.command_id).await.unwrap(), Some(accepted.row.clone()));
    let history = store.history(accepted.row.command_id).await.unwrap();
    assert_eq!((history.len(), history[0].from, history[0].to), (1, None, StateName::Queued));
    assert_eq!(history[0].event, "accepted");
    let page = store.case_page(CaseQuery { limit: 10, ..CaseQuery::default() }, AMBIENT).await.unwrap();
    assert_eq!((page.total, page.rows[0].title.as_str(), page.rows[0].open_changes), (1, "Blocked drain", 1));
    assert_eq!(page.version, accepted.versions.cases);
}

/// CASES A7: the same form pressed again finds the same row.
#[tokio::test]
async fn the_same_intent_is_saved_once() {
    let place = Place::new();
    let (store, case) = with_case(&place).await;
    let draft = note(case, "seen on site");
    let first = store.accept(draft.clone()).await.unwrap();
    store.close().await;
    let store = place.open().await;
    let again = store.accept(draft).await.unwrap();
    assert!(again.already);
    assert_eq!(again.row, first.row);
    assert_eq!(again.versions, first.versions);
}

#[tokio::test]
async fn a_refused_intent_writes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    let before = store.versions().await.unwrap();
    let refused = store.accept(note(CaseId(id(10)), "x")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Refused(_)), "{refused}");
    assert_eq!(store.versions().await.unwrap(), before);
    assert_eq!(store.counts(crate::support::NOW).await.unwrap().open, 0);
}

/// Waiting intents share a commit; each caller hears after its own.
#[tokio::test]
async fn a_burst_of_intents_shares_few_commits() {
    let place = Place::new();
    let (store, case) = with_case(&place).await;
    let store = Arc::new(store);
    let before = store.statistic().unwrap();
    let drafts: Vec<_> = (0..64).map(|n| note(case, &format!("note {n}"))).collect();
    let accepted = join_all(drafts.iter().map(|draft| store.accept(draft.clone()))).await;
    let statistic = store.statistic().unwrap();
    assert_eq!(statistic.accepted - before.accepted, 64);
    assert!(statistic.commits - before.commits <= 16, "{} commits", statistic.commits - before.commits);
    for (draft, accepted) in drafts.iter().zip(accepted) {
        let row = accepted.unwrap().row;
        assert_eq!(row.intent_id, draft.intent_id);
        assert_eq!(store.row(row.command_id).await.unwrap(), Some(row));
    }
}

#[tokio::test]
async fn one_bad_intent_of_a_burst_does_not_take_the_others_with_it() {
    let place = Place::new();
    let (store, case) = with_case(&place).await;
    let mut drafts: Vec<_> = (0..8).map(|n| note(case, &format!("note {n}"))).collect();
    // A command id that is taken fails inside the database: the group as a whole.
    drafts[5].command_id = drafts[4].command_id;
    drafts[6].target = CaseId(id(99)).into();
    let outcomes = join_all(drafts.into_iter().map(|draft| store.accept(draft))).await;
    let errors: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().any(|error| matches!(error, StoreError::Illegal(_))));
    assert!(errors.iter().any(|error| matches!(error, StoreError::Refused(_))));
    assert_eq!(store.counts(crate::support::NOW).await.unwrap().open, 6);
}

/// What was saved of a change never changes, and its history neither: the database itself refuses.
#[tokio::test]
async fn saved_content_and_history_cannot_be_changed() {
    let place = Place::new();
    let (store, case) = with_case(&place).await;
    store.accept(note(case, "as it was")).await.unwrap();
    let mut db = place.raw().await;
    for forbidden in [
        "update outbox set payload = '{}'",
        "update outbox set payload_hash = 'x'",
        "update outbox set idempotency_key = 'x'",
        "update outbox set command_id = 'x'",
        "update outbox set lane = 'x'",
        "update outbox set seq = 7",
        "delete from outbox",
        "update outbox_history set event = 'x'",
        "delete from outbox_history",
        "update outbox set state = 'unknown', ask_at = 1",
        "update outbox set state = 'sending', steps = steps + 1",
        "update outbox set state = 'acked', steps = steps + 1",
        "update outbox set projected = 1, steps = steps + 1",
        "update outbox set resolution = 'discarded', steps = steps + 1",
    ] {
        assert!(run(&mut db, forbidden).await.is_err(), "{forbidden}");
    }
}
