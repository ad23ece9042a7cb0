//! The durable state of one account in one SQLite file.
//!
//! One task writes ([`writer`](self)), in transactions that begin by checking that this process still owns the store;
//! a few connections that cannot write read. What is decided is decided by the engine's pure functions; the tables'
//! CHECKs and triggers refuse what those would never do. Each noun's queries are `.sql` files beside the Rust that
//! runs them.

mod case;
mod connection;
mod error;
mod feed;
#[cfg(test)]
mod full_disk;
mod open;
mod outbox;
mod replace;
mod salvage;
mod session;
mod store;
mod text;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::ports::{Owner, StoreError};
use futures_util::future::BoxFuture;
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};

pub use self::open::{Access, Damage, Identity, Newer, OpenError, Opened};
pub use self::writer::WriterStatistic;
use self::writer::{Job, Tally, Unit};

/// One account's store.
pub struct SqliteStore {
    path: PathBuf,
    owner: Owner,
    readers: SqlitePool,
    writes: Writes,
}

/// How this store writes: through its writer, or not at all, and why.
enum Writes {
    Here { jobs: mpsc::Sender<Job>, tally: Arc<Tally> },
    Never(StoreError),
}

impl SqliteStore {
    /// Opens the store of `identity` in the file at `path`; to own it, the caller holds the profile's lock.
    pub async fn open(path: &Path, identity: Identity, access: Access) -> Result<Opened, OpenError> {
        match access {
            Access::Own => open::to_own(path, &identity, false).await,
            Access::Read => open::to_read(path, &identity, false).await,
        }
    }

    /// The same for a store that was there before: one whose file is gone or empty is a damaged one, of which nobody
    /// knows how many changes were in it.
    pub async fn open_again(path: &Path, identity: Identity, access: Access) -> Result<Opened, OpenError> {
        match access {
            Access::Own => open::to_own(path, &identity, true).await,
            Access::Read => open::to_read(path, &identity, true).await,
        }
    }

    fn new(path: &Path, owner: Owner, writes: Writes) -> Self {
        Self { path: path.to_owned(), owner, readers: connection::readers(path), writes }
    }

    fn writing(path: &Path, owner: Owner, db: SqliteConnection) -> Self {
        let (jobs, tally) = writer::start(db, owner);
        Self::new(path, owner, Writes::Here { jobs, tally })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the writer has done since the store was opened; `None` if this store does not write.
    pub fn statistic(&self) -> Option<WriterStatistic> {
        match &self.writes {
            Writes::Here { tally, .. } => Some(tally.read()),
            Writes::Never(_) => None,
        }
    }

    /// Someone has seen that the store's predecessor was damaged: it is not said again.
    pub async fn acknowledge_damage(&self) -> Result<(), StoreError> {
        self.write(|db| Box::pin(open::forget_damage(db))).await
    }

    /// Ends the writer after what was handed in, and closes all connections.
    pub async fn close(&self) {
        self.readers.close().await;
        if let Writes::Here { jobs, .. } = &self.writes {
            let (reply, closed) = oneshot::channel();
            if jobs.send(Job::Close(reply)).await.is_ok() {
                // The writer drops its end when the connection is closed: that it ended is all there is to know.
                let _ = closed.await;
            }
        }
    }

    /// Hands a job to the writer. Once it is handed in it is done, whether or not the caller waits.
    async fn hand_in<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job,
    ) -> Result<T, StoreError> {
        let ended = || StoreError::Io("the store is closed".to_owned());
        match &self.writes {
            Writes::Never(why) => Err(why.clone()),
            Writes::Here { jobs, .. } => {
                let (reply, outcome) = oneshot::channel();
                jobs.send(job(reply)).await.map_err(|_| ended())?;
                outcome.await.map_err(|_| ended())?
            }
        }
    }

    /// Does `work` in a writing transaction of its own.
    async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
        T: Send + 'static,
    {
        self.hand_in(|reply| Job::Work(Box::new(Unit::new(work, reply)))).await
    }

    /// Does `work` over one unchanging state of the store.
    async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send,
        T: Send,
    {
        let mut snapshot = self.readers.begin().await.map_err(error::of)?;
        let value = work(&mut snapshot).await?;
        snapshot.rollback().await.map_err(error::of)?;
        Ok(value)
    }
}
