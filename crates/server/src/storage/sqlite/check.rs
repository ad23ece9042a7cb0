//! Whether what is stored is whole and can grow, and a consistent copy of it.

use std::path::Path;

use sqlx::{Row as _, SqliteConnection};

use crate::storage::sqlite::row::{get, integer};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, audit, private_file};
use crate::storage::{CheckReport, StorageError};

/// Each tells what is wrong with what its name says.
const FAULTS: [&str; 3] =
    [include_str!("check/feed.sql"), include_str!("check/commands.sql"), include_str!("check/people.sql")];

pub(super) async fn check(db: &Sqlite) -> Result<CheckReport, StorageError> {
    // One transaction, so that a running server cannot commit between two looks.
    let mut tx = db.readers.begin().await.map_err(fault)?;
    let report = report(&mut tx).await?;
    tx.rollback().await.map_err(fault)?;
    Ok(report)
}

/// What is found in a transaction that is under way.
pub(super) async fn report(tx: &mut SqliteConnection) -> Result<CheckReport, StorageError> {
    let mut report = CheckReport::default();
    for row in sqlx::query("pragma integrity_check").fetch_all(&mut *tx).await.map_err(fault)? {
        let line: String = row.try_get(0).map_err(fault)?;
        if line != "ok" {
            report.faults.push(line);
        }
    }
    for row in sqlx::query("pragma foreign_key_check").fetch_all(&mut *tx).await.map_err(fault)? {
        let table: String = row.try_get(0).map_err(fault)?;
        report.faults.push(format!("a row of {table} refers to nothing"));
    }
    for sql in FAULTS {
        for row in sqlx::query(sql).fetch_all(&mut *tx).await.map_err(fault)? {
            let (slug, words): (String, String) = (row.try_get(0).map_err(fault)?, row.try_get(1).map_err(fault)?);
            report.faults.push(format!("tenant {slug}: {words}"));
        }
    }
    report.faults.extend(audit::breaks(&mut *tx).await?);
    for row in sqlx::query(include_str!("check/warnings.sql")).fetch_all(&mut *tx).await.map_err(fault)? {
        report.warnings.push(row.try_get(0).map_err(fault)?);
    }
    for row in sqlx::query(include_str!("check/counts.sql")).fetch_all(&mut *tx).await.map_err(fault)? {
        report.counts.push((get(&row, "what")?, integer(&row, "number")?));
    }
    Ok(report)
}

pub(super) async fn try_write(db: &Sqlite) -> Result<(), StorageError> {
    let work = db.writer.run(|connection| {
        Box::pin(async move {
            let query = sqlx::raw_sql(include_str!("check/try_write.sql"));
            query.execute(connection).await.map(|_| ()).map_err(fault)
        })
    });
    work.await
}

/// Writes the copy under another name first: whatever has the name of `file` is whole.
pub(super) async fn backup(db: &Sqlite, file: &Path) -> Result<(), StorageError> {
    let cannot = |error: std::io::Error| StorageError::Unavailable(format!("{}: {error}", file.display()));
    let draft = private_file::draft_of(file);
    private_file::make(&draft).map_err(cannot)?;
    let copied = match copy(db, &draft).await {
        Ok(()) => private_file::put(&draft, file).map_err(cannot),
        Err(error) => Err(error),
    };
    if copied.is_err() {
        // It is of no use; that it could not be removed either changes nothing about that.
        let _ = std::fs::remove_file(&draft);
    }
    copied
}

async fn copy(db: &Sqlite, file: &Path) -> Result<(), StorageError> {
    let file = file.to_str().ok_or_else(|| StorageError::Broken("the file's name is not text".to_owned()))?;
    let mut connection = db.readers.acquire().await.map_err(fault)?;
    // Only the copy is written; this connection is otherwise read-only.
    sqlx::query("pragma query_only = off").execute(&mut *connection).await.map_err(fault)?;
    let copied = sqlx::query("vacuum into ?1").bind(file).execute(&mut *connection).await.map_err(fault);
    sqlx::query("pragma query_only = on").execute(&mut *connection).await.map_err(fault)?;
    copied.map(|_| ())
}
