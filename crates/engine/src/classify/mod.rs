//! What an answer means for the row it came for, and for the sender (DESIGN 3, CONTRACT 4). Pure.
//!
//! An answer is ours only if status, content type, schema and fence all match; a bare 200 is no receipt.

mod said;
mod verdict;

use domain::Timestamp;
use serde_json::Value;
use wire::{KnownEffect, OperationState, OperationStatus, Receipt, Retry};

pub use self::said::{Said, SeenProblem, said};
pub use self::verdict::{Outcome, Sender, Verdict};
use crate::delivery::{ConflictFound, Hold, KeptReceipt, OutboxRow, Refusal};
use crate::ports::{Answer, Failure};

/// What the answer to sending `row` means.
pub fn classify(result: &Result<Answer, Failure>, row: &OutboxRow) -> Verdict {
    match said::<Receipt>(result) {
        Said::Ours(receipt) if is_fenced_for(&receipt, row) => Verdict::received(KeptReceipt::Full { receipt }),
        Said::Ours(_) => Verdict::unknown("fence-mismatch", "the answer was for something else", Sender::GoesOn),
        Said::Problem(problem) => of_problem(&problem, row),
        Said::NotOurs { by_gateway } => not_ours(by_gateway),
        Said::Failed(failure) => of_failure(&failure),
    }
}

/// What the answer to asking about `row` means. [`Outcome::Unknown`] is "ask again later".
pub fn classify_status(result: &Result<Answer, Failure>, row: &OutboxRow) -> Verdict {
    let status = match said::<OperationStatus>(result) {
        Said::Ours(status) => status,
        Said::Problem(problem) if problem.is("operation-window-expired") => return Verdict::of(Outcome::WindowExpired),
        Said::Problem(problem) if problem.is("operation-sealed") => return of_problem(&problem, row),
        Said::Problem(problem) => {
            let sender = sender_after(&problem);
            let verdict = Verdict::unknown(&problem.code, &problem.title, sender);
            return Verdict { retry_after_ms: problem.retry_after_ms, ..verdict };
        }
        Said::NotOurs { by_gateway } => return not_ours(by_gateway),
        Said::Failed(failure) => {
            let verdict = of_failure(&failure);
            return Verdict { outcome: Outcome::Unknown, ..verdict };
        }
    };
    of_status(status, row)
}

/// What a look-up's word about `row` means.
pub fn of_status(status: OperationStatus, row: &OutboxRow) -> Verdict {
    let wrong = || Verdict::unknown("fence-mismatch", "the answer was for something else", Sender::GoesOn);
    if status.operation_id != row.command_id {
        return wrong();
    }
    match (status.state, status.result, status.problem) {
        (OperationState::Committed, Some(receipt), _) if is_fenced_for(&receipt, row) => {
            Verdict::received(KeptReceipt::Full { receipt })
        }
        (OperationState::Committed, None, _) => Verdict::received(KeptReceipt::Withheld),
        (OperationState::Failed, _, Some(problem)) => of_problem(&SeenProblem::from(problem), row),
        (OperationState::Committed, Some(_), _) | (OperationState::Failed, _, None) => wrong(),
        // The server forgot commands of that age: it cannot say that this one was never there.
        (OperationState::NotSeen, _, Some(problem)) if problem.code == wire::Code::OperationWindowExpired => {
            Verdict::of(Outcome::WindowExpired)
        }
        (OperationState::NotSeen, _, _) => Verdict::of(Outcome::NotSeen),
        (OperationState::Processing, _, _) => {
            Verdict::unknown("operation-in-progress", "the server is still at it", Sender::GoesOn)
        }
    }
}

/// Whether the receipt is this row's: tenant, actor, operation, hash and target. The session version is that of the
/// request that was committed, which may be an earlier one of this row.
fn is_fenced_for(receipt: &Receipt, row: &OutboxRow) -> bool {
    let fence = &receipt.fence;
    receipt.operation_id == row.command_id
        && fence.tenant_id == row.tenant_id
        && fence.actor_id == row.actor_id
        && fence.payload_hash == row.payload_hash
        && fence.entity_type == row.operation.policy().target.name()
        && fence.entity_id == row.target
}

