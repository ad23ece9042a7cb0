//! Transactions: each in a task of its own that runs to its end whether or not its caller still waits, opened in one
//! round trip, run again when it met another one.

use std::sync::Arc;
use std::time::Duration;

use domain::TenantId;
use futures_util::future::BoxFuture;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use tokio::time::timeout;

use crate::storage::StorageError;
use crate::storage::postgres::fault::{Fault, is_of_the_connection};
use crate::storage::postgres::pool::{Lease, Pool};

/// What a transaction does.
pub(super) type Work<'c, T> = BoxFuture<'c, Result<T, Fault>>;

/// How often one is run that meets others.
const RUNS_MAX: u32 = 6;
/// Beyond the server's own limits: for one that does not answer at all.
const ANSWERS_WITHIN: Duration = Duration::from_secs(45);

/// Whose rows a transaction sees. The database enforces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// One tenant's.
    Tenant(TenantId),
    /// Which tenant has which slug.
    Directory,
    /// How far the feed of each tenant has come.
    Heads,
    /// When something of each tenant may have to be delivered.
    Deliveries,
    /// Nobody's: what is of the server alone.
    Nobody,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    /// Whose rows.
    pub(super) scope: Scope,
    /// `begin` with what it needs.
    begin: &'static str,
    /// A first statement, which saves a round trip; its only row is given to the work.
    first: &'static str,
    /// Whether no statement may take long.
    is_limited: bool,
}

impl Opening {
    /// One that sees a single moment and changes nothing.
    pub(super) fn read(scope: Scope) -> Self {
        Self { scope, begin: "begin isolation level repeatable read, read only", first: "", is_limited: true }
    }

    /// One that changes something.
    pub(super) fn write(scope: Scope) -> Self {
        Self { scope, begin: "begin", first: "", is_limited: true }
    }

    /// The same, with a first statement. It has no parameters: whose rows are meant is set before it.
    pub(super) fn first(self, first: &'static str) -> Self {
        Self { first, ..self }
    }

    /// The same, however long it takes: for an administrator who waits.
    pub(super) fn unlimited(self) -> Self {
        Self { is_limited: false, ..self }
    }

    /// Everything in one message. A connection that was left inside a transaction would tell an earlier time for its
    /// beginning than for this message.
    fn sql(&self) -> String {
        let (tenant, across) = match self.scope {
            Scope::Tenant(tenant) => (tenant.to_string(), ""),
            Scope::Directory => (String::new(), "directory"),
            Scope::Heads => (String::new(), "heads"),
            Scope::Deliveries => (String::new(), "deliveries"),
            Scope::Nobody => (String::new(), ""),
        };
        let limit = if self.is_limited { "" } else { "set local statement_timeout = 0;" };
        let (begin, first) = (self.begin, self.first);
        format!(
            "{begin};{limit}select set_config('onceover.tenant','{tenant}',true),\
             set_config('onceover.across','{across}',true),now()=statement_timestamp() as is_new;{first}"
        )
    }
}

/// What the work of a transaction is given.
pub(super) struct Opened<'c> {
    /// The connection, inside the transaction.
    pub(super) connection: &'c mut PgConnection,
    /// The row of the opening's first statement, if it has one and found one.
    pub(super) row: Option<PgRow>,
}

/// Runs `work` in a transaction and commits it if it succeeds.
///
/// # Errors
/// As the port says: with [`StorageError::CommitUnknown`] alone it may have taken effect.
pub(super) async fn run<T, W>(pool: &Arc<Pool>, opening: Opening, work: W) -> Result<T, StorageError>
where
    T: Send + 'static,
    W: for<'c> Fn(Opened<'c>) -> Work<'c, T> + Send + Sync + 'static,
{
    run_or_fault(pool, opening, work).await.map_err(StorageError::from)
}

/// The same, for a caller who wants to know whether a lock was not to be had.
pub(super) async fn run_or_fault<T, W>(pool: &Arc<Pool>, opening: Opening, work: W) -> Result<T, Fault>
where
    T: Send + 'static,
    W: for<'c> Fn(Opened<'c>) -> Work<'c, T> + Send + Sync + 'static,
{
    let pool = Arc::clone(pool);
    let task = tokio::spawn(async move { run_here(&pool, opening, work).await });
    task.await.map_err(|_| StorageError::Broken("a unit of work did not end".to_owned()))?
}

