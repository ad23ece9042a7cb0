//! Takes in everything of a SQLite database, in one transaction: all of it is there afterwards, or nothing.
//!
//! A table is asked for by the columns that it has here, and nothing of what SQLite has may be left over, so that a
//! later migration of either cannot make a move forget something. Rows travel as JSON that each database reads and
//! writes by itself: texts come out byte for byte, and PostgreSQL checks every row as if a command had written it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use domain::{TenantId, Timestamp};
use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, PgConnection, Row as _, SqliteConnection};

use crate::key_file::ServerKey;
use crate::sealed;
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::transaction::{Opened, Opening, Scope, run};
use crate::storage::postgres::{Place, Postgres, check, directory};
use crate::storage::sqlite::{Ready, RestoreError};
use crate::storage::webhook::EndpointId;
use crate::storage::{CheckReport, StorageError};

use crate::webhooks::carry::attempt::secret_place;

/// A table here, and where its rows come from there.
struct Table {
    name: &'static str,
    from: &'static str,
}

/// A column here.
#[derive(sqlx::FromRow)]
struct Column {
    name: String,
    kind: String,
}

/// The tables of a tenant, each after those that it refers to. What is due to be delivered is told by the deliveries.
const TABLES: [Table; 14] = [
    Table::new("directory", "tenant"),
    Table::new("tenant", "tenant"),
    Table::new("tenant_head", "tenant"),
    Table::same("case_number"),
    Table::same("actor"),
    Table::same("actor_role"),
    Table::same("session"),
    Table::same("refresh_use"),
    Table::same("command"),
    Table::same("entity"),
    Table::same("case_external_id"),
    Table::same("audit"),
    Table::same("webhook_endpoint"),
    Table::same("webhook_delivery"),
];
/// So many bytes are written at once, about.
const BYTES_AT_ONCE: usize = 1 << 20;
/// And at most so many rows.
const ROWS_AT_ONCE: usize = 1_000;

impl Table {
    const fn new(name: &'static str, from: &'static str) -> Self {
        Self { name, from }
    }

    const fn same(name: &'static str) -> Self {
        Self { name, from: name }
    }
}

/// Why nothing was taken in. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TakeInError {
    /// What was to be taken in cannot be.
    #[error(transparent)]
    Backup(#[from] RestoreError),
    /// There is something already.
    #[error("{0} holds tenants already; a server is moved into an empty database (createdb, then `migrate`)")]
    NotEmpty(Place),
    /// The secrets are sealed under a key that is not here.
    #[error(
        "the backup has secrets of webhooks, which do not open with the key {0}: copy the key file of the server that \
         it is a backup of (its database's name and .key), or say where it is (ONCEOVER_KEY_FILE)"
    )]
    OtherKey(PathBuf),
    /// The database failed, or does not take what it is given.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What was taken in.
#[derive(Debug)]
pub struct TakenIn {
    /// The feed's epoch from now on.
    pub epoch: String,
    /// What is there now, looked through before it was kept.
    pub report: CheckReport,
}

impl Postgres {
    /// Takes in the backup `file` of a SQLite server. `key` is what its secrets are sealed under, if it is there, and
    /// `key_file` where it is looked for.
    ///
    /// # Errors
    /// See [`TakeInError`].
    pub async fn take_in(
        &self,
        file: &Path,
        place: &Place,
        (key_file, key): (&Path, Option<&ServerKey>),
        now: Timestamp,
    ) -> Result<TakenIn, TakeInError> {
        let ready = Ready::made_of(file, now).await?;
        let mut from = ready.connect().await?;
        if !opens_secrets(&mut from, key).await? {
            return Err(TakeInError::OtherKey(key_file.to_owned()));
        }
        drop(from);
        let path = ready.path().to_owned();
        let opening = Opening::write(Scope::Directory).unlimited();
        let report = run(&self.pool, opening, move |Opened { connection, .. }| {
            let path = path.clone();
            Box::pin(async move {
                // Held until the end: of two that move at once one waits, and finds what the other has brought.
                sqlx::raw_sql(include_str!("take_in/hold.sql")).execute(&mut *connection).await?;
                if !directory::tenants(connection).await?.is_empty() {
                    return Ok(None);
                }
                let mut from = Ready::connect_to(&path).await?;
                take_all(&mut from, connection).await?;
                directory::look_across(connection).await?;
                let report = check::report(connection).await?;
                match report.faults.first() {
                    None => Ok(Some(report)),
                    Some(fault) => Err(StorageError::Broken(format!("what was taken in is not whole: {fault}")).into()),
                }
            })
        });
        let report = report.await?.ok_or_else(|| TakeInError::NotEmpty(place.clone()))?;
        Ok(TakenIn { epoch: ready.epoch().to_owned(), report })
    }
}

