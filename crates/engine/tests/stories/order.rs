//! Lanes, back-off, poison.

use domain::{CaseField, Role, Status};
use onceover_engine::delivery::{Hold, StateName};
use onceover_engine::ports::OutboxFilter;
use onceover_engine::testing::Fault;
use onceover_engine::testing::build::{ACTOR, a_case, edit, note, tag, transition};
use onceover_engine::{SyncOptions, Trigger};
use wire::Code;

use crate::support::Computer;

const AT_ONCE: SyncOptions = SyncOptions { deadline_ms: 1, ignore_backoff: false };

/// CASES B5: A is refused; B behind it says so and is not sent.
#[tokio::test]
async fn nothing_goes_past_a_refused_change() {
    let computer = Computer::new().await;
    computer.server.put_case(&domain::Case { status: Status::Withdrawn, ..a_case(1, "Blocked drain") });
    let first = computer.save(1, transition(Status::UnderReview)).await;
    let second = computer.save(1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    let other = computer.save(2, note(1, "x")).await;
    computer.sync().await;
    assert_eq!(computer.state(first.command_id), StateName::Rejected);
    assert_eq!(computer.state(second.command_id), StateName::Queued);
    assert_eq!(computer.state(other.command_id), StateName::Acked);
    let views = computer.engine.store().outbox(OutboxFilter::default()).await.unwrap();
    assert_eq!(views[1].blocked_by, Some(first.command_id));
    assert!(!computer.commands_sent().contains(&second.command_id));
    let report = computer.sync().await;
    assert_eq!((report.open, report.needs_attention, report.timed_out), (2, 1, false));
    let discarded = computer.engine.discard(first.command_id, false).await.unwrap();
    assert_eq!(discarded.discarded, 1);
    computer.sync().await;
    assert_eq!(computer.state(second.command_id), StateName::Acked);
}

/// CASES E10: a change saved while a drain is under way goes behind those of its case.
#[tokio::test]
async fn a_change_saved_during_a_drain_goes_behind() {
    let computer = Computer::new().await;
    let first = computer.save(1, edit(CaseField::Title, "Blocked drain", "One")).await;
    computer.server.shut_gate(true);
    let engine = computer.engine.clone();
    let syncing = async { engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: false }).await };
    let saving = async {
        crate::support::until("the first is under way", || computer.state(first.command_id) == StateName::Sending)
            .await;
        let second = computer.save(1, edit(CaseField::Title, "One", "Two")).await;
        let third = computer.save(1, transition(Status::UnderReview)).await;
        computer.server.shut_gate(false);
        [second, third]
    };
    let (report, [second, third]) = tokio::join!(syncing, saving);
    assert_eq!(report.unwrap().open, 0);
    let order = [first.command_id, second.command_id, third.command_id];
    assert_eq!(computer.commands_sent(), order);
    assert_eq!(computer.server.effects().iter().map(|(_, id, _)| *id).collect::<Vec<_>>(), order);
}

