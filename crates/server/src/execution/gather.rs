//! Gathers the waiting commands of a tenant into one group, without waiting for more to come.
//!
//! While one group is being written the next one fills up; so a burst costs few commits, and a single
//! command costs one. The work runs in a task of its own: a caller that goes away cuts nothing off.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::TenantId;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use wire::{Code, Problem};

use crate::clock::Clock;
use crate::command::{Answer, Attempt, Batch};
use crate::execution::fold::refused_entry;
use crate::execution::in_hand::{Held, InHand};
use crate::execution::lanes::Lanes;
use crate::storage::{Storage, StorageError};
use crate::wakes::Wakes;

/// Commands in one group.
const GROUP_MAX: usize = 100;
/// Commands of one tenant that may wait; more are asked to come back.
const WAITING_MAX: usize = 20_000;
/// How long a second delivery waits for the first.
const WAIT: Duration = Duration::from_secs(3);

/// Executes commands, gathered.
#[derive(Clone)]
pub struct Gatherer {
    storage: Arc<dyn Storage>,
    clock: Clock,
    wakes: Arc<Wakes>,
    in_hand: Arc<InHand>,
    /// A tenant is in here exactly while a task works on its queue.
    queues: Arc<Mutex<HashMap<TenantId, VecDeque<Unit>>>>,
}

/// What one caller waits for.
struct Unit {
    attempts: Vec<Attempt>,
    held: Vec<Held>,
    reply: oneshot::Sender<Vec<Answer>>,
}

impl Gatherer {
    /// A gatherer over `storage`.
    pub fn new(storage: Arc<dyn Storage>, clock: Clock, wakes: Arc<Wakes>) -> Self {
        Self { storage, clock, wakes, in_hand: Arc::default(), queues: Arc::default() }
    }

    /// The keys being executed now.
    pub fn in_hand(&self) -> &Arc<InHand> {
        &self.in_hand
    }

    /// Executes `attempts` of one tenant in order and gives their answers in that order.
    pub async fn execute(&self, attempts: Vec<Attempt>) -> Vec<Answer> {
        let Some(tenant) = attempts.first().map(|attempt| attempt.tenant) else { return Vec::new() };
        let (attempts, answers) = self.after_running(attempts).await;
        if attempts.is_empty() {
            // Whoever holds the database keeps no answer waiting that needs nothing of it.
            return fill(answers, Vec::new());
        }
        let ids: Vec<_> = attempts.iter().map(|attempt| attempt.command.id).collect();
        let held = attempts.iter().map(|attempt| self.in_hand.hold(tenant, attempt.key.as_str())).collect();
        let (reply, answered) = oneshot::channel();
        let code = if self.enqueue(tenant, Unit { attempts, held, reply }) {
            match answered.await {
                Ok(executed) => return fill(answers, executed),
                Err(_) => Code::InternalError,
            }
        } else {
            Code::TemporarilyUnavailable
        };
        let failed = ids.into_iter().map(|id| Answer::refuse(code, "The server could not answer.", id)).collect();
        fill(answers, failed)
    }

    /// Waits for other deliveries of the same keys; those that still run are answered 409 and not run.
    /// The second list has a place for each attempt, filled for these.
    async fn after_running(&self, attempts: Vec<Attempt>) -> (Vec<Attempt>, Vec<Option<Answer>>) {
        let deadline = Instant::now() + WAIT;
        let mut lanes = Lanes::default();
        let (mut free, mut answers) = (Vec::with_capacity(attempts.len()), Vec::with_capacity(attempts.len()));
        for mut attempt in attempts {
            if self.in_hand.wait(attempt.tenant, attempt.key.as_str(), deadline).await {
                block(&mut attempt, &lanes);
                free.push(attempt);
                answers.push(None);
            } else {
                let detail = "Another delivery of this command is still running.";
                let answer = Answer::refuse(Code::OperationInProgress, detail, attempt.command.id);
                lanes.answered(&attempt, &answer);
                answers.push(Some(answer));
                self.audit_busy(&attempt);
            }
        }
        (free, answers)
    }

    /// Puts an attempt that was not run into the audit. Not waited for: who runs it holds the database just then.
    fn audit_busy(&self, attempt: &Attempt) {
        let entry = refused_entry(attempt, Code::OperationInProgress, self.clock.now());
        let (storage, tenant) = (Arc::clone(&self.storage), attempt.tenant);
        tokio::spawn(async move {
            let request_id = entry.request_id.clone();
            if let Err(error) = storage.audit_refusal(tenant, entry).await {
                tracing::warn!(%error, %request_id, "a refusal could not be audited");
            }
        });
    }

    /// Puts `unit` into its tenant's queue and makes sure that somebody works on it; false if the queue is full.
    fn enqueue(&self, tenant: TenantId, unit: Unit) -> bool {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get_mut(&tenant) {
            let has_room = queue.len() < WAITING_MAX;
            if has_room {
                queue.push_back(unit);
            }
            return has_room;
        }
        queues.insert(tenant, VecDeque::from([unit]));
        let gatherer = self.clone();
        tokio::spawn(async move {
            // Requests that have arrived already, but were not read yet, come first: they share the commit.
            tokio::task::yield_now().await;
            gatherer.work(tenant).await;
        });
        true
    }

