//! The order inside a batch: nothing runs behind a command of its target that did not take effect.

use std::collections::HashSet;

use domain::EntityId;

use crate::command::{Answer, Attempt};

/// Inside a batch, what follows an item that is not committed on the same target is not run, unless it commutes.
#[derive(Debug, Default)]
pub struct Lanes(HashSet<(u64, EntityId)>);

impl Lanes {
    /// Whether `attempt` may not be run.
    pub fn is_blocked(&self, attempt: &Attempt) -> bool {
        attempt.batch.is_some_and(|batch| {
            let stuck = batch.blocked || self.0.contains(&(batch.id, attempt.command.target));
            stuck && !attempt.command.payload.operation().policy().commutes
        })
    }

    /// Remembers what became of `attempt`.
    pub fn answered(&mut self, attempt: &Attempt, answer: &Answer) {
        if let Some(batch) = attempt.batch
            && !answer.is_committed()
        {
            self.0.insert((batch.id, attempt.command.target));
        }
    }
}
