//! Changes the server says no to.

use onceover_tests::cli::Cli;
use onceover_tests::desktop::{Desktop, id};
use onceover_tests::proxy::{Fault, Proxy};

use crate::office::{Office, row, row_mark};

const NUMBER: &str = "CE-700100";

/// CASES S11's and K2's neighbours: Mara opens a case offline under a number that Dana gives to another one meanwhile;
/// the server refuses hers by its rule: the rail counts it and the sync centre says *Refused* with the reason, *Discard…* asks
/// first, and after it nothing is left to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_change_says_why_and_can_be_discarded() {
    let office = Office::opened();
    let home = tempfile::tempdir().unwrap();
    let mara = Cli::in_home(home.path());
    mara.sign_in(&office.server.url(), "mara");
    let number = format!("external_id={NUMBER}");
    let offline = ["case", "create", "--title", "Sign without a permit", "--kind", "permit", "--set", &number];
    assert_eq!(mara.run(&offline).code, Some(0));
    office.dana_does(&["case", "create", "--title", "Billboard at the corner", "--kind", "permit", "--set", &number]);

    let desktop = Desktop::started("refused", home.path()).await;
    desktop.wait_for_text(&id("needs-you"), "1 needs you").await;
    desktop.press(&id("needs-you")).await;
    desktop.go_to_window("sync").await;
    desktop.wait_for_text(&id("sync-summary"), "1 change needs you.").await;
    desktop.wait_for_text(&id("sync-line-mark"), "Refused").await;
    let reason = "Another case has this external id already. Nothing was changed.";
    desktop.wait_for_text(&id("sync-line-sentence"), reason).await;

    desktop.press(&id("discard")).await;
    desktop.wait_for_text(&id("discard-dialog"), "It is removed from this computer and never sent.").await;
    desktop.picture("01-the-question").await;
    desktop.press(&id("discard-keep")).await;
    desktop.wait_until_gone(&id("discard-dialog")).await;
    desktop.wait_for_text(&id("sync-line-mark"), "Refused").await;
    desktop.press(&id("discard")).await;
    desktop.press(&id("discard-confirm")).await;
    desktop.find(&id("sync-empty")).await;
    desktop.press(&id("tab-discarded")).await;
    desktop.wait_for_text(&id("sync-line-mark"), "Discarded by you").await;
    desktop.go_to_window("main").await;
    desktop.wait_until_gone(&id("needs-you")).await;
    desktop.picture("02-discarded").await;
    desktop.quit().await;
    assert_eq!(office.effects_of("case.create"), 1, "Dana's");
}

/// CASES F1's neighbour: Mara changes a status offline, Dana withdraws the case meanwhile. Hers met another change, so
/// that it is a conflict and not lost; keeping it is not possible any more, which is said, and it can be discarded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_status_change_of_a_withdrawn_case_is_for_a_person_to_end() {
    let office = Office::opened();
    let case = office.case_of_mara("Roaches in the shared kitchen");
    let mut network = Proxy::before(office.server.port(), |_, _| Fault::None).await;
    let home = tempfile::tempdir().unwrap();

    let desktop = Desktop::started("withdrawn", home.path()).await;
    desktop.sign_in(&network.url(), "mara").await;
    desktop.press(&row(&case)).await;
    desktop.find(&id("case-title")).await;
    network.unplug().await;
    desktop.press(&id("status-change")).await;
    desktop.press(&id("status-save")).await;
    desktop.find(&row_mark(&case)).await;
    office.dana_does(&["case", "transition", &case, "--to", "withdrawn", "--reason", "reported_in_error"]);
    network.plug_in().await;
    desktop.wait_for_text(&row_mark(&case), "Conflict").await;

    desktop.press(&format!("{} {}", id("case-banner"), id("resolve"))).await;
    let conflict_window = desktop.go_to_window("conflict-").await;
    desktop.wait_for_text(&id("conflict-status"), "Withdrawn").await;
    desktop.press(&id("mine-status")).await;
    desktop.press(&id("save-decision")).await;
    desktop.wait_for_text("footer [role='alert']", "Not saved").await;
    desktop.picture("01-it-cannot-be-kept").await;
    desktop.press(&id("discard-mine")).await;
    desktop.press(&id("discard-confirm")).await;

    desktop.go_to_window("main").await;
    desktop.wait_until_closed(&conflict_window).await;
    desktop.wait_until_gone(&row_mark(&case)).await;
    desktop.wait_for_text(&row(&case), "Withdrawn").await;
    desktop.wait_for_text(&id("sync-summary"), "Everything you did has been received.").await;
    desktop.picture("02-discarded").await;
    desktop.quit().await;
    assert_eq!(office.effects_of("case.transition"), 1, "Dana's");
}
