//! The window that saved is gone before the server has heard of it.

use onceover_tests::desktop::{Desktop, id};
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::wait::until;

use crate::office::{Office, row, row_mark};

const NOTE: &str = "Tenant of 2b says the boiler is off since Friday.";

/// Saves and closes in one breath, before anything else in that window can run; a moment later, so that the driver
/// hears that the script ran before the window is gone.
const SAVE_AND_CLOSE: &str = "
    setTimeout(() => {
        document.querySelector('[data-testid=note-save]').click();
        const close = { key: 'w', ctrlKey: true, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', close));
    }, 100);";

/// CASES C11, D7: a note is saved in the case window while there is no network, and that window is closed at once;
/// the host keeps it and sends it when the network is back, the main window shows it as received, and it counts once.
#[tokio::test]
async fn a_note_outlives_the_window_it_was_written_in() {
    let office = Office::opened();
    let case = office.case_of_mara("No heat in unit 2b");
    let mut network = Proxy::before(office.server.port(), |_, _| Fault::None).await;
    let home = tempfile::tempdir().unwrap();
    let case_window = format!("case-{case}");

    let desktop = Desktop::started("closed-after-save", home.path()).await;
    desktop.sign_in(&network.url(), "mara").await;
    desktop.press(&row(&case)).await;
    desktop.press(&id("open-window")).await;
    desktop.go_to_window(&case_window).await;
    desktop.type_into(&id("note-text"), NOTE).await;
    network.unplug().await;
    desktop.picture("01-about-to-save-and-close").await;
    desktop.run(SAVE_AND_CLOSE).await;

    desktop.go_to_window("main").await;
    desktop.wait_until_closed(&case_window).await;
    desktop.wait_for_text(&id("timeline-entry"), NOTE).await;
    desktop.find(&row_mark(&case)).await;
    desktop.picture("02-kept-by-the-host").await;
    assert_eq!(office.effects_of("note.add"), 0);

    network.plug_in().await;
    until("the note's effect", || async { (office.effects_of("note.add") > 0).then_some(()) }).await;
    desktop.wait_until_gone(&row_mark(&case)).await;
    desktop.wait_until_gone(&id("entry-mark")).await;
    desktop.wait_for_text(&id("sync-summary"), "Everything you did has been received.").await;
    desktop.picture("03-received").await;
    desktop.quit().await;
    assert_eq!(office.effects_of("note.add"), 1);
}