    /// Runs group after group. A full one is handed over while the one before it is still at work, so that the database
    /// need not wait for us; one that is not full may get more until then.
    async fn work(&self, tenant: TenantId) {
        let mut before: Option<JoinHandle<()>> = None;
        while let Some(units) = self.next_group(tenant) {
            let gatherer = self.clone();
            let running = tokio::spawn(async move { gatherer.run(tenant, units).await });
            ended(before.replace(running)).await;
            if !self.has_full_group(tenant) {
                ended(before.take()).await;
            }
        }
    }

    fn has_full_group(&self, tenant: TenantId) -> bool {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = queues.get(&tenant).into_iter().flatten().map(|unit| unit.attempts.len());
        waiting.sum::<usize>() >= GROUP_MAX
    }

    /// Everything that waits, up to a group; `None` once nothing waits, and then nobody works on the queue.
    fn next_group(&self, tenant: TenantId) -> Option<Vec<Unit>> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queues.get_mut(&tenant)?;
        let (mut units, mut size) = (Vec::new(), 0);
        while let Some(unit) = queue.front() {
            size += unit.attempts.len();
            if size > GROUP_MAX && !units.is_empty() {
                break;
            }
            units.extend(queue.pop_front());
        }
        if units.is_empty() {
            queues.remove(&tenant);
            return None;
        }
        Some(units)
    }

    async fn run(&self, tenant: TenantId, units: Vec<Unit>) {
        let mut attempts = Vec::new();
        let mut callers = Vec::with_capacity(units.len());
        for unit in units {
            callers.push((unit.attempts.len(), unit.held, unit.reply));
            attempts.extend(unit.attempts);
        }
        let mut answers = self.run_group(tenant, attempts).await.into_iter();
        #[cfg(feature = "failpoints")]
        let drops = crate::failpoint::hit("after-commit-before-reply").is_err();
        for (count, held, reply) in callers {
            let own: Vec<Answer> = answers.by_ref().take(count).collect();
            // Done before the caller hears: a look-up made after the answer finds the record.
            drop(held);
            #[cfg(feature = "failpoints")]
            let own = if drops { crate::failpoint::dropped(own) } else { own };
            // A caller that has gone away asks again with the same key.
            let _ = reply.send(own);
        }
    }

    /// One transaction for all; if that fails as a whole, one each, so that one bad command fails alone.
    async fn run_group(&self, tenant: TenantId, attempts: Vec<Attempt>) -> Vec<Answer> {
        crate::metrics::group(attempts.len());
        let attempts: Arc<[Attempt]> = attempts.into();
        match self.storage.execute(tenant, Arc::clone(&attempts), self.clock.now()).await {
            Ok(executed) => {
                self.wakes.announce(tenant, executed.head);
                return executed.answers;
            }
            // What is not available for all is not for each: waiting for the same lock again helps nobody.
            Err(error) if attempts.len() == 1 || matches!(error, StorageError::Unavailable(_)) => {
                tracing::error!(%error, commands = attempts.len(), "commands were not executed");
                let problem = error.problem();
                return attempts
                    .iter()
                    .map(|attempt| Answer::problem(&problem.clone().about(attempt.command.id)))
                    .collect();
            }
            Err(error) => tracing::warn!(%error, commands = attempts.len(), "a group failed and is run one by one"),
        }
        let mut lanes = Lanes::default();
        let mut answers = Vec::with_capacity(attempts.len());
        for attempt in attempts.iter() {
            let mut attempt = attempt.clone();
            block(&mut attempt, &lanes);
            let answer = Box::pin(self.run_group(tenant, vec![attempt.clone()])).await;
            answers.extend(answer.into_iter().inspect(|answer| lanes.answered(&attempt, answer)));
        }
        answers
    }
}

/// Waits for `group`, if there is one. Its callers hear from itself, also that it came to nothing.
async fn ended(group: Option<JoinHandle<()>>) {
    if let Some(group) = group
        && let Err(error) = group.await
    {
        tracing::error!(%error, "a group of commands did not end");
    }
}

/// Tells `attempt` that its lane is blocked, if it is.
fn block(attempt: &mut Attempt, lanes: &Lanes) {
    if lanes.is_blocked(attempt) {
        attempt.batch = attempt.batch.map(|batch| Batch { blocked: true, ..batch });
    }
}

/// Puts `executed` into the free places of `answers`.
fn fill(answers: Vec<Option<Answer>>, executed: Vec<Answer>) -> Vec<Answer> {
    let mut executed = executed.into_iter();
    let missing = || Answer::problem(&Problem::new(Code::InternalError, "The server gave no answer."));
    answers.into_iter().map(|answer| answer.unwrap_or_else(|| executed.next().unwrap_or_else(missing))).collect()
}
