//! One action, from the keyboard to the server and back, in two windows, through a crash.

use onceover_tests::desktop::{Desktop, LEFT, RIGHT, id};

use crate::office::{Office, row, row_mark};

const NEW_TITLE: &str = "Heaters do not work, garage access blocked";

/// CASES C11, D7-like, H1, H4: the server is down; the case window saves an edit; the main window shows the mark
/// without a reload; the application is killed, its lock held; after its start the edit is there, pending, and the
/// windows stand where they stood; the server starts; both windows show it as received, and the audit has one effect.
#[tokio::test]
async fn an_edit_in_one_window_survives_a_crash_and_takes_effect_once() {
    let mut office = Office::opened();
    let case = office.case_of_mara("Heaters do not work");
    let home = tempfile::tempdir().unwrap();
    let case_window = format!("case-{case}");

    let desktop = Desktop::started("two-windows", home.path()).await;
    desktop.picture("01-sign-in").await;
    desktop.sign_in(&office.server.url(), "mara").await;
    desktop.press(&row(&case)).await;
    desktop.press(&id("open-window")).await;
    desktop.go_to_window(&case_window).await;
    desktop.find(&id("case-title")).await;
    office.server.kill();

    desktop.press(&id("case-edit")).await;
    desktop.type_into(&id("edit-title"), NEW_TITLE).await;
    desktop.picture("02-editing-offline").await;
    desktop.press(&id("edit-save")).await;
    desktop.find(&id("case-mark")).await;

    desktop.go_to_window("main").await;
    desktop.find(&row_mark(&case)).await;
    desktop.wait_for_text(&id("case-list"), NEW_TITLE).await;
    desktop.find(&id("offline-banner")).await;
    desktop.picture("03-saved-there-pending-here").await;
    desktop.kill();

    let desktop = Desktop::started("two-windows", home.path()).await;
    desktop.find(&row_mark(&case)).await;
    desktop.wait_for_text(&id("case-list"), NEW_TITLE).await;
    assert_eq!(desktop.place().await, LEFT);
    desktop.press(&row(&case)).await;
    desktop.press(&id("open-window")).await;
    desktop.go_to_window(&case_window).await;
    desktop.find(&id("case-mark")).await;
    assert_eq!(desktop.place().await, RIGHT);
    desktop.picture("04-still-pending-after-the-crash").await;

    office.server.start();
    desktop.wait_until_gone(&id("case-mark")).await;
    desktop.wait_for_text(&id("case-title"), NEW_TITLE).await;
    desktop.go_to_window("main").await;
    desktop.wait_until_gone(&row_mark(&case)).await;
    desktop.wait_until_gone(&id("offline-banner")).await;
    desktop.picture("05-received-in-both").await;
    desktop.quit().await;
    assert_eq!(office.effects_of("case.edit"), 1);
}
