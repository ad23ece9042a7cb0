//! Sign-in, sign-out, refresh, revocation.

use std::sync::Arc;

use onceover_engine::delivery::StateName;
use onceover_engine::ports::OutboxFilter;
use onceover_engine::testing::build::{ACTOR, COLLEAGUE, a_case, case_id, note};
use onceover_engine::testing::{Fault, ManualClock};
use onceover_engine::view::Scope;
use onceover_engine::{EngineError, Intent, SyncOptions, sign_in};
use wire::Code;
use wire::session::SignInRequest;

use crate::support::Computer;

/// CASES E5: the first answer is 401: the sender stops, nothing more leaves, one prompt.
#[tokio::test]
async fn a_401_stops_the_whole_sender() {
    let computer = Computer::new().await;
    let mut saved = Vec::new();
    for case in 1..=3 {
        saved.push(computer.save(case, note(case, "x")).await.command_id);
    }
    computer.server.will([Fault::Problem(Code::Unauthenticated, None)]);
    computer.signals.take();
    let report = computer.sync().await;
    assert!(report.sign_in_needed);
    assert_eq!(computer.commands_sent(), [saved[0]]);
    assert_eq!(computer.state(saved[0]), StateName::RetryableFailed);
    assert_eq!(computer.state(saved[1]), StateName::Queued);
    let prompts = computer.signals.take().iter().filter(|signal| signal.scope == Scope::Session).count();
    assert_eq!(prompts, 1);
    computer.sync().await;
    assert!(computer.server.take_log().is_empty());
    assert!(computer.engine.ambient().sign_in_needed);
}

/// CASES E7, G8: the same person signs in again, and everything goes on.
#[tokio::test]
async fn a_sign_in_lets_everything_go_on() {
    let computer = Computer::new().await;
    for case in 1..=3 {
        computer.save(case, note(case, "x")).await;
    }
    computer.server.will([Fault::Problem(Code::Unauthenticated, None)]);
    computer.sync().await;
    computer.engine.signed_in(computer.server.session_of(ACTOR)).await.unwrap();
    let report = computer.sync().await;
    assert_eq!((report.open, report.sign_in_needed), (0, false));
    assert_eq!(computer.server.effects().len(), 3);
}

/// R23: an expired token is replaced once, whoever finds out; the rows go on by themselves.
#[tokio::test]
async fn an_expired_token_is_refreshed_once() {
    let computer = Computer::new().await;
    for case in 1..=3 {
        computer.save(case, note(case, "x")).await;
    }
    computer.server.expire_access();
    let issued = computer.server.tokens_issued();
    let report = computer.sync().await;
    assert_eq!((report.open, report.sign_in_needed), (0, false));
    assert_eq!(computer.server.tokens_issued(), issued + 1);
    assert_eq!(computer.server.effects().len(), 3);
}

/// CASES G1, R9: A queues three and signs out; B signs in on the same computer: none of A's rows leaves, all stay.
#[tokio::test]
async fn another_account_never_sends_my_changes() {
    let clock = Arc::new(ManualClock::turning());
    let ana = Computer::with(clock.clone(), 1).await;
    for case in 1..=3 {
        ana.save(case, note(case, "x")).await;
    }
    ana.engine.sign_out().await.unwrap();
    assert!(!ana.secret_is_held().await);
    ana.server.take_log();
    let bo = Computer::of(clock, ana.server.clone(), COLLEAGUE, 9).await;
    bo.engine.signed_in(ana.server.session_of(COLLEAGUE)).await.unwrap();
    bo.sync().await;
    assert!(ana.sync().await.sign_in_needed);
    assert!(ana.commands_sent().is_empty());
    assert!(ana.server.effects().is_empty());
    assert_eq!(ana.engine.store().outbox(OutboxFilter::default()).await.unwrap().len(), 3);
    let wrong = ana.engine.signed_in(ana.server.session_of(COLLEAGUE)).await;
    assert!(matches!(wrong, Err(EngineError::NotAllowed(_))));
    ana.engine.signed_in(ana.server.session_of(ACTOR)).await.unwrap();
    assert_eq!(ana.sync().await.acked, 3);
}