/// CASES E1: a gateway's page holds the same case back; other cases go on.
#[tokio::test]
async fn a_gateway_error_holds_one_lane() {
    let computer = Computer::new().await;
    let first = computer.save(1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    let behind = computer.save(1, transition(Status::UnderReview)).await;
    let others = [computer.save(2, note(1, "x")).await, computer.save(3, note(2, "y")).await];
    computer.server.will([Fault::Html(520)]);
    computer.engine.sync_once(AT_ONCE).await.unwrap();
    assert_eq!(computer.state(first.command_id), StateName::Unknown);
    assert_eq!(computer.state(behind.command_id), StateName::Queued);
    for other in others {
        assert_eq!(computer.state(other.command_id), StateName::Acked);
    }
    assert_eq!(computer.sync().await.open, 0);
}

/// CASES D1: one 503, then nobody does anything: it is retried by the timer.
#[tokio::test]
async fn a_busy_answer_is_retried_by_the_timer() {
    let computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    computer.server.will([Fault::Problem(Code::TemporarilyUnavailable, None)]);
    let running = tokio::spawn(computer.engine.clone().run());
    crate::support::until("it is received", || computer.state(saved.command_id) == StateName::Acked).await;
    computer.engine.stop().await;
    running.abort();
    assert_eq!(computer.row(saved.command_id).attempt, 2);
}

/// CASES E3: the same failure eight times stops that row with its reason; the rest go; it can be put back.
#[tokio::test]
async fn a_poison_change_is_stopped_alone() {
    let computer = Computer::new().await;
    let poison = computer.save(1, note(1, "x")).await;
    computer.server.will(vec![Fault::Problem(Code::TemporarilyUnavailable, None); 8]);
    let options = SyncOptions { deadline_ms: 600_000, ignore_backoff: false };
    let report = computer.engine.sync_once(options).await.unwrap();
    let row = computer.row(poison.command_id);
    assert_eq!((report.open, report.needs_attention), (1, 1));
    assert_eq!((row.delivery.hold(), row.attempt), (Some(Hold::Quarantined), 8));
    assert_eq!(row.last_error.unwrap().code, "temporarily-unavailable");
    let other = computer.save(2, note(2, "y")).await;
    computer.sync().await;
    assert_eq!(computer.state(other.command_id), StateName::Acked);
    assert_eq!(computer.row(poison.command_id).attempt, 8);
    computer.engine.retry(poison.command_id).await.unwrap();
    computer.sync().await;
    assert_eq!(computer.state(poison.command_id), StateName::Acked);
}

/// A hurry ignores back-off, but not the server's wish to wait; a person's retry ignores that too.
#[tokio::test]
async fn the_servers_wish_to_wait_is_respected() {
    let computer = Computer::new().await;
    let saved = computer.save(1, note(1, "x")).await;
    computer.server.will([Fault::Problem(Code::TemporarilyUnavailable, Some(120_000))]);
    let report = computer.sync().await;
    assert!(report.asks_to_wait && report.waits_until.is_some() && !report.timed_out && !report.unreachable);
    assert_eq!(computer.sync().await.sent, 0);
    computer.engine.retry(saved.command_id).await.unwrap();
    assert_eq!(computer.sync().await.acked, 1);
}

/// CASES C6: no right for an hour, then it comes back: every change goes, however often it was tried meanwhile.
#[tokio::test]
async fn a_right_that_comes_back_frees_its_changes() {
    let computer = Computer::new().await;
    let saved = [computer.save(1, tag("a")).await, computer.save(2, tag("b")).await];
    computer.server.set_role(ACTOR, Role::Viewer);
    for _ in 0..12 {
        let report = computer.sync().await;
        assert_eq!((report.open, report.needs_attention), (2, 2));
        assert!(saved.iter().all(|saved| computer.row(saved.command_id).delivery.hold() == Some(Hold::Grant)));
    }
    computer.server.set_role(ACTOR, Role::Officer);
    assert_eq!(computer.sync().await.acked, 2);
}

/// CASES A5, A6: whatever triggers come at once, one request a row.
#[tokio::test]
async fn triggers_at_once_are_one_request_a_row() {
    let clock = std::sync::Arc::new(onceover_engine::testing::ManualClock::standing());
    let computer = Computer::with(clock, 1).await;
    let saved = [1, 2, 3].map(|case| (case, case));
    let mut commands = Vec::new();
    for (case, number) in saved {
        commands.push(computer.save(case, note(number, "x")).await.command_id);
    }
    computer.server.shut_gate(true);
    let running = tokio::spawn(computer.engine.clone().run());
    for _ in 0..5 {
        for trigger in [Trigger::Start, Trigger::Online, Trigger::Wake, Trigger::TryNow, Trigger::Timer] {
            computer.engine.nudge(trigger);
        }
        tokio::task::yield_now().await;
    }
    let engine = computer.engine.clone();
    let also =
        tokio::spawn(async move { engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: true }).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    computer.server.shut_gate(false);
    crate::support::until("all are received", || commands.iter().all(|id| computer.state(*id) == StateName::Acked))
        .await;
    also.await.unwrap().unwrap();
    computer.engine.stop().await;
    running.abort();
    let mut sent = computer.commands_sent();
    sent.sort();
    commands.sort();
    assert_eq!(sent, commands);
    assert_eq!(computer.server.most_under_way(), 1);
}
