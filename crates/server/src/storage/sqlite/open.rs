//! Opens the database file: version and pragmas asserted, schema brought up to date, never down.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use crate::metrics;
use crate::storage::StorageError;
use crate::storage::sqlite::groups::Groups;
use crate::storage::sqlite::writer::{Writer, fault};
use crate::storage::sqlite::{audit, private_file};

static MIGRATOR: Migrator = sqlx::migrate!("migrations/sqlite");
/// Earlier ones can lose writes when the WAL is reset.
const SQLITE_VERSION_LEAST: i64 = 3_051_003;

/// One database file, open.
#[derive(Debug)]
pub struct Sqlite {
    pub(super) writer: Writer,
    pub(super) groups: Groups,
    pub(super) readers: SqlitePool,
    /// The connection that looks for commits of other processes.
    pub(super) watcher: Mutex<Option<SqliteConnection>>,
}

/// Why a database cannot be used. Each says it in words for an administrator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be made or opened.
    #[error("cannot open the database {path}: {cause}")]
    Cannot {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        cause: String,
    },
    /// It is something else.
    #[error("{0} is not an Onceover database")]
    NotOurs(PathBuf),
    /// A newer program wrote it.
    #[error("{path} has schema {found}, this program knows {known}: use the newer onceover-server")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The library this was built with has a fault that loses writes.
    #[error("SQLite {0} is too old; 3.51.3 or later is needed")]
    OldLibrary(String),
}

impl Sqlite {
    /// Opens the file, making it if it is not there, and brings its schema up to date.
    ///
    /// # Errors
    /// See [`OpenError`]; nothing was changed then.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        private_file::make(path).map_err(|error| cannot(path, error))?;
        let options = options(path)?;
        let connection = up_to_date(path, &options).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(8)
            .acquire_timeout(Duration::from_secs(5))
            .connect_lazy_with(options.clone().read_only(true).pragma("query_only", "on"));
        let turn = Arc::new(Mutex::new(()));
        let groups = Groups::start(path, Arc::clone(&turn)).map_err(|error| cannot(path, error))?;
        Ok(Self { writer: Writer::start(connection, options, turn), groups, readers, watcher: Mutex::new(None) })
    }

    /// A connection that reads, for what every request does; how long it was waited for is counted.
    pub(super) async fn reader(&self) -> Result<PoolConnection<sqlx::Sqlite>, StorageError> {
        let asked = Instant::now();
        let connection = self.readers.acquire().await;
        metrics::pool_wait("readers", asked.elapsed());
        connection.map_err(fault)
    }
}

/// A connection that writes, to a file whose schema is up to date.
pub(super) async fn up_to_date(path: &Path, options: &SqliteConnectOptions) -> Result<SqliteConnection, OpenError> {
    let mut connection = options.connect().await.map_err(|error| cannot(path, error))?;
    assert_library(&mut connection, path).await?;
    migrate(&mut connection, path).await?;
    Ok(connection)
}

pub(super) fn options(path: &Path) -> Result<SqliteConnectOptions, OpenError> {
    let options = SqliteConnectOptions::from_str("sqlite:").map_err(|error| cannot(path, error))?;
    Ok(options
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("journal_size_limit", "67108864")
        // What was taken away, such as the text of a redacted note, leaves no trace in the pages of the file.
        .pragma("secure_delete", "on")
        .disable_statement_logging())
}

fn cannot(path: &Path, error: impl std::fmt::Display) -> OpenError {
    let cause = error.to_string();
    if cause.contains("(code: 26)") {
        return OpenError::NotOurs(path.to_owned());
    }
    OpenError::Cannot { path: path.to_owned(), cause }
}

async fn assert_library(connection: &mut SqliteConnection, path: &Path) -> Result<(), OpenError> {
    let row = sqlx::query("select sqlite_version()").fetch_one(connection).await;
    let text: String = row.and_then(|row| row.try_get(0)).map_err(|error| cannot(path, error))?;
    let mut parts = text.split('.').map(|part| part.parse::<i64>().unwrap_or(0));
    let number = parts.by_ref().take(3).fold(0, |number, part| number * 1000 + part);
    if number < SQLITE_VERSION_LEAST { Err(OpenError::OldLibrary(text)) } else { Ok(()) }
}

