//! The thread that executes groups of commands, on a connection of its own that it asks directly: a group is some
//! hundred small statements in one transaction, and what a task pays to have another thread run one is more than
//! most of them take.
//!
//! It writes in turn with the task of [`super::writer`]: whoever has the turn meets no lock of the other.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::storage::StorageError;
use crate::storage::sqlite::rights::KnownRights;
use crate::storage::sqlite::writer::Health;

/// Prepared statements that are kept: all there are.
const STATEMENTS: usize = 64;

type Job = Box<dyn FnOnce(&mut Desk) -> Health + Send>;

/// What the thread works with.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) connection: Connection,
    pub(super) rights: KnownRights,
}

/// Sends jobs to the thread.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    jobs: mpsc::Sender<Job>,
}

impl Groups {
    /// Starts the thread on the database at `path`, which is there; `turn` is held while it writes.
    pub(super) fn start(path: &Path, turn: Arc<Mutex<()>>) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel(256);
        let path = path.to_owned();
        std::thread::Builder::new().name("groups".to_owned()).spawn(move || work(&path, &turn, waiting))?;
        Ok(Self { jobs })
    }

    /// Runs `work` in a transaction of its own and commits it if it succeeds.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, StorageError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Desk) -> Result<T, StorageError> + Send + 'static,
    {
        let (reply, answered) = oneshot::channel();
        let job: Job = Box::new(move |desk| {
            let result = transact(desk, work);
            let health = Health::after(&result);
            let _ = reply.send(result);
            health
        });
        let closed = || StorageError::Unavailable("the database is not open".to_owned());
        self.jobs.send(job).await.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

fn work(path: &Path, turn: &Mutex<()>, mut waiting: mpsc::Receiver<Job>) {
    let mut desk = None;
    while let Some(job) = waiting.blocking_recv() {
        let _turn = turn.blocking_lock();
        if desk.is_none() {
            desk = open(path).inspect_err(|error| tracing::error!(%error, "open the database")).ok();
        }
        // Without a connection the job is dropped, which its caller hears as unavailable.
        let Some(open) = desk.as_mut() else { continue };
        // A job that panics takes its transaction with it, and no other job.
        let health = std::panic::catch_unwind(AssertUnwindSafe(|| job(open)));
        if health.unwrap_or(Health::Broken) == Health::Broken {
            desk = None;
        }
    }
}

fn open(path: &Path) -> rusqlite::Result<Desk> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute_batch(include_str!("groups/pragmas.sql"))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(Desk { connection, rights: KnownRights::default() })
}

fn transact<T>(desk: &mut Desk, work: impl FnOnce(&mut Desk) -> Result<T, StorageError>) -> Result<T, StorageError> {
    run(desk, "begin immediate").map_err(fault)?;
    let mut result = work(desk);
    if result.is_ok()
        && let Err(error) = run(desk, "commit")
    {
        result = Err(commit_fault(error));
    }
    if result.is_err() {
        // It fails if SQLite has rolled back already; a transaction left open is found when the next one begins.
        let _ = run(desk, "rollback");
    }
    result
}

fn run(desk: &Desk, sql: &str) -> rusqlite::Result<usize> {
    desk.connection.prepare_cached(sql)?.execute([])
}

/// What an error before the commit means: nothing was changed.
#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(super) fn fault(error: rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::ReadOnly
            | ErrorCode::OperationInterrupted
            | ErrorCode::SystemIoFailure
            | ErrorCode::DiskFull
            | ErrorCode::CannotOpen,
        ) => StorageError::Unavailable(error.to_string()),
        _ => StorageError::Broken(error.to_string()),
    }
}

/// What an error of the commit means: a lock or a full disk leaves the transaction undone, anything else is not known.
#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn commit_fault(error: rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull | ErrorCode::ConstraintViolation,
        ) => StorageError::Unavailable(error.to_string()),
        _ => StorageError::CommitUnknown(error.to_string()),
    }
}
