//! A second start on a profile that is in use.

use onceover_tests::desktop::{Desktop, id};

use crate::office::{Office, row};

/// An address at which no session bus answers.
const NO_BUS: &str = "unix:path=/nonexistent/bus";

/// CASES H4's neighbours: with a session bus the second start ends well and the first one's window stays the only
/// one; without a bus the lock stops it with a clear message; and a lock whose holder was killed stops nobody.
#[tokio::test]
async fn a_second_start_leaves_the_first_alone() {
    let office = Office::opened();
    let case = office.case_of_mara("Loose handrail at the back stairs");
    let home = tempfile::tempdir().unwrap();
    let desktop = Desktop::started("second-start", home.path()).await;
    desktop.sign_in(&office.server.url(), "mara").await;
    desktop.find(&row(&case)).await;

    let with_bus = desktop.second_start(None).await;
    assert_eq!(with_bus.status.code(), Some(0), "{}", String::from_utf8_lossy(&with_bus.stderr));
    let without_bus = desktop.second_start(Some(NO_BUS)).await;
    let said = String::from_utf8_lossy(&without_bus.stderr);
    assert_eq!(without_bus.status.code(), Some(75), "{said}");
    assert!(said.contains("Onceover is already running with this profile"), "{said}");

    assert!(desktop.is_running());
    assert_eq!(desktop.windows().await, ["main"]);
    desktop.find(&row(&case)).await;
    desktop.picture("01-one-window").await;
    desktop.kill();

    let desktop = Desktop::started("second-start", home.path()).await;
    desktop.find(&id("case-list")).await;
    desktop.find(&row(&case)).await;
    desktop.quit().await;
}
