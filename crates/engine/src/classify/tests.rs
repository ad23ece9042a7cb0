//! The classification table, line by line.

#![allow(clippy::unnecessary_wraps, reason = "answers are made in the form the transport gives them")]

use wire::OperationState as S;
use wire::{Code, Problem};

use super::*;
use crate::accept::compose;
use crate::delivery::DeliveryEvent;
use crate::ports::Owner;
use crate::testing::build::{ACTOR, COLLEAGUE, START, TENANT, case_id, draft, note, receipt};

fn a_row() -> OutboxRow {
    let owner = Owner { epoch: 1, tenant_id: TENANT, actor_id: ACTOR };
    compose(&draft(1, case_id(1), note(1, "x")), &owner, None, None)
}

fn json(status: u16, body: &impl serde::Serialize) -> Result<Answer, Failure> {
    let body = serde_json::to_vec(body).unwrap();
    Ok(Answer { status, content_type: Some("application/json".to_owned()), retry_after_ms: None, body })
}

fn problem(problem: &Problem) -> Result<Answer, Failure> {
    let mut answer = json(problem.status, problem).unwrap();
    answer.content_type = Some(PROBLEM.to_owned());
    Ok(answer)
}

fn html(status: u16) -> Result<Answer, Failure> {
    let body = b"<html>Welcome to our hotel</html>".to_vec();
    Ok(Answer { status, content_type: Some("text/html".to_owned()), retry_after_ms: None, body })
}

const PROBLEM: &str = wire::PROBLEM_JSON;

/// CONTRACT 4 against DESIGN 3, every code.
#[test]
fn every_problem_has_its_outcome() {
    use Outcome as O;
    for code in Code::ALL {
        let verdict = classify(&problem(&Problem::new(*code, "detail")), &a_row());
        let outcome = match verdict.outcome {
            O::NotApplied(hold) => format!("{hold:?}"),
            O::Refused(refusal) => {
                assert_eq!(refusal.code, code.name());
                "refused".to_owned()
            }
            O::Conflict(_) => "conflict".to_owned(),
            O::Received(KeptReceipt::Withheld) => "received".to_owned(),
            O::Unknown => "unknown".to_owned(),
            O::WindowExpired => "held for a person".to_owned(),
            other => panic!("{code:?}: {other:?}"),
        };
        let expected = match code {
            Code::OperationInProgress | Code::OutcomeUnknown | Code::InternalError => "unknown",
            Code::OperationWindowExpired => "held for a person",
            Code::ReplayForbidden => "received",
            Code::RevisionConflict => "conflict",
            Code::PayloadHashMismatch | Code::RateLimited | Code::TemporarilyUnavailable => "Time",
            Code::InvalidCredentials | Code::TokenExpired | Code::SessionRevoked | Code::Unauthenticated => "Login",
            Code::Forbidden | Code::TargetNotFound => "Grant",
            Code::ConfirmationRequired => "Confirmation",
            Code::DependencyMissing => "Dependency",
            _ => "refused",
        };
        assert_eq!(outcome, expected, "{code:?}");
        let sender = match code {
            Code::TokenExpired => Sender::Refreshes,
            Code::SessionRevoked => Sender::Revoked,
            Code::InvalidCredentials | Code::Unauthenticated => Sender::SignsIn,
            Code::RateLimited => Sender::SlowsDown,
            _ => Sender::GoesOn,
        };
        assert_eq!(verdict.sender, sender, "{code:?}");
    }
}

