//! Which database is meant, and opening it.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Failure;
use crate::storage::Storage;
use crate::storage::sqlite::Sqlite;

/// What `--database` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Database {
    /// One file of this computer, served by one process.
    Sqlite(PathBuf),
}

impl Database {
    /// Reads `sqlite:PATH` or `postgres://…`.
    pub(super) fn named(url: &str) -> Result<Self, Failure> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Err(Failure::Usage("this build keeps its data in SQLite: use sqlite:PATH".to_owned()));
        }
        let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or("");
        if path.is_empty() || path == ":memory:" {
            return Err(Failure::Usage(format!("--database {url:?} is not sqlite:PATH")));
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }

    /// Opens it, making it if it is not there.
    pub(super) async fn open(&self) -> Result<Arc<dyn Storage>, Failure> {
        let Self::Sqlite(path) = self;
        Ok(Arc::new(Sqlite::open(path).await?))
    }

    /// Opens it, if it is there: for commands that only make sense on what exists.
    pub(super) async fn open_existing(&self) -> Result<Arc<dyn Storage>, Failure> {
        let Self::Sqlite(path) = self;
        if path.exists() { self.open().await } else { Err(Failure::Data(format!("there is no database {self}"))) }
    }

    /// Where the server key is kept, unless somebody says otherwise.
    pub(super) fn key_path(&self) -> PathBuf {
        let Self::Sqlite(path) = self;
        beside(path, "key")
    }

    /// Takes the database for this process alone, if it is of that kind; the system lets go of it when the process
    /// ends, however it ends.
    pub(super) fn lock(&self) -> Result<Option<File>, Failure> {
        let Self::Sqlite(path) = self;
        let lock_path = beside(path, "lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let file = file.map_err(|error| Failure::Storage(format!("cannot make {}: {error}", lock_path.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::InUse(format!("another onceover-server already serves {self}")))
            }
            Err(TryLockError::Error(error)) => {
                Err(Failure::Storage(format!("cannot lock {}: {error}", lock_path.display())))
            }
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Sqlite(path) = self;
        path.display().fmt(f)
    }
}

/// A file beside the database: `<db>.key`, `<db>.lock`.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}
