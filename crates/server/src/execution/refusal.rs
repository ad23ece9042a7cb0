//! The domain's refusals as problems on the wire.

use domain::decide::Refusal;
use domain::payload::MemberError;
use wire::{Code, Problem};

/// The problem of a refusal, and whether it is final under its key (CONTRACT 4).
pub(super) fn problem_of(refusal: Refusal) -> (Problem, bool) {
    match refusal {
        Refusal::Invalid { pointer, detail } => {
            let errors = vec![MemberError { pointer: pointer.to_owned(), detail: detail.to_owned() }];
            (Problem { errors, ..Problem::new(Code::ValidationFailed, format!("{pointer}: {detail}.")) }, false)
        }
        Refusal::TargetNotFound => (Problem::new(Code::TargetNotFound, "There is no such case here."), false),
        Refusal::TargetDeleted => (Problem::new(Code::TargetDeleted, "It is archived, or gone."), true),
        Refusal::DependencyMissing => {
            (Problem::new(Code::DependencyMissing, "The command it builds on is not committed yet."), false)
        }
        Refusal::DependencyFailed => {
            (Problem::new(Code::DependencyFailed, "The command it builds on has failed."), true)
        }
        Refusal::RevisionConflict { current_revision, current, conflicting_fields } => (
            Problem {
                current_revision: Some(current_revision.0),
                current: Some(current),
                conflicting_fields,
                ..Problem::new(Code::RevisionConflict, "The case is not as you saw it.")
            },
            true,
        ),
        Refusal::Rule(rule) => (
            Problem {
                reason: Some(rule.name().to_owned()),
                ..Problem::new(Code::DomainRejected, format!("A rule does not allow this: {}.", rule.name()))
            },
            true,
        ),
    }
}
