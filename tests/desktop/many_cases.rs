//! A list that is long.

use std::fmt::Write;

use onceover_tests::desktop::{Desktop, id};
use onceover_tests::server::{Server, TENANT};
use onceover_tests::wait::until;
use serde_json::json;
use thirtyfour::Key;

use crate::office::running_server;

const CASES: usize = 20_000;
/// Rows that may exist at once, however long the list is.
const DRAWN_MAX: usize = 60;

const MAP: &str = r#"
external_id = "{number}"
title = "{title}"
address = "{address}"
priority = "{priority}"

[defaults]
kind = "complaint"
status = "open"
"#;

fn import(server: &Server) {
    let titles = ["Inoperable vehicle in the yard", "No heat on the second floor", "Fence over the pavement"];
    let streets = ["Cedar Ave", "Hermosa Ave", "Quay St", "Marlow Rd", "16th St"];
    let priorities = ["low", "normal", "high", "urgent"];
    let mut lines = String::new();
    for index in 0..CASES {
        let case = json!({
            "number": format!("CE-{:06}", 100_000 + index),
            "title": format!("{}, report {index}", titles[index % titles.len()]),
            "address": format!("{} {}", 100 + index % 8_900, streets[index % streets.len()]),
            "priority": priorities[index % priorities.len()],
        });
        writeln!(lines, "{case}").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, map) = (folder.path().join("cases.jsonl"), folder.path().join("map.toml"));
    std::fs::write(&file, lines).unwrap();
    std::fs::write(&map, MAP).unwrap();
    server.admin(&["import", "--tenant", TENANT, "--map", map.to_str().unwrap(), file.to_str().unwrap()], "");
}

/// Waits for the whole list, as long as it still grows.
async fn until_all_are_listed(desktop: &Desktop) {
    let total = "return Number(document.querySelector('[data-testid=case-list]').dataset.total)";
    let mut listed = 0;
    while listed < CASES as u64 {
        let more = || async { desktop.run(total).await.as_u64().filter(|now| *now > listed) };
        listed = until(&format!("more than {listed} cases"), more).await;
    }
}

/// Issue 2's list: with 20,000 cases it knows its length, finds one of them, comes to its end by one key, and never
/// draws more rows than are seen.
#[tokio::test]
async fn the_list_stays_short_on_the_screen() {
    let server = running_server();
    import(&server);
    let home = tempfile::tempdir().unwrap();
    let desktop = Desktop::started("many-cases", home.path()).await;
    desktop.sign_in(&server.url(), "mara").await;
    desktop.press(&id("view-all")).await;
    until_all_are_listed(&desktop).await;
    desktop.wait_for_text("h1", "20,000").await;
    assert!(desktop.count(&id("case-row")).await <= DRAWN_MAX);
    desktop.picture("01-all").await;

    desktop.type_into(&id("case-search"), "CE-119998").await;
    desktop.find(&format!("{}[data-total='1']", id("case-list"))).await;
    desktop.wait_for_text(&id("case-row"), "CE-119998").await;
    desktop.picture("02-one-is-found").await;
    desktop.keys(Key::Escape + "").await;
    desktop.find(&format!("{}[data-total='{CASES}']", id("case-list"))).await;

    desktop.press(&format!("{}[aria-rowindex='2']", id("case-row"))).await;
    desktop.keys(Key::End + "").await;
    let last = format!("{}[aria-rowindex='{}']", id("case-row"), CASES + 1);
    desktop.wait_for_text(&last, "CE-119999").await;
    desktop.wait_for_text("footer", "20,000 of 20,000").await;
    assert!(desktop.count(&id("case-row")).await <= DRAWN_MAX);
    let is_focused = format!("return document.activeElement === document.querySelector(\"{last}\")");
    assert_eq!(desktop.run(&is_focused).await, true);
    desktop.picture("03-the-end").await;
    desktop.quit().await;
}
