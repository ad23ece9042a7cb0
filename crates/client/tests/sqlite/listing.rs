//! The list: search, filters, orders, groups, counts.

use domain::{ActorId, Priority, Status};
use engine::ports::Store;
use engine::view::{AssigneeFilter, CaseQuery, CaseSort, Due, DueGroup, ViewCounts};

use crate::support::{AMBIENT, Place, a_case, case_item, create, id, identity, member_item, page, retitle};

const TODAY: &str = "2026-11-30";

async fn a_list(place: &Place) -> onceover_client::sqlite::SqliteStore {
    let store = place.open().await;
    let (ana, bea) = (ActorId(id(50)), identity().actor_id);
    let mut items = vec![member_item(1, ana, "Ana"), member_item(2, bea, "bea")];
    for n in 10..30 {
        let mut case = a_case(n);
        case.status = Status::ALL[usize::try_from(n % 8).unwrap()];
        case.priority = Priority::ALL[usize::try_from(n % 4).unwrap()];
        case.assignee_id = [None, Some(ana), Some(bea)][usize::try_from(n % 3).unwrap()];
        case.due_on = [None, Some("2026-11-29"), Some(TODAY), Some("2026-12-06"), Some("2026-12-07")]
            [usize::try_from(n % 5).unwrap()]
        .map(str::to_owned);
        case.title = format!("{} {n}", ["apple", "Bridge", "cellar"][usize::try_from(n % 3).unwrap()]);
        case.description = Some(format!("Straße \"{n}\" (OR) straw-berry"));
        case.tags = if n % 2 == 0 { vec!["fire".to_owned()] } else { Vec::new() };
        items.push(case_item(n, &case));
    }
    store.apply(page(items, true)).await.unwrap();
    store
}

fn query() -> CaseQuery {
    CaseQuery { today: TODAY.to_owned(), limit: 500, ..CaseQuery::default() }
}

async fn found(store: &onceover_client::sqlite::SqliteStore, query: CaseQuery) -> usize {
    let page = store.case_page(query, AMBIENT).await.unwrap();
    assert_eq!(page.total as usize, page.rows.len());
    assert_eq!(page.groups.iter().map(|group| group.count).sum::<u32>(), page.total);
    page.rows.len()
}

#[tokio::test]
async fn filters_restrict_and_combine() {
    let place = Place::new();
    let store = a_list(&place).await;
    assert_eq!(found(&store, query()).await, 20);
    assert_eq!(found(&store, CaseQuery { statuses: vec![Status::Open, Status::Closed], ..query() }).await, 5);
    assert_eq!(found(&store, CaseQuery { kinds: vec!["permit".to_owned()], ..query() }).await, 0);
    assert_eq!(found(&store, CaseQuery { priorities: vec![Priority::Urgent], ..query() }).await, 5);
    assert_eq!(found(&store, CaseQuery { assignee: AssigneeFilter::Nobody, ..query() }).await, 6);
    assert_eq!(found(&store, CaseQuery { assignee: AssigneeFilter::Me, ..query() }).await, 7);
    assert_eq!(found(&store, CaseQuery { tag: Some("fire".to_owned()), ..query() }).await, 10);
    assert_eq!(found(&store, CaseQuery { due_by: Some(TODAY.to_owned()), ..query() }).await, 8);
    let both = CaseQuery { tag: Some("fire".to_owned()), text: Some("bridge".to_owned()), ..query() };
    assert_eq!(found(&store, both).await, 4);
    assert_eq!(found(&store, CaseQuery { has_changes: true, ..query() }).await, 0);
    assert_eq!(found(&store, CaseQuery { needs_you: true, ..query() }).await, 0);
}

