//! The connections of one node. They are used only inside tasks that nobody drops, so that none comes back in the
//! middle of an answer; and the first statement of each transaction asks the server whether it really begins one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::metrics;
use crate::storage::{PoolUse, StorageError};

/// How long a unit of work waits for a free connection.
const WAIT: Duration = Duration::from_secs(3);
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// A connection is replaced after this, so that nodes find their way back to a server that was away.
const LIFE: Duration = Duration::from_mins(30);

/// Connections to one database, at most as many as it was made for.
#[derive(Debug)]
pub(super) struct Pool {
    options: PgConnectOptions,
    idle: Mutex<Vec<(PgConnection, Instant)>>,
    places: Arc<Semaphore>,
    connections_max: usize,
}

/// One connection, in use. Dropped without being given back, it is closed, and the server ends what it was in.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) connection: PgConnection,
    since: Instant,
    _place: OwnedSemaphorePermit,
}

impl Pool {
    pub(super) fn new(options: PgConnectOptions, connections_max: usize) -> Self {
        Self { options, idle: Mutex::default(), places: Arc::new(Semaphore::new(connections_max)), connections_max }
    }

    /// A connection, set up to serve.
    pub(super) async fn borrow(&self) -> Result<Lease, StorageError> {
        let asked = Instant::now();
        let place = timeout(WAIT, Arc::clone(&self.places).acquire_owned()).await;
        metrics::pool_wait("postgres", asked.elapsed());
        let place = place.ok().and_then(Result::ok);
        let place = place.ok_or_else(|| StorageError::Unavailable("every connection is in use".to_owned()))?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (connection, since) = match idle {
            Some(idle) => idle,
            None => (self.connect().await?, Instant::now()),
        };
        Ok(Lease { connection, since, _place: place })
    }

    /// Gives a connection back that is in no transaction.
    pub(super) fn give_back(&self, lease: Lease) {
        if lease.since.elapsed() < LIFE {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((lease.connection, lease.since));
        }
    }

    /// How many there are, and how many of them are at rest.
    pub(super) fn in_use(&self) -> PoolUse {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        let used = self.connections_max - self.places.available_permits();
        PoolUse { name: "postgres", connections: u32::try_from(used + idle).unwrap_or(u32::MAX), idle }
    }

    /// Closes what is idle: the server has gone away, or was replaced.
    pub(super) fn forget_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn connect(&self) -> Result<PgConnection, StorageError> {
        let connecting = async {
            let mut connection = self.options.connect().await?;
            sqlx::raw_sql(include_str!("open/serve.sql")).execute(&mut connection).await?;
            Ok::<_, sqlx::Error>(connection)
        };
        match timeout(CONNECT, connecting).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(StorageError::Unavailable(error.to_string())),
            Err(_) => Err(StorageError::Unavailable("the database does not answer".to_owned())),
        }
    }
}
