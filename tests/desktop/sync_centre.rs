//! The sync centre while the server is away, and when it is back.

use onceover_tests::desktop::{Desktop, id};

use crate::office::{Office, row};

/// CASES K2, B6's neighbour: the server is down and two notes are written; the sync centre counts them, gives each a
/// line with its reason, and says so when trying helps nothing; with the server up, trying sends both, once.
#[tokio::test]
async fn two_notes_wait_for_the_server() {
    let mut office = Office::opened();
    let case = office.case_of_mara("Trash and debris behind the garage");
    let home = tempfile::tempdir().unwrap();
    let desktop = Desktop::started("sync-centre", home.path()).await;
    desktop.sign_in(&office.server.url(), "mara").await;
    desktop.press(&row(&case)).await;
    desktop.find(&id("case-title")).await;
    office.server.kill();
    for note in ["Two mattresses and a freezer without a door.", "Owner was told by phone, will clear it by Friday."] {
        desktop.type_into(&id("note-text"), note).await;
        desktop.press(&id("note-save")).await;
        desktop.wait_for_text(&id("timeline-entry"), note).await;
    }
    desktop.find(&id("offline-banner")).await;
    let summary = "You are offline. 2 changes to 1 case are saved here.";
    desktop.wait_for_text(&id("sync-summary"), summary).await;

    desktop.press(&id("open-sync")).await;
    desktop.go_to_window("sync").await;
    desktop.wait_for_text(&id("sync-summary"), summary).await;
    desktop.wait_for_text(&id("last-contact"), "Offline since").await;
    assert_eq!(desktop.count(&id("sync-line")).await, 2);
    assert_eq!(desktop.count(&format!("{}[data-mark='waiting']", id("sync-line-mark"))).await, 2);
    let sentence = "Saved on this computer. Sent when the connection is back.";
    desktop.wait_for_text(&id("sync-line-sentence"), sentence).await;
    desktop.press(&id("try-all")).await;
    desktop.wait_for_text("header", "There is no connection yet.").await;
    desktop.picture("01-two-wait").await;

    office.server.start();
    desktop.press(&id("try-all")).await;
    desktop.wait_for_text(&id("sync-summary"), "Everything you did has been received.").await;
    desktop.find(&id("sync-empty")).await;
    desktop.press(&id("tab-received")).await;
    desktop.wait_for_text(&id("sync-line-mark"), "Received").await;
    desktop.picture("02-received").await;
    desktop.go_to_window("main").await;
    desktop.wait_until_gone(&id("offline-banner")).await;
    desktop.wait_until_gone(&id("entry-mark")).await;
    desktop.quit().await;
    assert_eq!(office.effects_of("note.add"), 2);
}