/// R8, CASES C3, E1: what is not our own answer leaves the row in doubt, never gone and never done.
#[test]
fn what_is_not_our_answer_is_doubt() {
    let row = a_row();
    let mut truncated = json(201, &receipt(&row, 1)).unwrap();
    truncated.body.truncate(40);
    let mut problem_as_json = problem(&Problem::new(Code::TargetDeleted, "")).unwrap();
    problem_as_json.content_type = Some("application/json".to_owned());
    let mut other_status = problem(&Problem::new(Code::TargetDeleted, "")).unwrap();
    other_status.status = 404;
    let mut teapot = Problem::new(Code::Forbidden, "");
    teapot.status = 418;
    for (result, sender) in [
        (html(200), Sender::NotOurServer),
        (html(302), Sender::NotOurServer),
        (html(404), Sender::NotOurServer),
        (html(502), Sender::Unanswered),
        (html(520), Sender::Unanswered),
        (html(501), Sender::NotOurServer),
        (html(511), Sender::NotOurServer),
        (problem(&teapot), Sender::NotOurServer),
        (json(200, &serde_json::json!({})), Sender::NotOurServer),
        (json(202, &receipt(&row, 1)), Sender::NotOurServer),
        (Ok(truncated), Sender::NotOurServer),
        (Ok(problem_as_json), Sender::NotOurServer),
        (Ok(other_status), Sender::NotOurServer),
        (Err(Failure::Timeout), Sender::Unanswered),
        (Err(Failure::Cut("reset".to_owned())), Sender::Unanswered),
    ] {
        let verdict = classify(&result, &row);
        assert_eq!((verdict.outcome, verdict.sender), (Outcome::Unknown, sender), "{result:?}");
    }
    for (failure, sender) in [
        (Failure::NotConnected("refused".to_owned()), Sender::Offline),
        (Failure::Tls("unknown issuer".to_owned()), Sender::NotOurServer),
        (Failure::Clock("not valid yet".to_owned()), Sender::Offline),
        (Failure::NotTls("HTTP".to_owned()), Sender::NotOurServer),
    ] {
        let verdict = classify(&Err(failure), &row);
        assert_eq!((verdict.outcome, verdict.sender), (Outcome::NotApplied(Hold::Network), sender));
    }
}

/// A receipt is this row's only if the whole fence fits.
#[test]
fn a_receipt_for_something_else_is_none() {
    let row = a_row();
    let good = receipt(&row, 1);
    let verdict = classify(&json(201, &good), &row);
    assert_eq!(verdict.outcome, Outcome::Received(KeptReceipt::Full { receipt: good.clone() }));
    let spoil: [fn(&mut Receipt); 6] = [
        |receipt| receipt.operation_id = crate::testing::build::command_id(2),
        |receipt| receipt.fence.tenant_id = domain::TenantId(COLLEAGUE.0),
        |receipt| receipt.fence.actor_id = COLLEAGUE,
        |receipt| receipt.fence.payload_hash = "cmd-v1:other".to_owned(),
        |receipt| receipt.fence.entity_id = case_id(2).into(),
        |receipt| receipt.fence.entity_type = "note".to_owned(),
    ];
    for spoil in spoil {
        let mut other = good.clone();
        spoil(&mut other);
        let verdict = classify(&json(201, &other), &row);
        assert_eq!((verdict.outcome, verdict.code.as_deref()), (Outcome::Unknown, Some("fence-mismatch")));
    }
    let about_another = Problem::new(Code::TargetDeleted, "").about(crate::testing::build::command_id(2));
    assert_eq!(classify(&problem(&about_another), &row).outcome, Outcome::Unknown);
}

/// A newer server's code counts by its effect and retry.
#[test]
fn an_unknown_code_counts_by_what_it_says() {
    let body = serde_json::json!({"status":422,"code":"brand-new","effect":"none","retry":"never","title":"New"});
    let mut answer = json(422, &body).unwrap();
    answer.content_type = Some(PROBLEM.to_owned());
    let Outcome::Refused(refusal) = classify(&Ok(answer), &a_row()).outcome else { panic!() };
    assert_eq!(refusal.code, "brand-new");
}

/// CASES E3: eight equal failures stop the row, unless the server was busy for everybody.
#[test]
fn the_same_failure_eight_times_needs_a_person() {
    let mut row = a_row();
    let busy = problem(&Problem::new(Code::TemporarilyUnavailable, ""));
    let fail = |row: &OutboxRow, served_at| classify(&busy, row).event(row, START, 0.5, served_at, false);
    for failures in 1..=40_u32 {
        let (event, cause) = fail(&row, None);
        assert!(
            matches!(event, DeliveryEvent::NotApplied { due_at: Some(at), hold: Hold::Time } if at <= START.plus_ms(60_000))
        );
        row.same_failures = failures;
        row.last_error = cause.error;
    }
    let quarantined = DeliveryEvent::NotApplied { due_at: None, hold: Hold::Quarantined };
    assert_eq!(fail(&row, Some(START)).0, quarantined);
    row.same_failures = 6;
    assert!(matches!(fail(&row, Some(START)).0, DeliveryEvent::NotApplied { hold: Hold::Time, .. }));
    row.same_failures = 7;
    assert_eq!(fail(&row, Some(START)).0, quarantined);
    let offline = Err(Failure::NotConnected(String::new()));
    row.last_error.as_mut().unwrap().code = "unreachable".to_owned();
    let (event, _) = classify(&offline, &row).event(&row, START, 0.5, Some(START), false);
    assert!(matches!(event, DeliveryEvent::NotApplied { hold: Hold::Network, .. }), "the network is nobody's fault");
}

