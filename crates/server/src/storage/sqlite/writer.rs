//! The task that writes everything but commands, which [`super::groups`] executes. Each job is one `BEGIN IMMEDIATE` …
//! `COMMIT` that runs to its end whether or not its caller still waits.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::metrics;
use crate::storage::StorageError;
use crate::storage::sqlite::open::reopen;

/// What a job does inside its transaction.
pub(super) type Work<'c, T> = BoxFuture<'c, Result<T, StorageError>>;
type Job = Box<dyn for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Health> + Send>;

/// Whether the connection may be used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Good,
    Broken,
}

impl Health {
    /// After an error that is not understood, closing the connection is the sure way out of a transaction.
    pub(super) fn after<T>(result: &Result<T, StorageError>) -> Self {
        match result {
            Ok(_) | Err(StorageError::Unavailable(_)) => Self::Good,
            Err(_) => Self::Broken,
        }
    }
}

/// Sends jobs to the writing task.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
}

impl Writer {
    /// Starts the task on `connection`; `options` open it again should it break, and `turn` is held while it writes.
    pub(super) fn start(connection: SqliteConnection, options: SqliteConnectOptions, turn: Arc<Mutex<()>>) -> Self {
        let (jobs, mut waiting) = mpsc::channel::<Job>(256);
        tokio::spawn(async move {
            let mut connection = Some(connection);
            while let Some(job) = waiting.recv().await {
                let _turn = turn.lock().await;
                if connection.is_none() {
                    connection = reopen(&options).await.inspect_err(|error| tracing::error!(%error, "reopen")).ok();
                }
                // Without a connection the job is dropped, which its caller hears as unavailable.
                let Some(open) = connection.as_mut() else { continue };
                // A job that panics takes its transaction with it, and no other job.
                let health = AssertUnwindSafe(job(open)).catch_unwind().await;
                if health.unwrap_or(Health::Broken) == Health::Broken {
                    connection = None;
                }
            }
            if let Some(open) = connection
                && let Err(error) = open.close().await
            {
                tracing::warn!(%error, "closing the database");
            }
        });
        Self { jobs }
    }

    /// Empties the write-ahead log, in which what was taken away would else stand for a while. A reader may be in the
    /// way: then it stands until the log is used from its beginning again, and this is logged.
    pub(super) async fn forget(&self) {
        let (reply, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            Box::pin(async move {
                let done = sqlx::query("pragma wal_checkpoint(truncate)").fetch_one(connection).await;
                let is_busy = done.and_then(|row| row.try_get::<i64, _>(0)).map(|busy| busy != 0);
                if !matches!(is_busy, Ok(false)) {
                    tracing::warn!(?is_busy, "the write-ahead log could not be emptied");
                }
                let _ = reply.send(());
                Health::Good
            })
        });
        if self.jobs.send(job).await.is_ok() {
            let _ = answered.await;
        }
    }

    /// Runs `work` in a transaction of its own and commits it if it succeeds.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, StorageError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> Work<'c, T> + Send + 'static,
    {
        let (reply, answered) = oneshot::channel();
        let asked = Instant::now();
        let job: Job = Box::new(move |connection| {
            metrics::pool_wait("writer", asked.elapsed());
            Box::pin(async move {
                let result = transact(connection, work).await;
                let health = Health::after(&result);
                let _ = reply.send(result);
                health
            })
        });
        let closed = || StorageError::Unavailable("the writer has stopped".to_owned());
        self.jobs.send(job).await.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

async fn transact<T, F>(connection: &mut SqliteConnection, work: F) -> Result<T, StorageError>
where
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> Work<'c, T> + Send,
{
    sqlx::query("begin immediate").execute(&mut *connection).await.map_err(fault)?;
    let mut result = work(connection).await;
    if result.is_ok()
        && let Err(error) = sqlx::query("commit").execute(&mut *connection).await
    {
        result = Err(commit_fault(error));
    }
    if result.is_err() {
        // It fails if SQLite has rolled back already; a transaction left open is found when the next one begins.
        let _ = sqlx::query("rollback").execute(&mut *connection).await;
    }
    result
}

/// SQLite's primary result code.
fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}

/// What an error before the commit means: nothing was changed.
#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(super) fn fault(error: sqlx::Error) -> StorageError {
    // 5 busy, 6 locked, 8 read-only, 9 interrupted, 10 I/O, 13 full, 14 cannot open
    match (primary_code(&error), &error) {
        (Some(5 | 6 | 8 | 9 | 10 | 13 | 14), _) | (_, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed) => {
            StorageError::Unavailable(error.to_string())
        }
        _ => StorageError::Broken(error.to_string()),
    }
}

/// What an error of the commit means: a lock or a full disk leaves the transaction undone, anything else is not known.
#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn commit_fault(error: sqlx::Error) -> StorageError {
    match primary_code(&error) {
        Some(5 | 6 | 13 | 19) => StorageError::Unavailable(error.to_string()),
        _ => StorageError::CommitUnknown(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use crate::storage::sqlite::Sqlite;

    /// A fault of ours in one unit of work is that one's alone: what it had done is undone, and the next one is run.
    #[tokio::test]
    async fn a_job_that_panics_takes_no_other_with_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Sqlite::open(&folder.path().join("server.db")).await.unwrap();
        let raise = "update server set ended = ended + 1";
        let panicked = db.writer.run::<(), _>(move |connection| {
            Box::pin(async move {
                sqlx::query(raise).execute(connection).await.unwrap();
                panic!("as a fault would");
            })
        });
        assert!(panicked.await.is_err());
        let ended = db.writer.run(move |connection| {
            Box::pin(async move {
                let row: (i64,) = sqlx::query_as("select ended from server").fetch_one(connection).await.unwrap();
                Ok(row.0)
            })
        });
        assert_eq!(ended.await.unwrap(), 0);
    }
}