async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), OpenError> {
    let known = MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or(0);
    let tables = count(connection, "select count(*) from sqlite_schema").await.map_err(|error| cannot(path, error))?;
    if tables > 0 {
        let applied = count(connection, "select max(version) from _sqlx_migrations").await;
        let found = applied.map_err(|_| OpenError::NotOurs(path.to_owned()))?;
        if found > known {
            return Err(OpenError::Newer { path: path.to_owned(), found, known });
        }
        count(connection, "select count(*) from server").await.map_err(|_| OpenError::NotOurs(path.to_owned()))?;
        if found == known {
            return link_audit(connection).await.map_err(|error| cannot(path, error));
        }
    }
    MIGRATOR.run(&mut *connection).await.map_err(|error| cannot(path, error))?;
    link_audit(connection).await.map_err(|error| cannot(path, error))
}

/// In one transaction; if this is not reached, the next start does it.
async fn link_audit(connection: &mut SqliteConnection) -> anyhow::Result<()> {
    let mut tx = connection.begin().await?;
    audit::link(&mut tx).await?;
    Ok(tx.commit().await?)
}

async fn count(connection: &mut SqliteConnection, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query(sql).fetch_one(connection).await?.try_get(0)
}

/// Opens the one connection that writes, again.
pub(super) async fn reopen(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = options.connect().await?;
    connection.ping().await?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Row as _};

    use super::*;

    /// What runs with every command, page or look-up must find its rows by more than the tenant.
    #[tokio::test]
    async fn no_frequent_query_reads_a_whole_tenant() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Sqlite::open(&folder.path().join("server.db")).await.unwrap();
        let mut connection = db.readers.acquire().await.unwrap();
        for (name, sql) in [
            ("record", include_str!("load/record.sql")),
            ("load session", include_str!("load/session.sql")),
            ("actor", include_str!("load/actor.sql")),
            ("roles", include_str!("load/roles.sql")),
            ("entity", include_str!("load/entity.sql")),
            ("member", include_str!("load/member.sql")),
            ("external id", include_str!("load/external_id.sql")),
            ("records", include_str!("operation/records.sql")),
            ("sizes", include_str!("feed/sizes.sql")),
            ("changes", include_str!("feed/changes.sql")),
            ("session", include_str!("session/get.sql")),
            ("use", include_str!("session/use.sql")),
            ("receipts", include_str!("keep/receipts.sql")),
            ("reduce", include_str!("keep/reduce.sql")),
            ("forgotten", include_str!("keep/records.sql")),
            ("notifications", include_str!("keep/notifications.sql")),
            ("tombstones", include_str!("keep/tombstones.sql")),
            ("endpoint", include_str!("webhook/endpoint.sql")),
            ("claim", include_str!("webhook/claim.sql")),
            ("settle", include_str!("webhook/settle.sql")),
        ] {
            let explain = AssertSqlSafe(format!("explain query plan {sql}"));
            for row in sqlx::query(explain).fetch_all(&mut *connection).await.unwrap() {
                let step: String = row.get("detail");
                let is_narrow = |step: &str| step.contains(" AND ") || step.contains("SEARCH tenant");
                let reads_all = step.starts_with("SCAN") && !step.contains("json_each") && !step.contains("wanted");
                assert!(!reads_all && (!step.starts_with("SEARCH") || is_narrow(&step)), "{name}: {step}");
            }
        }
    }

    /// A database at schema `version`.
    async fn old(path: &Path, version: i64) -> SqliteConnection {
        private_file::make(path).unwrap();
        let mut old = options(path).unwrap().connect().await.unwrap();
        let mut known = sqlx::migrate!("migrations/sqlite");
        known.migrations = known.migrations.iter().filter(|known| known.version <= version).cloned().collect();
        known.run(&mut old).await.unwrap();
        old
    }

    /// Entries from before there was a chain are in it afterwards, in their order, and cannot be changed any more.
    #[tokio::test]
    async fn an_audit_without_hashes_is_linked() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("server.db");
        let mut old = old(&path, 2).await;
        let rows = "insert into tenant (tenant_id, slug, name, created_at) values ('t', 'acme', 'Acme', 0);
            insert into audit values ('t', 'b', 'c2', 'k2', 'a', 'case', 'x', 'tag.add', 1, 2, 'committed', null,
                                      'current', 1, 1, 'r', 5),
                                     ('t', 'a', 'c1', 'k1', 'a', 'case', 'x', 'tag.add', null, null, 'rejected',
                                      'forbidden', null, 1, 1, 'r', 4)";
        sqlx::raw_sql(rows).execute(&mut old).await.unwrap();
        old.close().await.unwrap();
        drop(Sqlite::open(&path).await.unwrap());
        let mut linked = options(&path).unwrap().connect().await.unwrap();
        assert_eq!(audit::breaks(&mut linked).await.unwrap(), Vec::<String>::new());
        let first = sqlx::query("select command_id, hash from audit where seq = 1").fetch_one(&mut linked).await;
        assert_eq!(first.unwrap().get::<String, _>("command_id"), "c1");
        assert!(
            sqlx::raw_sql("update audit set result = 'conflict' where seq = 2").execute(&mut linked).await.is_err()
        );
        assert!(sqlx::raw_sql("delete from audit where seq = 2").execute(&mut linked).await.is_err());
        sqlx::raw_sql("drop trigger audit_is_append_only; update audit set result = 'rejected' where seq = 2")
            .execute(&mut linked)
            .await
            .unwrap();
        assert_eq!(audit::breaks(&mut linked).await.unwrap(), ["tenant acme: audit entry 2 is not what was written"]);
    }

    /// A database of the version before knows of each family only when its last token was used.
    #[tokio::test]
    async fn the_last_refresh_before_the_schema_changed_is_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("server.db");
        let mut old = old(&path, 1).await;
        let rows = "insert into tenant (tenant_id, slug, name, created_at) values ('t', 'acme', 'Acme', 0);
            insert into actor (tenant_id, actor_id, username, display_name, role, password_hash, disabled,
                               session_version, revision, created_at)
            values ('t', 'a', 'ana', 'Ana', 'officer', '!', 0, 1, 1, 0);
            insert into session (tenant_id, session_id, actor_id, session_version, device_id, device_name,
                                 refresh_count, refresh_hash, rotated_at, created_at)
            values ('t', 'new', 'a', 1, 'd', 'D', 0, 'h', 5, 5), ('t', 'used', 'a', 1, 'd', 'D', 3, 'h', 7, 5)";
        sqlx::raw_sql(rows).execute(&mut old).await.unwrap();
        old.close().await.unwrap();
        let db = Sqlite::open(&path).await.unwrap();
        let uses = sqlx::query("select session_id, refresh_count, used_at from refresh_use");
        let uses = uses.fetch_all(&db.readers).await.unwrap();
        let uses: Vec<(String, i64, i64)> = uses.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        assert_eq!(uses, [("used".to_owned(), 2, 7)]);
    }

    /// An endpoint from before there was rotation has the secret it had, and no former one.
    #[tokio::test]
    async fn an_endpoint_that_never_had_another_secret_is_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("server.db");
        let mut old = old(&path, 6).await;
        let rows = "insert into tenant (tenant_id, slug, name, created_at)
            values ('0197f3c2-5a10-7000-8000-000000000001', 'acme', 'Acme', 0);
            insert into webhook_endpoint (tenant_id, endpoint_id, sink, url, secret, events, allow_private, created_at)
            values ('0197f3c2-5a10-7000-8000-000000000001', '0197f3c2-5a10-7000-8000-000000000002', 'http',
                    'https://example.org/', x'01', '[]', 0, 0)";
        sqlx::raw_sql(rows).execute(&mut old).await.unwrap();
        old.close().await.unwrap();
        let db = Sqlite::open(&path).await.unwrap();
        let kept = sqlx::query("select secret, former_secret, former_until from webhook_endpoint");
        let kept = kept.fetch_one(&db.readers).await.unwrap();
        assert_eq!(kept.get::<Vec<u8>, _>("secret"), [1]);
        assert!(kept.get::<Option<Vec<u8>>, _>("former_secret").is_none());
        assert!(kept.get::<Option<i64>, _>("former_until").is_none());
    }
}
