//! Putting the feed into the base.

use domain::{ActorId, CaseId, Status};
use engine::delivery::{Delivery, DeliveryEvent, KeptReceipt, StateName};
use engine::ports::{Store, StoredSession};
use engine::view::{AssigneeFilter, CaseQuery};
use serde_json::{Value, json};

use crate::support::{
    AMBIENT, Place, a_case, attempt, case_item, id, item, member_item, note, page, retitle, transition,
};

fn all() -> CaseQuery {
    CaseQuery { limit: 100, ..CaseQuery::default() }
}

#[tokio::test]
async fn a_page_applied_twice_changes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    let first = page(vec![case_item(1, &a_case(10)), case_item(2, &a_case(11))], true);
    let applied = store.apply(first.clone()).await.unwrap();
    let shown = store.case_page(all(), AMBIENT).await.unwrap();
    assert_eq!((shown.total, shown.version), (2, applied.versions.cases));
    let again = store.apply(first).await.unwrap();
    assert_eq!(again, applied);
    assert_eq!(store.case_page(all(), AMBIENT).await.unwrap(), shown);
    assert_eq!(store.cursor().await.unwrap(), (Some("after 2".to_owned()), true));
    assert_eq!(store.entity_count().await.unwrap(), 2);
}

/// CASES F4: a pull that lands before the answer leaves the pending value on the screen, with its mark.
#[tokio::test]
async fn a_pull_does_not_make_the_screen_jump_back() {
    let place = Place::new();
    let store = place.open().await;
    let mut case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let row = store.accept(retitle(case.id, "Case 10", "Mine")).await.unwrap().row;
    case.address = Some("moved".to_owned());
    case.revision = case.revision.next();
    store.apply(page(vec![case_item(2, &case)], false)).await.unwrap();
    let shown = &store.case_page(all(), AMBIENT).await.unwrap().rows[0];
    assert_eq!((shown.title.as_str(), shown.address.as_deref()), ("Mine", Some("moved")));
    assert_eq!(shown.pending_fields, ["title"]);
    assert!(shown.mark.is_some());

    // The receipt alone does not end it; the base that contains the command does.
    attempt(&store, DeliveryEvent::ReceiptValid(KeptReceipt::Feed { position: 3 }), None).await;
    assert!(!store.row(row.command_id).await.unwrap().unwrap().projected);
    assert_eq!(store.case_page(all(), AMBIENT).await.unwrap().rows[0].title, "Mine");
    case.title = "Mine".to_owned();
    case.revision = case.revision.next();
    store.apply(page(vec![case_item(3, &case)], false)).await.unwrap();
    assert!(store.row(row.command_id).await.unwrap().unwrap().projected);
    let shown = &store.case_page(all(), AMBIENT).await.unwrap().rows[0];
    assert_eq!((shown.title.as_str(), shown.mark, shown.open_changes), ("Mine", None, 0));
    assert!(shown.pending_fields.is_empty());
}

#[tokio::test]
async fn a_row_in_doubt_that_the_feed_shows_is_received() {
    let place = Place::new();
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let row = store.accept(note(case.id, "x")).await.unwrap().row;
    attempt(&store, DeliveryEvent::OutcomeUnknown { ask_at: crate::support::NOW }, Some("cut")).await;
    let payload = row.payload.clone().unwrap();
    let entity = json!({"id": payload["note_id"], "case_id": case.id, "text": "x", "revision": 1,
        "created_at": crate::support::NOW, "created_by": ActorId(id(2))});
    let note_id = payload["note_id"].as_str().unwrap().parse().unwrap();
    let shows = item(2, "note", note_id, Some(row.command_id), entity);
    let applied = store.apply(page(vec![shows.clone()], false)).await.unwrap();
    assert_eq!(applied.settled, [row.command_id]);
    let row = store.row(row.command_id).await.unwrap().unwrap();
    assert_eq!(row.delivery, Delivery::Acked { receipt: KeptReceipt::Feed { position: 2 } });
    assert!(row.projected);
    let detail = store.case_detail(case.id, AMBIENT).await.unwrap().unwrap();
    assert_eq!((detail.notes.len(), detail.notes[0].mark, detail.pending.len()), (1, None, 0));
    assert_eq!(store.apply(page(vec![shows], false)).await.unwrap().settled, []);
}

