//! One action, from the keyboard to the server and back, in two windows, through a crash.

use onceover_tests::cli::Cli;
use onceover_tests::desktop::Desktop;
use onceover_tests::server::Server;
use thirtyfour::error::WebDriverResult;

const NEW_TITLE: &str = "Heaters do not work, garage access blocked";

/// A case of mara's, made by dana through the command line.
fn case_at_the_server(server: &Server) -> String {
    let home = tempfile::tempdir().unwrap();
    let cli = Cli::in_home(home.path());
    cli.sign_in(&server.url(), "dana");
    let fields = ["--set", "status=open", "--set", "address=6975 Hermosa Ave", "--set", "due_on=2026-12-11"];
    let create = ["case", "create", "--title", "Heaters do not work", "--kind", "complaint"];
    let created = cli.run(&[&create[..], &fields].concat());
    assert_eq!(created.code, Some(0), "{}", created.errors);
    let case = created.json["case_id"].as_str().unwrap().to_owned();
    assert_eq!(cli.run(&["sync"]).code, Some(0));
    assert_eq!(cli.run(&["case", "assign", &case, "--to", "mara"]).code, Some(0));
    assert_eq!(cli.run(&["sync"]).code, Some(0));
    case
}

/// CASES C11, D7-like, H1: the server is down; the case window saves an edit; the main window shows the mark without
/// a reload; the application is killed; after its start the edit is there, pending; the server starts; both windows
/// show it as received, and the audit has one effect.
#[tokio::test]
async fn an_edit_in_one_window_survives_a_crash_and_takes_effect_once() -> WebDriverResult<()> {
    let mut server = Server::started(&[("mara", "officer"), ("dana", "officer")]);
    let case = case_at_the_server(&server);
    let home = tempfile::tempdir().unwrap();
    let row = format!("[data-testid='case-row'][data-id='{case}']");
    let case_window = format!("[data-testid='case-view'][data-id='{case}']");

    let desktop = Desktop::started(home.path()).await;
    desktop.picture("01-sign-in").await;
    desktop.sign_in(&server.url(), "mara").await?;
    desktop.find_css(&row).await.click().await?;
    desktop.press("open-window").await?;
    server.kill();

    desktop.go_to_window_with(&format!("body:not(:has([data-testid='case-list'])) {case_window}")).await;
    desktop.press("case-edit").await?;
    desktop.type_into("edit-title", NEW_TITLE).await?;
    desktop.picture("02-editing-offline").await;
    desktop.press("edit-save").await?;
    desktop.find("case-mark").await;
    desktop.picture("03-saved-in-the-case-window").await;

    desktop.go_to_window_with("[data-testid='case-list']").await;
    desktop.find_css(&format!("{row} [data-testid='row-mark']")).await;
    desktop.wait_for_text("case-list", NEW_TITLE).await;
    desktop.find("offline-banner").await;
    desktop.picture("04-pending-in-the-main-window").await;
    desktop.kill();

    let desktop = Desktop::started(home.path()).await;
    desktop.find_css(&format!("{row} [data-testid='row-mark']")).await;
    desktop.wait_for_text("case-list", NEW_TITLE).await;
    desktop.picture("05-still-pending-after-the-crash").await;
    desktop.find_css(&row).await.click().await?;
    desktop.press("open-window").await?;
    desktop.go_to_window_with(&format!("body:not(:has([data-testid='case-list'])) {case_window}")).await;
    desktop.find("case-mark").await;

    server.start();
    desktop.wait_until_gone("[data-testid='case-mark']").await;
    desktop.wait_for_text("case-title", NEW_TITLE).await;
    desktop.picture("06-received-in-the-case-window").await;
    desktop.go_to_window_with("[data-testid='case-list']").await;
    desktop.wait_until_gone(&format!("{row} [data-testid='row-mark']")).await;
    desktop.wait_until_gone("[data-testid='offline-banner']").await;
    desktop.picture("07-received-in-the-main-window").await;
    desktop.quit().await;

    let edits: Vec<_> = server.audit().into_iter().filter(|row| row["operation"] == "case.edit").collect();
    assert_eq!(edits.iter().filter(|row| row["result"] == "committed").count(), 1, "{edits:?}");
    Ok(())
}