/// The same in the current task, which nobody may drop.
pub(super) async fn run_here<T, W>(pool: &Pool, opening: Opening, work: W) -> Result<T, Fault>
where
    T: Send + 'static,
    W: for<'c> Fn(Opened<'c>) -> Work<'c, T> + Send + Sync,
{
    let sql = opening.sql();
    let mut runs = 0;
    loop {
        let mut lease = pool.borrow().await?;
        runs += 1;
        let cause = match attempt(&mut lease, &sql, opening.is_limited, &work).await {
            Ok(result) => {
                pool.give_back(lease);
                return Ok(result);
            }
            Err(End::Unusable(cause)) => {
                pool.forget_idle();
                cause
            }
            Err(End::Fault(fault, is_usable)) => {
                if is_usable {
                    pool.give_back(lease);
                }
                match fault {
                    Fault::Again(cause) => cause,
                    fault => return Err(fault),
                }
            }
        };
        if runs == RUNS_MAX {
            return Err(StorageError::Unavailable(cause).into());
        }
        // Not all at the same moment again.
        let pause = u64::from(rand_byte()) * u64::from(runs) / 8;
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

/// How an attempt ended without a result.
enum End {
    /// The connection could begin no transaction; another may.
    Unusable(String),
    /// The transaction is over; whether the connection can be used again.
    Fault(Fault, bool),
}

async fn attempt<T, W>(lease: &mut Lease, sql: &str, is_limited: bool, work: &W) -> Result<T, End>
where
    W: for<'c> Fn(Opened<'c>) -> Work<'c, T>,
{
    let connection = &mut lease.connection;
    let row = match within(is_limited, open(connection, sql)).await {
        Ok(row) => row,
        Err(Some(error)) if is_of_the_connection(&error) => return Err(End::Unusable(error.to_string())),
        // Locks are waited for in here too, so what is met is told as inside the work.
        Err(Some(error)) => return Err(End::Fault(error.into(), roll_back(connection).await)),
        Err(None) => return Err(End::Fault(no_answer(), false)),
    };
    match within(is_limited, work(Opened { connection, row })).await {
        Ok(result) => match within(true, sqlx::raw_sql("commit").execute(&mut lease.connection)).await {
            Ok(_) => Ok(result),
            Err(Some(error)) => Err(End::Fault(Fault::of_commit(&error), false)),
            Err(None) => {
                let unknown = StorageError::CommitUnknown("the database does not answer".to_owned());
                Err(End::Fault(unknown.into(), false))
            }
        },
        Err(Some(fault)) => Err(End::Fault(fault, roll_back(&mut lease.connection).await)),
        Err(None) => Err(End::Fault(no_answer(), false)),
    }
}

/// Begins, and gives the row of the first statement.
async fn open(connection: &mut PgConnection, sql: &str) -> Result<Option<PgRow>, sqlx::Error> {
    let mut rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(connection).await?.into_iter();
    let is_new = rows.next().map(|row| row.try_get("is_new")).transpose()?;
    if is_new == Some(true) {
        return Ok(rows.next());
    }
    Err(sqlx::Error::Protocol("the connection was inside a transaction".to_owned()))
}

/// Whether the connection is in no transaction afterwards.
async fn roll_back(connection: &mut PgConnection) -> bool {
    within(true, sqlx::raw_sql("rollback").execute(connection)).await.is_ok()
}

/// What `future` gives; `Err(None)` if the time is over first.
async fn within<T, E>(is_limited: bool, future: impl Future<Output = Result<T, E>>) -> Result<T, Option<E>> {
    if !is_limited {
        return future.await.map_err(Some);
    }
    match timeout(ANSWERS_WITHIN, future).await {
        Ok(result) => result.map_err(Some),
        Err(_) => Err(None),
    }
}

fn no_answer() -> Fault {
    StorageError::Unavailable("the database does not answer".to_owned()).into()
}

fn rand_byte() -> u8 {
    let mut byte = [0];
    // Without randomness they wait equally long, which is a little slower and nothing else.
    let _ = getrandom::fill(&mut byte);
    byte[0]
}