/// The state came while the row was still being sent; then the answer was cut off.
#[tokio::test]
async fn a_row_that_came_into_doubt_after_the_feed_showed_it_is_received_with_the_next_page() {
    let place = Place::new();
    let store = place.open().await;
    let case = a_case(10);
    store.apply(page(vec![case_item(1, &case)], true)).await.unwrap();
    let row = store.accept(transition(case.id, Status::UnderReview)).await.unwrap().row;
    let (_, claim) = crate::support::send(&store).await;
    let mut item = case_item(2, &case);
    item.command_id = Some(row.command_id);
    store.apply(page(vec![item], false)).await.unwrap();
    let event = DeliveryEvent::OutcomeUnknown { ask_at: crate::support::NOW };
    let guard = engine::ports::Guard::Claim(claim);
    store.step(row.command_id, guard, event, crate::support::because(Some("cut"))).await.unwrap().unwrap();
    let mut empty = page(vec![], false);
    empty.page.head = 2;
    assert_eq!(store.apply(empty).await.unwrap().settled, [row.command_id]);
    assert_eq!(store.row(row.command_id).await.unwrap().unwrap().delivery.name(), StateName::Acked);
}

#[tokio::test]
async fn a_read_that_starts_over_drops_what_does_not_come_again_at_its_end_only() {
    let place = Place::new();
    let store = place.open().await;
    store.apply(page(vec![case_item(1, &a_case(10)), case_item(2, &a_case(11))], true)).await.unwrap();
    store.forget_cursor().await.unwrap();
    assert_eq!(store.cursor().await.unwrap(), (None, true));
    let mut first = page(vec![case_item(5, &a_case(12))], true);
    first.page.has_more = true;
    store.apply(first).await.unwrap();
    assert_eq!(store.case_page(all(), AMBIENT).await.unwrap().total, 3);
    store.apply(page(vec![case_item(6, &a_case(11))], false)).await.unwrap();
    let ids: Vec<CaseId> = store.case_page(all(), AMBIENT).await.unwrap().rows.iter().map(|row| row.id).collect();
    assert_eq!(ids, [CaseId(id(11)), CaseId(id(12))]);
    // An ordinary page drops nothing.
    store.apply(page(vec![], false)).await.unwrap();
    assert_eq!(store.entity_count().await.unwrap(), 2);
}

#[tokio::test]
async fn a_deleted_case_leaves_the_list_and_an_unusable_page_changes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    store.apply(page(vec![case_item(1, &a_case(10)), case_item(2, &a_case(11))], true)).await.unwrap();
    store.apply(page(vec![item(3, "case", id(10), None, Value::Null)], false)).await.unwrap();
    assert_eq!(store.case_page(all(), AMBIENT).await.unwrap().total, 1);
    let before = (store.cursor().await.unwrap(), store.versions().await.unwrap());
    let unusable = page(vec![case_item(4, &a_case(12)), item(5, "case", id(13), None, json!({"id": 7}))], false);
    assert!(store.apply(unusable).await.is_err());
    assert_eq!((store.cursor().await.unwrap(), store.versions().await.unwrap()), before);
    let unknown = page(vec![item(6, "hologram", id(14), None, json!({}))], false);
    assert!(store.apply(unknown).await.unwrap().applied);
}

/// Invariant R10: a page asked for under an older session changes nothing.
#[tokio::test]
async fn a_page_of_another_session_changes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    store.set_session(StoredSession { version: 2, revoked: false, signed_in: true }).await.unwrap();
    let applied = store.apply(page(vec![case_item(1, &a_case(10))], true)).await.unwrap();
    assert!(!applied.applied);
    assert_eq!(store.entity_count().await.unwrap(), 0);
    assert_eq!(store.cursor().await.unwrap(), (None, false));
}

#[tokio::test]
async fn the_list_follows_a_persons_name() {
    let place = Place::new();
    let store = place.open().await;
    let ana = ActorId(id(50));
    let mut case = a_case(10);
    case.assignee_id = Some(ana);
    // The case may come before its assignee.
    store.apply(page(vec![case_item(1, &case), member_item(2, ana, "Ana")], true)).await.unwrap();
    let name = async || {
        let mine = CaseQuery { assignee: AssigneeFilter::Actor(ana), ..all() };
        store.case_page(mine, AMBIENT).await.unwrap().rows[0].assignee_name.clone()
    };
    assert_eq!(name().await.as_deref(), Some("Ana"));
    store.apply(page(vec![member_item(3, ana, "Ana B.")], false)).await.unwrap();
    assert_eq!(name().await.as_deref(), Some("Ana B."));
    assert_eq!(store.members().await.unwrap().len(), 1);
}
