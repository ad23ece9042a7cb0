//! The one task that writes. It owns the only writing connection, so a caller that goes away leaves no transaction
//! open, and no two writers ever wait for each other.
//!
//! Waiting intents are put into one commit: a burst costs few waits for the disk, and each caller still hears "saved"
//! only after the commit that holds its own row.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::ports::{Accepted, Draft, Owner, StoreError};
use futures_util::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::{error, outbox, session};

/// How many intents one commit takes at most.
const GROUP_MAX: usize = 256;
/// How many units of work may wait; beyond it callers wait to hand theirs in.
const WAITING_MAX: usize = 1_024;

/// What the writer has done since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterStatistic {
    /// Intents accepted.
    pub accepted: u64,
    /// Transactions committed.
    pub commits: u64,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    accepted: AtomicU64,
    commits: AtomicU64,
}

impl Tally {
    pub(super) fn read(&self) -> WriterStatistic {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        WriterStatistic { accepted: read(&self.accepted), commits: read(&self.commits) }
    }
}

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A unit of work on its way to the writer.
pub(super) enum Job {
    /// An intent; may share its commit with others.
    Accept(Box<Draft>, Reply<Accepted>),
    /// Anything else, in a transaction of its own.
    Work(Box<dyn Work>),
    /// Close the connection.
    Close(oneshot::Sender<()>),
}