/// R6, R7: what was said before the key was looked at does not end the doubt about an earlier attempt.
#[test]
fn doubt_is_ended_by_evidence_only() {
    let row = a_row();
    let after = |result: &Result<Answer, Failure>| classify(result, &row).event(&row, START, 0.5, None, true).0;
    for code in [Code::TokenExpired, Code::RateLimited, Code::TemporarilyUnavailable] {
        assert!(matches!(after(&problem(&Problem::new(code, ""))), DeliveryEvent::OutcomeUnknown { .. }), "{code:?}");
    }
    let offline = Err(Failure::NotConnected(String::new()));
    assert!(matches!(after(&offline), DeliveryEvent::OutcomeUnknown { .. }));
    for code in [Code::Forbidden, Code::DependencyMissing, Code::TargetNotFound] {
        assert!(matches!(after(&problem(&Problem::new(code, ""))), DeliveryEvent::NotApplied { .. }), "{code:?}");
    }
}

#[test]
fn a_wrong_hash_is_tried_once_more() {
    let mut row = a_row();
    let mismatch = problem(&Problem::new(Code::PayloadHashMismatch, ""));
    let (_, cause) = classify(&mismatch, &row).event(&row, START, 0.5, None, false);
    row.last_error = cause.error;
    assert!(matches!(classify(&mismatch, &row).outcome, Outcome::Refused(_)));
}

/// `Retry-After` is clamped to 0..1 h and kept, so that a hurry does not override it.
#[test]
fn the_servers_wish_to_wait_is_clamped() {
    for (asked, kept) in [(-5_000, 0), (7_000, 7_000), (i64::MAX, 3_600_000)] {
        let mut busy = problem(&Problem::new(Code::RateLimited, "")).unwrap();
        busy.retry_after_ms = Some(asked);
        let (event, cause) = classify(&Ok(busy), &a_row()).event(&a_row(), START, 0.0, None, false);
        let due = DeliveryEvent::NotApplied { due_at: Some(START.plus_ms(kept)), hold: Hold::Time };
        assert_eq!((event, cause.not_before), (due, Some(START.plus_ms(kept))));
    }
}

/// DESIGN 3: looked up: committed, failed, not seen, processing, expired; anything else is asked again.
#[test]
fn a_look_up_settles_or_asks_again() {
    let row = a_row();
    let status = |state, result, problem| OperationStatus {
        operation_id: row.command_id,
        state,
        is_final: false,
        result,
        problem,
        as_of: START,
    };
    let conflict = Problem::new(Code::RevisionConflict, "");
    let refused = Problem::new(Code::DomainRejected, "");
    let outcome = |status: &OperationStatus| classify_status(&json(200, status), &row).outcome;
    assert!(matches!(outcome(&status(S::Committed, Some(receipt(&row, 1)), None)), Outcome::Received(_)));
    assert!(matches!(outcome(&status(S::Failed, None, Some(conflict))), Outcome::Conflict(_)));
    assert!(matches!(outcome(&status(S::Failed, None, Some(refused))), Outcome::Refused(_)));
    assert_eq!(outcome(&status(S::NotSeen, None, None)), Outcome::NotSeen);
    assert_eq!(outcome(&status(S::Processing, None, None)), Outcome::Unknown);
    let forgotten = Problem::new(Code::OperationWindowExpired, "");
    assert_eq!(outcome(&status(S::NotSeen, None, Some(forgotten))), Outcome::WindowExpired);
    let mut other = status(S::NotSeen, None, None);
    other.operation_id = crate::testing::build::command_id(5);
    assert_eq!(outcome(&other), Outcome::Unknown);
    let expired = problem(&Problem::new(Code::OperationWindowExpired, ""));
    assert_eq!(classify_status(&expired, &row).outcome, Outcome::WindowExpired);
    for result in [html(200), html(502), Err(Failure::Timeout), Err(Failure::NotConnected(String::new()))] {
        assert_eq!(classify_status(&result, &row).outcome, Outcome::Unknown, "{result:?}");
    }
    let forbidden = problem(&Problem::new(Code::Unauthenticated, ""));
    let verdict = classify_status(&forbidden, &row);
    assert_eq!((verdict.outcome, verdict.sender), (Outcome::Unknown, Sender::SignsIn));
}
