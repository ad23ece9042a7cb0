//! Two officers change the same field; one of them decides.

use onceover_tests::desktop::{Desktop, id};
use onceover_tests::proxy::{Fault, Proxy};

use crate::office::{Office, row, row_mark};

const BEFORE: &str = "Fence leaning over the pavement";
const MARAS: &str = "Fence leaning over the pavement, posts rotten";
const DANAS: &str = "Fence fallen onto the pavement";

/// CASES F1, F6: Mara edits a title offline, Dana the same title meanwhile; back online the row, the case and the
/// sync centre say *Conflict*, with both texts kept while she decides later; keeping hers is one new change, received
/// once, and the title is hers.
#[tokio::test]
async fn a_conflict_is_seen_everywhere_and_decided_once() {
    let office = Office::opened();
    let case = office.case_of_mara(BEFORE);
    let mut network = Proxy::before(office.server.port(), |_, _| Fault::None).await;
    let home = tempfile::tempdir().unwrap();

    let desktop = Desktop::started("conflict", home.path()).await;
    desktop.sign_in(&network.url(), "mara").await;
    desktop.press(&row(&case)).await;
    network.unplug().await;
    desktop.press(&id("case-edit")).await;
    desktop.type_into(&id("edit-title"), MARAS).await;
    desktop.press(&id("edit-save")).await;
    desktop.find(&row_mark(&case)).await;
    office.dana_does(&["case", "edit", &case, "--set", &format!("title={DANAS}")]);

    network.plug_in().await;
    desktop.find(&format!("{}[data-mark='conflict']", row_mark(&case))).await;
    desktop.wait_for_text(&row_mark(&case), "Conflict").await;
    desktop.wait_for_text(&id("case-mark"), "Conflict").await;
    desktop.wait_for_text(&id("needs-you"), "1 needs you").await;
    desktop.press(&id("open-sync")).await;
    desktop.go_to_window("sync").await;
    desktop.wait_for_text(&id("sync-line-mark"), "Conflict").await;
    let sentence = desktop.wait_for_text(&id("sync-line-sentence"), "Dana Ruiz changed the same field").await;
    assert!(sentence.ends_with("before yours arrived. Nothing was overwritten."), "{sentence}");
    let command = desktop.find(&id("sync-line")).await.attr("data-id").await.unwrap().unwrap();
    desktop.picture("01-in-the-list-and-the-sync-centre").await;

    let conflict_window = format!("conflict-{command}");
    desktop.press(&id("resolve")).await;
    desktop.go_to_window(&conflict_window).await;
    // Both texts are there, each with what is different in it marked.
    for text in [BEFORE, "posts rotten", "fallen onto"] {
        desktop.wait_for_text(&id("conflict-title"), text).await;
    }
    desktop.press(&id("save-decision")).await;
    desktop.wait_for_text(&id("conflict-missing"), "Choose for Title.").await;
    desktop.picture("02-nothing-chosen-yet").await;
    desktop.press(&id("decide-later")).await;
    desktop.go_to_window("sync").await;
    desktop.wait_until_closed(&conflict_window).await;
    desktop.press(&id("resolve")).await;
    desktop.go_to_window(&conflict_window).await;
    desktop.press(&id("mine-title")).await;
    desktop.picture("03-mine-is-chosen").await;
    desktop.press(&id("save-decision")).await;

    desktop.go_to_window("main").await;
    desktop.wait_until_closed(&conflict_window).await;
    desktop.wait_until_gone(&row_mark(&case)).await;
    desktop.wait_for_text(&row(&case), MARAS).await;
    desktop.wait_for_text(&id("sync-summary"), "Everything you did has been received.").await;
    desktop.go_to_window("sync").await;
    desktop.find(&id("sync-empty")).await;
    desktop.picture("04-decided-and-received").await;
    desktop.quit().await;

    let audit = office.server.audit();
    let edits: Vec<&str> =
        audit.iter().filter(|row| row["operation"] == "case.edit").filter_map(|row| row["result"].as_str()).collect();
    assert_eq!(edits, ["committed", "conflict", "committed"], "Dana's, Mara's, Mara's decision");
    office.dana_does(&["status"]);
    let shown = office.dana.run(&["case", "show", &case]).json;
    assert_eq!(shown["case"]["title"], MARAS);
}
