//! A look at a store's file from outside, for `onceover doctor`: nothing is changed, and a damaged file is no error.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

/// What the database library and a store's file say of themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreCheckup {
    /// The library's version.
    pub sqlite_version: String,
    /// `wal` in a store of ours.
    pub journal_mode: String,
    /// The newest migration that was run; 0 if none was.
    pub schema_version: i64,
    /// `ok`, or the first things that are wrong.
    pub integrity: String,
}

/// The library's version, without any file.
pub async fn sqlite_version() -> Result<String, String> {
    let mut db = SqliteConnection::connect("sqlite::memory:").await.map_err(|error| error.to_string())?;
    ask(&mut db, "select sqlite_version()").await
}

/// Looks at the store in `path` as a whole; takes a while for a large one.
///
/// # Errors
/// What the database said, if it is none or cannot be read.
pub async fn store_checkup(path: &Path) -> Result<StoreCheckup, String> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut db = options.connect().await.map_err(|error| error.to_string())?;
    let checkup = StoreCheckup {
        sqlite_version: ask(&mut db, "select sqlite_version()").await?,
        journal_mode: ask(&mut db, "pragma journal_mode").await?,
        integrity: ask(&mut db, "pragma integrity_check(3)").await?,
        schema_version: sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations")
            .fetch_one(&mut db)
            .await
            .map_err(|error| error.to_string())?,
    };
    let _ = db.close().await;
    Ok(checkup)
}

async fn ask(db: &mut SqliteConnection, question: &'static str) -> Result<String, String> {
    sqlx::query_scalar(question).fetch_one(db).await.map_err(|error| error.to_string())
}