fn of_failure(failure: &Failure) -> Verdict {
    let message = failure.to_string();
    match failure {
        Failure::NotConnected(_) => Verdict::not_applied(Hold::Network, "unreachable", &message, Sender::Offline),
        Failure::Tls(_) => Verdict::not_applied(Hold::Network, "tls", &message, Sender::NotOurServer),
        Failure::Clock(_) => Verdict::not_applied(Hold::Network, "clock", &message, Sender::Offline),
        Failure::NotTls(_) => Verdict::not_applied(Hold::Network, "not-tls", &message, Sender::NotOurServer),
        Failure::Timeout => Verdict::unknown("timeout", &message, Sender::Unanswered),
        Failure::Cut(_) => Verdict::unknown("cut", &message, Sender::Unanswered),
    }
}

/// A gateway's 5xx says that our server is behind it: others go on. Anything else is somebody else's page.
fn not_ours(by_gateway: bool) -> Verdict {
    let sender = if by_gateway { Sender::Unanswered } else { Sender::NotOurServer };
    Verdict::unknown("not-our-answer", "what answered is not the Onceover server", sender)
}

pub(crate) fn sender_after(problem: &SeenProblem) -> Sender {
    match (problem.status, problem.code.as_str()) {
        (401, "token-expired") => Sender::Refreshes,
        (401, "session-revoked") => Sender::Revoked,
        (401, _) => Sender::SignsIn,
        (429, _) => Sender::SlowsDown,
        _ => Sender::GoesOn,
    }
}

fn of_problem(problem: &SeenProblem, row: &OutboxRow) -> Verdict {
    if problem.operation_id.is_some_and(|operation| operation != row.command_id) {
        return Verdict::unknown("fence-mismatch", "the answer was for something else", Sender::GoesOn);
    }
    let outcome = match problem.effect {
        KnownEffect::Committed if problem.status == 403 => Outcome::Received(KeptReceipt::Withheld),
        KnownEffect::Unknown if problem.retry == Retry::Reconcile => Outcome::WindowExpired,
        KnownEffect::Committed | KnownEffect::Unknown => Outcome::Unknown,
        KnownEffect::None => without_effect(problem, row),
    };
    Verdict {
        outcome,
        code: Some(problem.code.clone()),
        message: problem.title.clone(),
        retry_after_ms: problem.retry_after_ms,
        sender: sender_after(problem),
    }
}

fn without_effect(problem: &SeenProblem, row: &OutboxRow) -> Outcome {
    let has_failed_so = row.last_error.as_ref().is_some_and(|last| last.code == problem.code);
    match (problem.status, problem.retry) {
        (412, _) => Outcome::Conflict(ConflictFound {
            current_revision: problem.current_revision,
            current: problem.current.clone().unwrap_or(Value::Null),
            conflicting_fields: problem.conflicting_fields.clone(),
        }),
        (400, Retry::SameKey) if has_failed_so => Outcome::Refused(refusal(problem)),
        (_, Retry::SameKey) => Outcome::NotApplied(Hold::Time),
        (_, Retry::SameKeyAfterLogin) => Outcome::NotApplied(Hold::Login),
        (_, Retry::SameKeyAfterGrant) | (404, Retry::SameKeyAfterDependency) => Outcome::NotApplied(Hold::Grant),
        (_, Retry::SameKeyAfterConfirmation) => Outcome::NotApplied(Hold::Confirmation),
        (_, Retry::SameKeyAfterDependency) => Outcome::NotApplied(Hold::Dependency),
        (400..=499, Retry::Never | Retry::NewKeyAfterChange) => Outcome::Refused(refusal(problem)),
        (_, Retry::Never | Retry::NewKeyAfterChange | Retry::Reconcile) => Outcome::Unknown,
    }
}

fn refusal(problem: &SeenProblem) -> Refusal {
    Refusal { code: problem.code.clone(), reason: problem.reason.clone(), detail: problem.detail.clone() }
}

/// Whether the failure at `last` says something about the row alone: the server served others since.
pub(crate) fn is_rows_own(row: &OutboxRow, served_at: Option<Timestamp>) -> bool {
    let failed_at = row.last_error.as_ref().map_or(0, |last| last.at_ms);
    served_at.is_some_and(|served_at| served_at.0 >= failed_at)
}

#[cfg(test)]
mod tests;