/// Whatever a person types is words, and marks as they are, never a query language, and never an error.
#[tokio::test]
async fn search_takes_any_text() {
    let place = Place::new();
    let store = a_list(&place).await;
    for (text, expected) in [
        ("brid", 7),
        ("BRIDGE 1", 4),
        ("2026-000012", 1),
        ("stras", 0),
        ("straß", 20),
        ("straw", 20),
        ("\"", 20),
        ("title:apple", 0),
        ("apple*", 6),
        ("(OR", 20),
        ("AND NOT", 0),
        ("^-+{}()", 0),
        ("%", 0),
        ("ap\0ple", 0),
        ("'; drop table outbox; --", 0),
    ] {
        assert_eq!(found(&store, CaseQuery { text: Some(text.to_owned()), ..query() }).await, expected, "{text:?}");
    }
    let title = store.case_page(query(), AMBIENT).await.unwrap().rows[0].clone();
    store.accept(retitle(title.id, &title.title, "Zebra crossing")).await.unwrap();
    assert_eq!(found(&store, CaseQuery { text: Some("zebra".to_owned()), ..query() }).await, 1);
    let mut db = place.raw().await;
    crate::support::run(&mut db, "insert into case_text (case_text) values ('integrity-check')").await.unwrap();
}

#[tokio::test]
async fn each_order_puts_what_is_absent_last_and_reverses() {
    let place = Place::new();
    let store = a_list(&place).await;
    let order =
        async |sort, descending| store.case_page(CaseQuery { sort, descending, ..query() }, AMBIENT).await.unwrap();
    let due = order(CaseSort::Due, false).await;
    let group = |due, count| DueGroup { due, count };
    let groups = [Due::Overdue, Due::Today, Due::ThisWeek, Due::Later, Due::NoDate].map(|due| group(due, 4));
    assert_eq!(due.groups, groups);
    let mut reversed = groups;
    reversed.reverse();
    assert_eq!(order(CaseSort::Due, true).await.groups, reversed);
    let dues: Vec<Due> = due.rows.iter().map(|row| row.due).collect();
    assert_eq!(dues, groups.iter().flat_map(|group| [group.due; 4]).collect::<Vec<_>>());
    let titles: Vec<String> = order(CaseSort::Title, false).await.rows.into_iter().map(|row| row.title).collect();
    assert!(titles.is_sorted_by_key(|title| title.to_lowercase()), "{titles:?}");
    let statuses: Vec<Status> = order(CaseSort::Status, true).await.rows.iter().map(|row| row.status).collect();
    let place_of = |status: &Status| Status::ALL.iter().position(|other| other == status);
    assert!(statuses.iter().rev().is_sorted_by_key(place_of));
    let priorities: Vec<Priority> =
        order(CaseSort::Priority, false).await.rows.iter().map(|row| row.priority).collect();
    assert!(priorities.is_sorted());
    let names: Vec<_> = order(CaseSort::Assignee, false).await.rows.into_iter().map(|row| row.assignee_name).collect();
    assert!(names.is_sorted_by_key(|name| (name.is_none(), name.clone().map(|name| name.to_lowercase()))), "{names:?}");
    store.accept(create(domain::CaseId(id(9)), "new")).await.unwrap();
    let numbers = order(CaseSort::Number, false).await.rows;
    assert_eq!(numbers.last().and_then(|row| row.number.clone()), None);
    assert_eq!(order(CaseSort::Number, true).await.rows[0].number, None);
}

#[tokio::test]
async fn pages_join_without_a_seam() {
    let place = Place::new();
    let store = a_list(&place).await;
    for sort in
        [CaseSort::Due, CaseSort::Title, CaseSort::Number, CaseSort::Status, CaseSort::Priority, CaseSort::Assignee]
    {
        for descending in [false, true] {
            let whole = store.case_page(CaseQuery { sort, descending, ..query() }, AMBIENT).await.unwrap().rows;
            let mut joined = Vec::new();
            for offset in (0..20).step_by(7) {
                let part = CaseQuery { sort, descending, offset, limit: 7, ..query() };
                joined.extend(store.case_page(part, AMBIENT).await.unwrap().rows);
            }
            assert_eq!(joined, whole, "{sort:?} {descending}");
        }
    }
}

#[tokio::test]
async fn the_fixed_views_are_counted() {
    let place = Place::new();
    let store = a_list(&place).await;
    let counts = store.view_counts(TODAY.to_owned()).await.unwrap();
    assert_eq!(counts, ViewCounts { mine: 7, unassigned: 6, due_soon: 4, all: 20 });
    // No date at all is no panic.
    store.view_counts("today".to_owned()).await.unwrap();
    let page = store.case_page(CaseQuery { today: String::new(), ..query() }, AMBIENT).await.unwrap();
    assert_eq!(page.total, 20);
}