/// What is done inside one transaction, and who is told after it.
pub(super) trait Work: Send {
    fn run<'c>(&'c mut self, db: &'c mut SqliteConnection) -> BoxFuture<'c, Result<(), StoreError>>;
    fn tell(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// A closure as [`Work`].
pub(super) struct Unit<F, T> {
    run: Option<F>,
    value: Option<T>,
    reply: Reply<T>,
}

impl<F, T> Unit<F, T> {
    pub(super) fn new(run: F, reply: Reply<T>) -> Self {
        Self { run: Some(run), value: None, reply }
    }
}

impl<F, T> Work for Unit<F, T>
where
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send,
    T: Send,
{
    fn run<'c>(&'c mut self, db: &'c mut SqliteConnection) -> BoxFuture<'c, Result<(), StoreError>> {
        Box::pin(async move {
            if let Some(run) = self.run.take() {
                self.value = Some(run(db).await?);
            }
            Ok(())
        })
    }

    fn tell(self: Box<Self>, outcome: Result<(), StoreError>) {
        let value = self.value.ok_or_else(|| StoreError::Illegal("a unit of work gave nothing".to_owned()));
        // A caller that went away does not want to know; what is committed stays.
        let _ = self.reply.send(outcome.and(value));
    }
}

/// Starts the writer over `db`.
pub(super) fn start(db: SqliteConnection, owner: Owner) -> (mpsc::Sender<Job>, Arc<Tally>) {
    let (sender, jobs) = mpsc::channel(WAITING_MAX);
    let tally = Arc::new(Tally::default());
    let writer = Writer { db, owner, tally: Arc::clone(&tally), lost: false };
    tokio::spawn(writer.serve(jobs));
    (sender, tally)
}

struct Writer {
    db: SqliteConnection,
    owner: Owner,
    tally: Arc<Tally>,
    /// Another process owns the store: nothing is written any more.
    lost: bool,
}

impl Writer {
    async fn serve(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut closed = None;
        while let Some(job) = jobs.recv().await {
            let mut next = Some(job);
            while let Some(job) = next.take() {
                match job {
                    Job::Accept(draft, reply) => {
                        let mut group = vec![(draft, reply)];
                        next = gather(&mut jobs, &mut group);
                        self.accept(group).await;
                    }
                    Job::Work(work) => self.work(work).await,
                    Job::Close(reply) => {
                        closed = Some(reply);
                        jobs.close();
                    }
                }
            }
        }
        if let Err(error) = self.db.close().await {
            tracing::warn!(%error, "closing the store");
        }
        drop(closed);
    }

    async fn work(&mut self, mut work: Box<dyn Work>) {
        let outcome = match self.begin().await {
            Ok(()) => {
                let done = work.run(&mut self.db).await;
                self.end(done).await
            }
            Err(error) => Err(error),
        };
        work.tell(outcome);
    }

    /// A group that fails as a whole is run again one by one, so that no intent fails because of another.
    async fn accept(&mut self, group: Vec<(Box<Draft>, Reply<Accepted>)>) {
        let (drafts, replies): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        match self.try_accept(&drafts).await {
            Ok(outcomes) => {
                for (outcome, reply) in outcomes.into_iter().zip(replies) {
                    drop(reply.send(outcome));
                }
            }
            Err(error) if drafts.len() == 1 => {
                for reply in replies {
                    drop(reply.send(Err(error.clone())));
                }
            }
            Err(_) => {
                for (draft, reply) in drafts.into_iter().zip(replies) {
                    let outcome = self.try_accept(&[draft]).await.and_then(|mut outcomes| {
                        outcomes.pop().unwrap_or_else(|| Err(StoreError::Illegal("no outcome".to_owned())))
                    });
                    drop(reply.send(outcome));
                }
            }
        }
    }

    async fn try_accept(&mut self, drafts: &[Box<Draft>]) -> Result<Vec<Result<Accepted, StoreError>>, StoreError> {
        self.begin().await?;
        let done = accept_all(&mut self.db, self.owner, drafts).await;
        let outcomes = self.end(done).await?;
        let new = outcomes.iter().flatten().filter(|accepted| !accepted.already).count();
        self.tally.accepted.fetch_add(new as u64, Ordering::Relaxed);
        Ok(outcomes)
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        if self.lost {
            return Err(StoreError::OwnerLost);
        }
        sqlx::query("begin immediate").execute(&mut self.db).await.map_err(error::of)?;
        match session::owner_epoch(&mut self.db).await {
            Ok(epoch) if epoch == self.owner.epoch => Ok(()),
            Ok(_) => {
                self.lost = true;
                self.roll_back().await;
                Err(StoreError::OwnerLost)
            }
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    async fn end<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        let value = match done {
            Ok(value) => value,
            Err(error) => {
                self.roll_back().await;
                return Err(error);
            }
        };
        match sqlx::query("commit").execute(&mut self.db).await {
            Ok(_) => {
                self.tally.commits.fetch_add(1, Ordering::Relaxed);
                Ok(value)
            }
            Err(error) => {
                self.roll_back().await;
                Err(error::of(error))
            }
        }
    }

    /// After some errors SQLite has rolled back by itself already; that is no fault.
    async fn roll_back(&mut self) {
        let _ = sqlx::query("rollback").execute(&mut self.db).await;
    }
}

/// Takes the intents that wait already; gives back the first job that is none.
fn gather(jobs: &mut mpsc::Receiver<Job>, group: &mut Vec<(Box<Draft>, Reply<Accepted>)>) -> Option<Job> {
    while group.len() < GROUP_MAX {
        match jobs.try_recv() {
            Ok(Job::Accept(draft, reply)) => group.push((draft, reply)),
            Ok(other) => return Some(other),
            Err(_) => return None,
        }
    }
    None
}

/// A refused draft has written nothing and does not concern the others; any other error concerns the transaction.
async fn accept_all(
    db: &mut SqliteConnection,
    owner: Owner,
    drafts: &[Box<Draft>],
) -> Result<Vec<Result<Accepted, StoreError>>, StoreError> {
    let mut outcomes = Vec::with_capacity(drafts.len());
    for draft in drafts {
        match outbox::accept(db, owner, draft).await {
            Err(StoreError::Refused(why)) => outcomes.push(Err(StoreError::Refused(why))),
            outcome => outcomes.push(Ok(outcome?)),
        }
    }
    let anything_new = outcomes.iter().flatten().any(|(_, already)| !already);
    let versions = if anything_new { session::raise_versions(db).await? } else { session::versions(db).await? };
    let accepted = |(row, already)| Accepted { row, already, versions };
    Ok(outcomes.into_iter().map(|outcome| outcome.map(accepted)).collect())
}
