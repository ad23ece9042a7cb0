//! The server may have applied it: what happens then.

use domain::Status;
use onceover_engine::EngineError;
use onceover_engine::delivery::StateName;
use onceover_engine::ports::Method;
use onceover_engine::testing::Fault;
use onceover_engine::testing::build::{case_id, note, tag, transition};
use onceover_engine::view::{AskAnswer, Mark};

use crate::support::Computer;

/// CASES A1: the answer is cut, the program restarts, it is replayed ten times: one effect, the first result.
#[tokio::test]
async fn a_lost_answer_and_ten_replays_are_one_effect() {
    let mut computer = Computer::new().await;
    let saved = computer.save(1, note(1, "two hours on site")).await;
    computer.server.will(vec![Fault::LostAnswer; 10]);
    for _ in 0..10 {
        computer.restart().await;
        computer.sync().await;
    }
    computer.sync().await;
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
    assert_eq!(computer.effects_of(saved.command_id), 1);
    let notes = computer.server.feed().items.iter().filter(|item| item.kind == "note").count();
    assert_eq!(notes, 1);
}

/// CASES A2: a server that commits and stalls twelve times: in doubt after the first, asked before any resend.
#[tokio::test]
async fn a_stalled_answer_is_asked_about_before_any_resend() {
    let computer = Computer::new().await;
    let saved = computer.save(1, transition(Status::UnderReview)).await;
    computer.server.will(vec![Fault::Stall; 12]);
    computer.server.break_feed(true);
    computer.sync().await;
    let requests: Vec<(Method, String)> = (computer.server.take_log().into_iter())
        .map(|request| (request.method, request.path.replace(&saved.command_id.to_string(), "")))
        .map(|(method, path)| (method, path.split('?').next().unwrap_or_default().to_owned()))
        .filter(|(_, path)| path == "/v1/commands" || path.starts_with("/v1/operations"))
        .collect();
    let expected = [(Method::Post, "/v1/commands".to_owned()), (Method::Get, "/v1/operations/".to_owned())];
    assert_eq!(requests, expected, "sent once, then asked");
    assert_eq!(computer.effects_of(saved.command_id), 1);
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
}

/// A request that arrives long after its connection broke still takes effect once.
#[tokio::test]
async fn a_request_that_arrives_late_is_a_repeat() {
    let computer = Computer::new().await;
    let first = computer.save(1, note(1, "x")).await;
    let second = computer.save(2, transition(Status::UnderReview)).await;
    computer.server.will([Fault::ArrivesLate, Fault::ArrivesLate]);
    computer.sync().await;
    computer.sync().await;
    for saved in [first, second] {
        assert_eq!(computer.effects_of(saved.command_id), 1);
        assert_eq!(computer.state(saved.command_id), StateName::Acked);
    }
}

/// CASES C3: whatever answers, the row is retryable or in doubt, never gone, and in the end it is there once.
#[tokio::test]
async fn nothing_that_answers_makes_a_change_disappear() {
    let faults = [
        (Fault::Tls, StateName::RetryableFailed),
        (Fault::Clock, StateName::RetryableFailed),
        (Fault::NotConnected, StateName::RetryableFailed),
        (Fault::Html(502), StateName::Unknown),
        (Fault::Html(520), StateName::Unknown),
        (Fault::Html(200), StateName::Unknown),
        (Fault::BareOk, StateName::Unknown),
        (Fault::Truncated, StateName::Unknown),
        (Fault::WrongFence, StateName::Unknown),
        (Fault::LostRequest, StateName::Unknown),
    ];
    for (fault, state) in faults {
        let computer = Computer::new().await;
        let saved = computer.save(1, note(1, "x")).await;
        computer.server.will([fault.clone()]);
        computer.server.break_feed(true);
        let options = onceover_engine::SyncOptions { deadline_ms: 1, ignore_backoff: false };
        computer.engine.sync_once(options).await.unwrap();
        assert_eq!(computer.state(saved.command_id), state, "{fault:?}");
        computer.server.break_feed(false);
        computer.sync().await;
        assert_eq!(computer.state(saved.command_id), StateName::Acked, "{fault:?}");
        assert_eq!(computer.effects_of(saved.command_id), 1, "{fault:?}");
    }
}

