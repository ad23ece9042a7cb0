//! The background loop.

use std::sync::Arc;

use onceover_engine::delivery::StateName;
use onceover_engine::ports::Clock;
use onceover_engine::testing::build::{START, a_case, case_id, note};
use onceover_engine::testing::{Fault, ManualClock};
use onceover_engine::view::{Link, Scope};

use crate::support::{Computer, FAR, until};

/// CASES D5: the network returns while nobody does anything: sending starts within five seconds. Meanwhile no change is
/// tried again and again, and the person sees that the server is away.
#[tokio::test]
async fn a_returning_network_is_noticed_within_five_seconds() {
    let clock = Arc::new(ManualClock::standing());
    let computer = Computer::with(clock.clone(), 1).await;
    computer.server.always(Some(Fault::NotConnected));
    let saved = computer.save(1, note(1, "x")).await;
    let running = tokio::spawn(computer.engine.clone().run());
    for _ in 0..600 {
        clock.advance(1_000);
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    assert!(computer.engine.ambient().offline);
    assert_eq!(computer.engine.sync_status(FAR).await.unwrap().link, Link::Offline);
    assert!(computer.row(saved.command_id).attempt <= 1, "waiting for the network is not an attempt");
    computer.server.always(None);
    let back_at = clock.now();
    while computer.state(saved.command_id) != StateName::Acked {
        clock.advance(100);
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert!(clock.now().0 - back_at.0 <= 5_000, "it took too long");
    }
    assert!(!computer.engine.ambient().offline);
    computer.engine.stop().await;
    running.abort();
}

/// A hotel's page stops the sender until the server itself answers; nothing else of the queue is shown to the hotel.
#[tokio::test]
async fn somebody_elses_page_stops_the_sender() {
    let computer = Computer::new().await;
    for case in 1..=3 {
        computer.save(case, note(case, "x")).await;
    }
    computer.server.will([Fault::Html(200)]);
    let report = computer.sync().await;
    assert!(report.unreachable);
    assert_eq!(computer.commands_sent().len(), 1);
    assert_eq!(computer.engine.sync_status(START).await.unwrap().link, Link::NotOurServer);
    assert_eq!(computer.sync().await.open, 0);
    assert_eq!(computer.server.effects().len(), 3);
}

/// Signals carry scope and version only, after the commit, and versions never fall.
#[tokio::test]
async fn windows_are_told_after_the_commit() {
    let mut computer = Computer::new().await;
    computer.signals.take();
    computer.save(1, note(1, "x")).await;
    let signals = computer.signals.take();
    let versions = computer.engine.versions().await.unwrap();
    let cases = signals.iter().find(|signal| signal.scope == Scope::Cases).unwrap();
    assert_eq!(cases.version, versions.cases);
    computer.sync().await;
    computer.restart().await;
    let after = computer.engine.versions().await.unwrap();
    assert!(after.cases >= versions.cases && after.outbox >= versions.outbox);
    assert!(after.session > versions.session && after.link > versions.link);
}

/// A stopped engine sends nothing; a paused one neither, but it reads.
#[tokio::test]
async fn a_pause_stops_sending_only() {
    let computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    computer.engine.set_paused(true);
    computer.sync().await;
    assert!(computer.commands_sent().is_empty());
    computer.server.put_case(&a_case(4, "New"));
    computer.engine.pull().await.unwrap();
    assert!(computer.engine.store().base(case_id(4)).await.unwrap().case.is_some());
    computer.engine.set_paused(false);
    computer.engine.stop().await;
    computer.server.take_log();
    drop(computer.engine.sync_once(onceover_engine::SyncOptions { deadline_ms: 1_000, ignore_backoff: true }).await);
    assert!(computer.server.take_log().is_empty());
    assert_eq!(computer.state(saved.command_id), StateName::Queued);
    until("nothing", || true).await;
}
