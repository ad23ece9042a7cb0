//! Connections, and the settings without which "saved" would not mean saved: set, read back, checked.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection};

use super::error;
use super::open::OpenError;

/// Earlier versions can corrupt a database when its WAL is reset.
const SQLITE_LEAST: (u32, u32, u32) = (3, 51, 3);
/// The WAL file is cut back to this after a checkpoint.
const WAL_BYTES_MAX: i64 = 64 << 20;
/// How long a connection waits for another one's lock.
const BUSY_MS: i64 = 5_000;
/// Reads are short; more at once would only wait for the disk.
const READERS_MAX: u32 = 4;

/// Settings that are read back after opening, with what they must be.
const SETTINGS: [(&str, i64); 5] = [
    ("synchronous", 2),
    ("foreign_keys", 1),
    ("busy_timeout", BUSY_MS),
    ("journal_size_limit", WAL_BYTES_MAX),
    ("secure_delete", 1),
];

fn options(path: &Path) -> SqliteConnectOptions {
    let busy = Duration::from_millis(BUSY_MS.unsigned_abs());
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(busy)
        .foreign_keys(true)
        .statement_cache_capacity(200)
        .disable_statement_logging()
}

/// The one writing connection. On macOS only the full barrier survives a power loss.
pub(super) async fn writing(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    options(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", WAL_BYTES_MAX.to_string())
        .pragma("cache_size", "-65536")
        .pragma("cell_size_check", "1")
        // What was taken away, such as the text of a redacted note, leaves no trace in the pages of the file.
        .pragma("secure_delete", "on")
        .pragma("fullfsync", "1")
        .pragma("checkpoint_fullfsync", "1")
        .connect()
        .await
}

/// One connection that cannot write.
pub(super) async fn reading(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    options(path).read_only(true).connect().await
}

/// The pool of connections that cannot write; none is opened before the first read.
pub(super) fn readers(path: &Path) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(READERS_MAX)
        .acquire_timeout(Duration::from_secs(30))
        .test_before_acquire(false)
        .connect_lazy_with(options(path).read_only(true))
}

/// Checks the library's version.
pub(super) async fn check_version(db: &mut SqliteConnection) -> Result<(), OpenError> {
    let found: String = sqlx::query_scalar("select sqlite_version()").fetch_one(db).await.map_err(error::of)?;
    if is_new_enough(&found) { Ok(()) } else { Err(OpenError::SqliteTooOld { found }) }
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next()) >= SQLITE_LEAST
}

/// Checks that each setting of a writing connection is what it must be.
pub(super) async fn check_settings(db: &mut SqliteConnection) -> Result<(), OpenError> {
    let mode: String = sqlx::query_scalar("pragma journal_mode").fetch_one(&mut *db).await.map_err(error::of)?;
    if mode != "wal" {
        return Err(OpenError::Setting { name: "journal_mode", found: mode });
    }
    for (name, wanted) in SETTINGS {
        let question = sqlx::AssertSqlSafe(format!("pragma {name}"));
        let found: i64 = sqlx::query_scalar(question).fetch_one(&mut *db).await.map_err(error::of)?;
        if found != wanted {
            return Err(OpenError::Setting { name, found: found.to_string() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_with_the_wal_reset_fault_are_refused() {
        for good in ["3.51.3", "3.52.0", "3.100.1", "4.0.0"] {
            assert!(is_new_enough(good), "{good}");
        }
        for bad in ["3.51.2", "3.9.99", "", "x"] {
            assert!(!is_new_enough(bad), "{bad}");
        }
    }

    #[tokio::test]
    async fn the_library_we_are_built_with_is_new_enough_and_a_wrong_setting_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let mut db = writing(&path).await.unwrap();
        check_version(&mut db).await.unwrap();
        check_settings(&mut db).await.unwrap();
        sqlx::query("pragma synchronous = normal").execute(&mut db).await.unwrap();
        let error = check_settings(&mut db).await.unwrap_err();
        assert!(matches!(error, OpenError::Setting { name: "synchronous", .. }), "{error}");
    }
}