/// Whether every secret that may still be used opens with `key`.
async fn opens_secrets(from: &mut SqliteConnection, key: Option<&ServerKey>) -> Result<bool, StorageError> {
    let rows =
        sqlx::query(include_str!("take_in/secrets.sql")).fetch_all(from).await.map_err(|error| unread(&error))?;
    for row in rows {
        let text = |column| row.try_get::<String, _>(column).map_err(|error| unread(&error));
        let tenant = text("tenant_id")?.parse().map(TenantId).map_err(|_| damaged("tenant_id"))?;
        let endpoint = text("endpoint_id")?.parse().map(EndpointId).map_err(|_| damaged("endpoint_id"))?;
        let secret: Vec<u8> = row.try_get("secret").map_err(|error| unread(&error))?;
        let place = secret_place(tenant, endpoint);
        if key.and_then(|key| sealed::open(key, &place, &secret)).is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn take_all(from: &mut SqliteConnection, into: &mut PgConnection) -> Result<(), Fault> {
    let mut columns = Vec::with_capacity(TABLES.len());
    for table in &TABLES {
        columns.push(columns_of(into, table.name).await?);
    }
    nothing_left_over(from, &columns).await?;
    take_server(from, into).await?;
    let tenants = sqlx::query_scalar::<_, String>("select tenant_id from tenant order by tenant_id");
    for tenant in tenants.fetch_all(&mut *from).await.map_err(|error| unread(&error))? {
        let id = tenant.parse().map(TenantId).map_err(|_| damaged("tenant_id"))?;
        directory::enter(into, id).await?;
        for (table, columns) in TABLES.iter().zip(&columns) {
            take_table(from, into, &tenant, table, columns).await?;
        }
        sqlx::query(include_str!("take_in/begin_due.sql")).bind(id.0).execute(&mut *into).await?;
        sqlx::query(include_str!("webhook/look_ahead.sql")).bind(id.0).execute(&mut *into).await?;
    }
    Ok(())
}

/// The columns of a table here, in order.
async fn columns_of(into: &mut PgConnection, table: &str) -> Result<Vec<Column>, Fault> {
    Ok(sqlx::query_as(include_str!("take_in/columns.sql")).bind(table).fetch_all(into).await?)
}

/// Every column of every table there has a place here.
async fn nothing_left_over(from: &mut SqliteConnection, columns: &[Vec<Column>]) -> Result<(), StorageError> {
    let mut taken: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (table, columns) in TABLES.iter().zip(columns) {
        taken.extend(columns.iter().map(|column| (table.from, column.name.as_str())));
    }
    let there: Vec<(String, String)> =
        sqlx::query_as(include_str!("take_in/there.sql")).fetch_all(from).await.map_err(|error| unread(&error))?;
    match there.iter().find(|(table, column)| !taken.contains(&(table.as_str(), column.as_str()))) {
        None => Ok(()),
        Some((table, column)) => Err(StorageError::Broken(format!("{table}.{column} has no place in PostgreSQL"))),
    }
}

/// What is of no tenant. Which key the nodes have, they agree on anew.
async fn take_server(from: &mut SqliteConnection, into: &mut PgConnection) -> Result<(), Fault> {
    let (epoch, horizon): (String, i64) = sqlx::query_as("select feed_epoch, purge_horizon from server")
        .fetch_one(from)
        .await
        .map_err(|error| unread(&error))?;
    sqlx::query(include_str!("take_in/server.sql")).bind(epoch).bind(horizon).execute(into).await?;
    Ok(())
}

async fn take_table(
    from: &mut SqliteConnection,
    into: &mut PgConnection,
    tenant: &str,
    table: &Table,
    columns: &[Column],
) -> Result<(), Fault> {
    let members: Vec<String> =
        columns.iter().map(|column| format!("'{}', {}", column.name, value_of(table, column))).collect();
    let read = format!("select json_object({}) from {} where tenant_id = ?1", members.join(", "), table.from);
    let names = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let (name, rows) = (table.name, "json_populate_recordset");
    let write = format!("insert into {name} ({names}) select {names} from {rows}(null::{name}, $1::json)");
    let mut stream = sqlx::query_scalar::<_, String>(AssertSqlSafe(read)).bind(tenant).fetch(from);
    let (mut held, mut count) = (String::new(), 0);
    loop {
        let row = stream.try_next().await.map_err(|error| unread(&error))?;
        let is_last = row.is_none();
        if let Some(row) = row {
            held.push(if count == 0 { '[' } else { ',' });
            held.push_str(&row);
            count += 1;
        }
        if count > 0 && (is_last || count == ROWS_AT_ONCE || held.len() >= BYTES_AT_ONCE) {
            held.push(']');
            let query = sqlx::query(AssertSqlSafe(write.clone())).persistent(false).bind(std::mem::take(&mut held));
            let written = query.execute(&mut *into).await.map_err(|error| refused(name, error))?.rows_affected();
            if written != count as u64 {
                return Err(StorageError::Broken(format!("{name}: {written} of {count} rows were taken")).into());
            }
            count = 0;
        }
        if is_last {
            return Ok(());
        }
    }
}

/// What SQLite gives for a column: as it is, but for what is another kind of value here.
fn value_of(table: &Table, column: &Column) -> String {
    let name = &column.name;
    match (table.name, name.as_str(), column.kind.as_str()) {
        // Streams that are open at the nodes of this database; there are none.
        ("tenant_head", "ended", _) => "0".to_owned(),
        (_, _, "bytea") => format!("iif({name} is null, null, '\\x' || hex({name}))"),
        (_, _, "text[]") => format!("json({name})"),
        _ => name.clone(),
    }
}

fn unread(error: &sqlx::Error) -> StorageError {
    StorageError::Broken(format!("the backup cannot be read: {error}"))
}

fn damaged(what: &str) -> StorageError {
    StorageError::Broken(format!("the backup has a {what} that is none"))
}

/// A row that is not taken says of which table it is; what met another transaction, or a server that goes away, is told
/// as always.
fn refused(table: &str, error: sqlx::Error) -> Fault {
    match Fault::from(error) {
        Fault::Storage(StorageError::Broken(cause)) => StorageError::Broken(format!("{table}: {cause}")).into(),
        fault => fault,
    }
}