/// R6: with a send mark and no receipt the screen says *in doubt*; a person asks and hears.
#[tokio::test]
async fn a_person_asks_what_became_of_it() {
    let computer = Computer::new().await;
    let saved = computer.save(1, tag("urgent")).await;
    computer.server.will([Fault::LostAnswer]);
    let options = onceover_engine::SyncOptions { deadline_ms: 1, ignore_backoff: false };
    computer.engine.sync_once(options).await.unwrap();
    let detail = computer.shown(case_id(1)).await;
    // The feed may have shown it already; then it is no doubt any more.
    if computer.state(saved.command_id) == StateName::Unknown {
        assert_eq!(detail.pending[0].mark, Mark::InDoubt);
    }
    assert_eq!(computer.engine.ask(saved.command_id).await, Ok(AskAnswer::Committed));
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
}

/// Nobody is said to have answered who was not asked: a change that never left is nothing to ask about, and one that
/// was turned away is asked about like one in doubt.
#[tokio::test]
async fn an_answer_is_only_said_if_the_server_gave_it() {
    let computer = Computer::new().await;
    let never_sent = computer.save(2, tag("late")).await;
    let refused = computer.engine.ask(never_sent.command_id).await;
    assert!(matches!(&refused, Err(EngineError::NotAllowed(why)) if why.contains("never sent")), "{refused:?}");
    computer.server.will([Fault::Problem(wire::Code::TemporarilyUnavailable, Some(3_600_000))]);
    computer.sync().await;
    assert_eq!(computer.engine.ask(never_sent.command_id).await, Ok(AskAnswer::NotSeen));
    computer.server.always(Some(Fault::NotConnected));
    assert_eq!(computer.engine.ask(never_sent.command_id).await, Ok(AskAnswer::NoAnswer));
}

/// R7: sending it again without reaching anybody tells nothing; it stays in doubt, and a discard still asks the server.
#[tokio::test]
async fn doubt_outlives_a_resend_that_reached_nobody() {
    let computer = Computer::new().await;
    computer.server.break_feed(true);
    let saved = computer.save(1, tag("applied")).await;
    computer.server.will([Fault::LostAnswer, Fault::NotConnected]);
    computer.sync().await;
    assert_eq!((computer.state(saved.command_id), computer.row(saved.command_id).attempt), (StateName::Unknown, 2));
    computer.server.will([Fault::Problem(wire::Code::TemporarilyUnavailable, Some(3_600_000))]);
    computer.sync().await;
    assert_eq!((computer.state(saved.command_id), computer.row(saved.command_id).attempt), (StateName::Unknown, 3));
    assert_eq!(computer.engine.discard(saved.command_id, true).await.unwrap().discarded, 0);
    assert_eq!(computer.state(saved.command_id), StateName::Acked);
}

/// A row in doubt is sealed before it is discarded; offline only on explicit wish.
#[tokio::test]
async fn a_row_in_doubt_is_sealed_before_it_is_discarded() {
    let computer = Computer::new().await;
    let options = onceover_engine::SyncOptions { deadline_ms: 1, ignore_backoff: false };
    let saved = computer.save(1, tag("never")).await;
    computer.server.will([Fault::LostRequest]);
    computer.engine.sync_once(options).await.unwrap();
    assert_eq!(computer.state(saved.command_id), StateName::Unknown);
    computer.server.always(Some(Fault::NotConnected));
    assert_eq!(computer.engine.discard(saved.command_id, false).await, Err(EngineError::Unreachable));
    assert!(computer.row(saved.command_id).is_open());
    computer.server.always(None);
    assert_eq!(computer.engine.discard(saved.command_id, false).await.unwrap().discarded, 1);
    assert_eq!(computer.state(saved.command_id), StateName::Rejected);
    assert!(computer.row(saved.command_id).resolution.is_some());

    let applied = computer.save(1, tag("applied")).await;
    computer.server.will([Fault::LostAnswer]);
    computer.server.always(None);
    computer.engine.sync_once(options).await.unwrap();
    if computer.state(applied.command_id) == StateName::Unknown {
        assert_eq!(computer.engine.discard(applied.command_id, true).await.unwrap().discarded, 0);
    }
    assert_eq!(computer.state(applied.command_id), StateName::Acked);
    computer.sync().await;
    assert_eq!(computer.effects_of(saved.command_id), 0);
    assert_eq!(computer.effects_of(applied.command_id), 1);
}
