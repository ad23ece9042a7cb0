//! The server commits, the answer is lost, and the client asks and sends again: one effect.

use onceover_tests::cli::Cli;
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::server::Server;

/// CASES A1: the server commits, the answer is cut ten times, the client restarts each time (every call of the
/// command line is a process of its own) → one effect, and the first result in the end.
#[tokio::test]
async fn ten_lost_answers_have_one_effect() {
    let server = Server::started(&[("mara", "officer")]);
    let proxy = Proxy::before(server.port(), {
        let cuts = std::sync::atomic::AtomicUsize::new(0);
        move |_, line| {
            let is_command = line.starts_with("POST /v1/commands");
            let cut = is_command && cuts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 10;
            if cut { Fault::CutAnswer } else { Fault::None }
        }
    })
    .await;
    let home = tempfile::tempdir().unwrap();
    let (url, path) = (proxy.url(), home.path().to_owned());
    let (command_id, states) = tokio::task::spawn_blocking(move || {
        let cli = Cli::in_home(&path);
        cli.sign_in(&url, "mara");
        let created = cli.run(&["case", "create", "--title", "Two hours on site", "--kind", "inspection"]);
        let command_id = created.json["command_id"].as_str().unwrap().to_owned();
        let mut states = Vec::new();
        for _ in 0..20 {
            cli.run(&["sync", "--timeout-s", "5"]);
            let shown = cli.run(&["outbox", "show", &command_id]);
            states.push(shown.json["state"].as_str().unwrap_or_default().to_owned());
            if states.last().is_some_and(|state| state == "acked") {
                break;
            }
        }
        (command_id, states)
    })
    .await
    .unwrap();

    let (last, before) = states.split_last().unwrap();
    assert_eq!(last, "acked");
    assert!(before.iter().all(|state| state == "unknown"), "never failed, never done before it is known: {states:?}");
    assert_eq!(server.effects().get(&command_id), Some(&1));
    let results: Vec<String> = server
        .audit()
        .iter()
        .filter(|row| row["command_id"] == command_id.as_str())
        .map(|row| row["result"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(results.iter().filter(|result| *result == "committed").count(), 1);
    assert!(results.iter().filter(|result| *result == "duplicate_returned").count() >= 9, "{results:?}");
}
