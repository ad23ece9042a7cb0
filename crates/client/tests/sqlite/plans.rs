//! The plans of the queries that run all the time: none of them reads a growing table from end to end.

use sqlx::{Row, SqliteConnection};

use crate::support::Place;

async fn plan(db: &mut SqliteConnection, sql: &str, values: usize) -> Vec<String> {
    let question = sqlx::AssertSqlSafe(format!("explain query plan {sql}"));
    let mut question = sqlx::query(question);
    for _ in 0..values {
        question = question.bind("[]");
    }
    let rows = question.fetch_all(db).await.unwrap();
    rows.iter().map(|row| row.get::<String, _>("detail")).collect()
}

fn assert_no_scan(name: &str, plan: &[String], tables: &[&str]) {
    for step in plan {
        let is_scan = tables.iter().any(|table| {
            step == &format!("SCAN {table}") || step.starts_with(&format!("SCAN {table} ")) && !step.contains("INDEX")
        });
        assert!(!is_scan, "{name}: {plan:#?}");
    }
}

#[tokio::test]
async fn hot_queries_use_their_indexes() {
    let place = Place::new();
    drop(place.open().await);
    let mut db = place.raw().await;
    for (name, sql, values) in [
        ("claim", include_str!("../../src/sqlite/outbox/claim_candidates.sql"), 4),
        ("next due", include_str!("../../src/sqlite/outbox/next_due.sql"), 1),
        ("in doubt", include_str!("../../src/sqlite/outbox/in_doubt.sql"), 3),
        ("lane", include_str!("../../src/sqlite/outbox/lane.sql"), 1),
        ("lanes", include_str!("../../src/sqlite/outbox/lanes.sql"), 1),
        ("live", include_str!("../../src/sqlite/outbox/live.sql"), 0),
        ("held", include_str!("../../src/sqlite/outbox/held.sql"), 1),
        ("over", include_str!("../../src/sqlite/outbox/over.sql"), 1),
        ("waits", include_str!("../../src/sqlite/outbox/waits_beyond.sql"), 1),
        ("counts", include_str!("../../src/sqlite/outbox/counts.sql"), 0),
        ("to project", include_str!("../../src/sqlite/feed/to_project.sql"), 0),
        ("shown in doubt", include_str!("../../src/sqlite/feed/shown_in_doubt.sql"), 1),
        ("put", include_str!("../../src/sqlite/feed/put.sql"), 2),
        ("different", include_str!("../../src/sqlite/feed/different.sql"), 1),
        ("delete", include_str!("../../src/sqlite/feed/delete.sql"), 1),
        ("base cases", include_str!("../../src/sqlite/case/base_cases.sql"), 1),
        ("children", include_str!("../../src/sqlite/case/children.sql"), 1),
        ("draw", include_str!("../../src/sqlite/case/draw.sql"), 1),
        ("rename", include_str!("../../src/sqlite/case/rename_assignee.sql"), 1),
        ("timelines", include_str!("../../src/sqlite/case/timelines.sql"), 1),
        ("sent", include_str!("../../src/sqlite/outbox/sent.sql"), 1),
        ("history", include_str!("../../src/sqlite/outbox/history.sql"), 1),
        ("step", include_str!("../../src/sqlite/outbox/step.sql"), 28),
    ] {
        let plan = plan(&mut db, sql, values).await;
        assert_no_scan(name, &plan, &["outbox", "o", "e", "h", "base_entity", "b", "m", "case_view"]);
        // All entities of a type is as bad as all entities.
        assert!(plan.iter().all(|step| !step.ends_with("USING PRIMARY KEY (type=?)")), "{name}: {plan:#?}");
    }
}

#[tokio::test]
async fn a_page_by_due_date_comes_out_of_one_index() {
    let place = Place::new();
    drop(place.open().await);
    let mut db = place.raw().await;
    let page = include_str!("../../src/sqlite/case/page.sql");
    for order in [
        "c.due_on is null, c.due_on, c.id",
        "c.title collate nocase, c.id",
        "c.number is null, c.number, c.id",
        "c.status_rank, c.id",
        "c.priority_rank, c.id",
        "c.assignee_name is null, c.assignee_name collate nocase, c.id",
    ] {
        let sql = page.replace("/*restriction*/", "true").replace("/*order*/", order);
        let plan = plan(&mut db, &sql, 2).await;
        assert!(plan.iter().any(|step| step.starts_with("SCAN c USING COVERING INDEX")), "{order}: {plan:#?}");
        // Only the few rows of the page are sorted again, after they were joined.
        assert!(plan.iter().filter(|step| step.contains("TEMP B-TREE")).count() <= 1, "{order}: {plan:#?}");
        assert_no_scan(order, &plan, &["case_view", "c"]);
    }
    let days = include_str!("../../src/sqlite/case/due_days.sql").replace("/*restriction*/", "c.status = ?");
    let plan = plan(&mut db, &days, 1).await;
    assert_eq!(plan, ["SCAN c USING COVERING INDEX case_view_due"]);
}
