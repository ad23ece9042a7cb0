//! How long one sync goes on, and what it says of why it ended.

use onceover_engine::delivery::StateName;
use onceover_engine::ports::Clock;
use onceover_engine::testing::Fault;
use onceover_engine::testing::build::{note, transition};
use onceover_engine::view::Link;
use onceover_engine::{EngineError, SyncOptions};
use wire::Code;

use crate::support::Computer;

fn within(deadline_ms: i64) -> SyncOptions {
    SyncOptions { deadline_ms, ignore_backoff: true }
}

/// A server that is busy, still at it or silent is tried again after each back-off, in the same call.
#[tokio::test]
async fn a_sync_goes_on_while_it_has_time() {
    for fault in [
        Fault::Problem(Code::TemporarilyUnavailable, None),
        Fault::Problem(Code::OperationInProgress, None),
        Fault::LostRequest,
        Fault::Html(502),
    ] {
        let computer = Computer::new().await;
        let saved = computer.save(1, note(1, "x")).await;
        computer.server.will(vec![fault.clone(); 5]);
        let report = computer.engine.sync_once(within(600_000)).await.unwrap();
        assert_eq!(computer.state(saved.command_id), StateName::Acked, "{fault:?}");
        assert_eq!((report.open, report.unreachable, report.timed_out), (0, false, false), "{fault:?}");
    }
}

/// The feed, and the session before it, are tried again as well.
#[tokio::test]
async fn a_busy_feed_and_a_busy_session_are_tried_again() {
    for fault in [Fault::Problem(Code::TemporarilyUnavailable, None), Fault::LostRequest] {
        for is_new in [false, true] {
            let mut computer = Computer::new().await;
            let saved = computer.save(1, note(1, "x")).await;
            if is_new {
                computer.restart().await;
            }
            computer.server.always(Some(fault.clone()));
            let recovers = async {
                computer.clock.sleep_ms(5_000).await;
                computer.server.always(None);
            };
            let (report, ()) = tokio::join!(computer.engine.sync_once(within(60_000)), recovers);
            let report = report.unwrap();
            assert_eq!(computer.state(saved.command_id), StateName::Acked, "{fault:?}");
            assert!(!report.unreachable && !report.asks_to_wait && !report.timed_out, "{report:?}");
            assert!(report.pulled > 0, "{report:?}");
        }
    }
}

/// It ends early only when the next try is due after its time, and says when that is.
#[tokio::test]
async fn what_is_due_later_is_not_waited_for() {
    let computer = Computer::new().await;
    computer.save(1, note(1, "x")).await;
    computer.server.will([Fault::Problem(Code::RateLimited, Some(3_600_000))]);
    let began = computer.clock.now();
    let report = computer.engine.sync_once(within(20_000)).await.unwrap();
    assert!(report.asks_to_wait && !report.timed_out && !report.unreachable, "{report:?}");
    assert!(report.waits_until.is_some_and(|until| until.0 - began.0 >= 3_600_000), "{report:?}");
    assert!(computer.clock.now().0 - began.0 < 20_000);

    let computer = Computer::new().await;
    computer.save(1, note(1, "x")).await;
    computer.server.will(vec![Fault::Problem(Code::TemporarilyUnavailable, None); 40]);
    let began = computer.clock.now();
    let report = computer.engine.sync_once(within(8_000)).await.unwrap();
    assert!(!report.timed_out && !report.asks_to_wait, "{report:?}");
    assert!(report.waits_until.is_some_and(|until| until.0 - began.0 >= 8_000), "{report:?}");
}

/// Time ran out only if the time really ended it.
#[tokio::test]
async fn time_ran_out_only_if_it_did() {
    let computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    computer.server.shut_gate(true);
    let opens = async {
        computer.clock.sleep_ms(9_000).await;
        computer.server.shut_gate(false);
    };
    let (report, ()) = tokio::join!(computer.engine.sync_once(within(5_000)), opens);
    let report = report.unwrap();
    assert!(report.timed_out && report.waits_until.is_none() && !report.unreachable, "{report:?}");
    assert_eq!(computer.state(saved.command_id), StateName::Unknown);
    assert!(computer.server.take_log().iter().all(|request| !request.path.starts_with("/v1/changes")), "it is over");
}

/// A server that cannot be reached, or is another one, is not waited for, and the report says which.
#[tokio::test]
async fn nobody_is_waited_for_who_is_not_there() {
    for (fault, failure, link) in [
        (Fault::NotConnected, EngineError::Unreachable, Link::Offline),
        (Fault::Html(511), EngineError::NotOurServer, Link::NotOurServer),
        (Fault::Html(501), EngineError::NotOurServer, Link::NotOurServer),
        (Fault::Tls, EngineError::Tls, Link::NotOurServer),
    ] {
        let mut computer = Computer::new().await;
        computer.save(1, note(1, "x")).await;
        computer.restart().await;
        computer.server.always(Some(fault));
        let began = computer.clock.now();
        let report = computer.sync().await;
        assert!(report.unreachable && !report.timed_out, "{report:?}");
        assert_eq!((report.failure, report.link), (Some(failure), link));
        assert!(computer.clock.now().0 - began.0 < 1_000);
    }
}

/// What a look-up or the feed settled was received as well.
#[tokio::test]
async fn received_is_counted_however_it_was_found_out() {
    for hears_by_feed in [true, false] {
        let computer = Computer::new().await;
        computer.save(1, transition(domain::Status::UnderReview)).await;
        computer.server.will([Fault::LostAnswer]);
        computer.server.break_feed(!hears_by_feed);
        let report = computer.sync().await;
        assert_eq!((report.sent, report.acked, report.open), (1, 1, 0), "{hears_by_feed}");
    }
}
