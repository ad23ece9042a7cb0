//! A conflict, decided.

use domain::{Case, CaseField, FieldValue, Revision, Status};
use onceover_engine::EngineError;
use onceover_engine::delivery::StateName;
use onceover_engine::testing::build::{a_case, case_id, edit, note, transition};
use onceover_engine::view::{ConflictDecision, Mark, Side};

use crate::support::Computer;

async fn conflicting() -> (Computer, domain::CommandId) {
    let computer = Computer::new().await;
    let saved = computer.save(1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    computer.server.put_case(&Case { revision: Revision(2), ..a_case(1, "Theirs") });
    computer.sync().await;
    assert_eq!(computer.state(saved.command_id), StateName::Conflict);
    (computer, saved.command_id)
}

/// CASES F1, F6: all three sides are kept until it is decided, and both texts survive a restart and a pull.
#[tokio::test]
async fn a_conflict_keeps_all_three_sides() {
    let (mut computer, command) = conflicting().await;
    computer.restart().await;
    computer.sync().await;
    let detail = computer.engine.store().outbox_detail(command, computer.engine.ambient()).await.unwrap().unwrap();
    let conflict = detail.conflict.unwrap();
    assert_eq!((&conflict.base["title"], &conflict.mine["title"]), (&"Blocked drain".into(), &"Mine".into()));
    assert_eq!(conflict.theirs["title"], "Theirs");
    let shown = computer.shown(case_id(1)).await;
    assert_eq!((shown.case.title.as_str(), shown.pending[0].mark), ("Theirs", Mark::Conflict));
}

/// CASES F7, F10: mine, theirs or typed anew; what waited behind goes after the decision.
#[tokio::test]
async fn a_decision_is_a_new_change_and_frees_the_lane() {
    for (decision, title) in [
        (ConflictDecision::Keep { side: Side::Mine }, "Mine"),
        (ConflictDecision::Keep { side: Side::Theirs }, "Theirs"),
        (ConflictDecision::Fields { values: [("title".to_owned(), FieldValue::text("Both"))].into() }, "Both"),
    ] {
        let (mut computer, command) = conflicting().await;
        let waiting = computer.save(1, transition(Status::UnderReview)).await;
        computer.save(1, note(1, "about it")).await;
        computer.restart().await;
        assert_eq!(computer.sync().await.open, 3);
        let saved = computer.engine.resolve(command, decision.clone()).await.unwrap();
        assert_eq!(saved.is_some(), title != "Theirs");
        let report = computer.sync().await;
        assert_eq!(report.open, 0, "{decision:?}");
        let case = computer.server.case(case_id(1)).unwrap();
        assert_eq!((case.title.as_str(), case.status), (title, Status::UnderReview));
        assert!(!computer.row(waiting.command_id).is_open());
        assert!(!computer.row(command).is_open());
        let again = computer.engine.resolve(command, decision).await;
        assert!(matches!(again, Err(EngineError::NotAllowed(_))), "a conflict is decided once");
    }
}

/// CASES F9: with a conflict open, other cases go on.
#[tokio::test]
async fn an_open_conflict_holds_its_own_case_only() {
    let (mut computer, _) = conflicting().await;
    computer.restart().await;
    let other = computer.save(2, note(2, "x")).await;
    let report = computer.sync().await;
    assert_eq!(computer.state(other.command_id), StateName::Acked);
    assert_eq!((report.open, report.needs_attention, report.timed_out), (1, 1, false));
}