/// CASES G2: a sign-out while a request is under way: it is given up and in doubt, and nothing further leaves.
#[tokio::test]
async fn a_sign_out_gives_up_what_is_under_way() {
    let computer = Computer::new().await;
    let first = computer.save(1, note(1, "x")).await;
    computer.save(2, note(2, "y")).await;
    computer.server.shut_gate(true);
    let engine = computer.engine.clone();
    let syncing = async { engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: true }).await };
    let leaving = async {
        crate::support::until("the first is under way", || computer.state(first.command_id) == StateName::Sending)
            .await;
        computer.engine.sign_out().await.unwrap();
    };
    let (report, ()) = tokio::join!(syncing, leaving);
    assert!(report.unwrap().sign_in_needed);
    computer.server.shut_gate(false);
    assert_eq!(computer.state(first.command_id), StateName::Unknown);
    assert_eq!(computer.commands_sent(), [first.command_id]);
    let history = computer.engine.store().history(first.command_id).await.unwrap();
    assert_eq!(history.last().unwrap().code.as_deref(), Some("cut"));
    computer.sync().await;
    assert!(computer.server.take_log().is_empty());
    let intent = Intent { intent_id: computer.new_id(), case_id: Some(case_id(3)), payload: note(3, "still mine") };
    computer.engine.save(intent).await.unwrap();
    computer.engine.signed_in(computer.server.session_of(ACTOR)).await.unwrap();
    assert_eq!(computer.sync().await.open, 0);
    assert_eq!(computer.server.effects().len(), 3);
}

/// CASES G7, R24: a revoked account: final, nothing more leaves, nothing is saved, everything stays readable.
#[tokio::test]
async fn after_revocation_nothing_leaves() {
    let mut computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    computer.server.revoke(ACTOR);
    assert!(computer.sync().await.sign_in_needed);
    computer.server.take_log();
    computer.restart().await;
    computer.sync().await;
    assert!(computer.server.take_log().is_empty());
    let intent = Intent { intent_id: computer.new_id(), case_id: Some(case_id(1)), payload: note(2, "y") };
    assert_eq!(computer.engine.save(intent).await, Err(EngineError::Revoked));
    assert!(computer.row(saved.command_id).is_open());
    computer.engine.signed_in(computer.server.session_of(ACTOR)).await.unwrap();
    assert_eq!(computer.sync().await.acked, 1);
}

/// R10: a feed page that was asked for before a sign-out changes nothing after it.
#[tokio::test]
async fn an_answer_of_an_older_session_changes_nothing() {
    let computer = Computer::new().await;
    computer.server.put_case(&a_case(4, "New"));
    let (pulled, left) = tokio::join!(computer.engine.pull(), computer.engine.sign_out());
    left.unwrap();
    assert!(pulled.is_err());
    assert_eq!(computer.engine.store().base(case_id(4)).await.unwrap().case, None);
}

/// Wrong password, no server, a hotel: each is its own error.
#[tokio::test]
async fn a_sign_in_says_what_was_wrong() {
    let computer = Computer::new().await;
    let request = |password: &str| SignInRequest {
        tenant: "harbour".to_owned(),
        username: "ana".to_owned(),
        password: password.to_owned(),
        device_id: "device".to_owned(),
        device_name: "desk".to_owned(),
    };
    assert_eq!(sign_in(&*computer.server, request("right")).await.unwrap().info.actor.id, ACTOR);
    let wrong = sign_in(&*computer.server, request("wrong")).await.err().unwrap();
    assert!(matches!(wrong, EngineError::Refused { code, .. } if code == "invalid-credentials"));
    for (fault, expected) in [
        (Fault::NotConnected, EngineError::Unreachable),
        (Fault::Stall, EngineError::Unreachable),
        (Fault::Tls, EngineError::Tls),
        (Fault::Clock, EngineError::Clock),
        (Fault::Html(200), EngineError::NotOurServer),
        (Fault::Problem(Code::RateLimited, Some(9_000)), EngineError::Throttled { retry_after_ms: 9_000 }),
        (Fault::Html(511), EngineError::NotOurServer),
        (Fault::Problem(Code::InternalError, None), EngineError::ServerFailed { code: "internal-error".to_owned() }),
    ] {
        computer.server.always(Some(fault));
        assert_eq!(sign_in(&*computer.server, request("right")).await.err().unwrap(), expected);
    }
}
