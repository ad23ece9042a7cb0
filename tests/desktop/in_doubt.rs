//! A change that was sent, and whose answer never came.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use onceover_tests::desktop::{Desktop, id};
use onceover_tests::proxy::{Fault, Proxy};

use crate::office::{Office, row, row_mark};

/// Everything passes.
const WHOLE: u8 = 0;
/// Commands reach the server, their answers do not come back; nothing else passes.
const CUT: u8 = 1;
/// Everything passes but the feed, so that only asking can tell what became of the change.
const NO_FEED: u8 = 2;

const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nconnection: close\r\n\r\n\
    {\"type\":\"about:blank\",\"title\":\"Busy\",\"status\":503,\"detail\":\"Busy\",\"code\":\"temporarily-unavailable\",\
    \"effect\":\"none\",\"retry\":\"same_key\"}";

/// Notes every mark that the row ever shows, and every answer that is ever said.
const WATCH: &str = "
    window.seen = [];
    const look = () => {
        for (const found of document.querySelectorAll('[data-testid=row-mark], [data-testid=action-said]')) {
            const now = found.dataset.mark ?? found.textContent;
            if (!window.seen.includes(now)) window.seen.push(now);
        }
    };
    new MutationObserver(look).observe(document.body,
        { subtree: true, childList: true, characterData: true, attributes: true });
    look();";

fn fault_of(network: u8, line: &str) -> Fault {
    match network {
        CUT if line.starts_with("POST /v1/commands") => Fault::CutAnswer,
        CUT => Fault::CutRequest,
        NO_FEED if line.contains("/v1/changes") => Fault::Instead(BUSY),
        _ => Fault::None,
    }
}

/// CASES A2's and K2's neighbours: a status change reaches the server, its answer is cut, so are feed and look-ups:
/// the row, the case and the sync centre say *In doubt*, never done and never failed; once the server can be asked
/// again, *Ask the server* ends the doubt, and there is one effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_without_an_answer_is_in_doubt_until_the_server_is_asked() {
    let office = Office::opened();
    let case = office.case_of_mara("Garage used as a dwelling");
    let network = Arc::new(AtomicU8::new(WHOLE));
    let script = Arc::clone(&network);
    let proxy = Proxy::before(office.server.port(), move |_, line| fault_of(script.load(Ordering::SeqCst), line)).await;
    let home = tempfile::tempdir().unwrap();

    let desktop = Desktop::started("in-doubt", home.path()).await;
    desktop.sign_in(&proxy.url(), "mara").await;
    desktop.press(&row(&case)).await;
    desktop.press(&id("status-change")).await;
    desktop.find(&id("status-save")).await;
    desktop.run(WATCH).await;
    network.store(CUT, Ordering::SeqCst);
    desktop.press(&id("status-save")).await;
    desktop.wait_for_text(&row_mark(&case), "In doubt").await;
    desktop.wait_for_text(&id("case-mark"), "In doubt").await;
    desktop.wait_for_text(&id("case-banner"), "Your change to “Under review” is in doubt.").await;
    assert_eq!(office.effects_of("case.transition"), 1, "it did reach the server");

    desktop.press(&id("open-sync")).await;
    desktop.go_to_window("sync").await;
    desktop.run(WATCH).await;
    desktop.wait_for_text(&id("sync-line-mark"), "In doubt").await;
    desktop.wait_for_text(&id("sync-line-sentence"), "The server is asked before it is sent again.").await;
    // From here on only a person asks.
    desktop.press(&id("pause")).await;
    desktop.wait_for_text(&id("pause"), "Resume sending").await;
    desktop.press(&id("details")).await;
    desktop.wait_for_text(&id("details-panel"), "Not known yet whether the server has this").await;
    desktop.picture("01-in-doubt").await;
    desktop.keys(thirtyfour::Key::Escape + "").await;

    network.store(NO_FEED, Ordering::SeqCst);
    desktop.press(&format!("{} {}", id("sync-line"), id("ask-server"))).await;
    desktop.wait_until_gone(&format!("{}[data-mark='in_doubt']", id("sync-line-mark"))).await;
    desktop.go_to_window("main").await;
    desktop.wait_until_gone(&format!("{}[data-mark='in_doubt']", row_mark(&case))).await;
    desktop.picture("02-the-server-has-it").await;
    network.store(WHOLE, Ordering::SeqCst);
    desktop.go_to_window("sync").await;
    desktop.press(&id("pause")).await;
    desktop.press(&id("try-all")).await;
    desktop.wait_for_text(&id("sync-summary"), "Everything you did has been received.").await;
    desktop.go_to_window("main").await;
    desktop.wait_until_gone(&row_mark(&case)).await;
    desktop.wait_until_gone(&id("case-mark")).await;
    desktop.picture("03-received").await;

    let marks: Vec<String> = serde_json::from_value(desktop.run("return window.seen").await).unwrap();
    assert!(marks.contains(&"in_doubt".to_owned()), "{marks:?}");
    let may_be_seen = ["saved_here", "sending", "in_doubt", "received_saving_here", "received"];
    assert!(marks.iter().all(|mark| may_be_seen.contains(&mark.as_str())), "{marks:?}");
    let doubted = marks.iter().position(|mark| mark == "in_doubt");
    let received = marks.iter().position(|mark| mark.starts_with("received"));
    assert!(received.is_none() || received > doubted, "{marks:?}");
    desktop.quit().await;
    assert_eq!(office.effects_of("case.transition"), 1);
}
