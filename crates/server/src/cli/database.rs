//! Which database is meant, and opening it.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Failure;
use crate::storage::Storage;
use crate::storage::postgres::{Place, Postgres};
use crate::storage::sqlite::Sqlite;

/// What `--database` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Database {
    /// One file of this computer, served by one process.
    Sqlite(PathBuf),
    /// A database that several nodes share.
    Postgres {
        /// With what it needs to get in.
        url: String,
        /// Without.
        place: Place,
    },
}

impl Database {
    /// Reads `sqlite:PATH` or `postgres://…`.
    pub(super) fn named(url: &str) -> Result<Self, Failure> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            let place = Place::of(url).map_err(|error| Failure::Usage(error.to_string()))?;
            return Ok(Self::Postgres { url: url.to_owned(), place });
        }
        let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or("");
        if path.is_empty() || path == ":memory:" {
            return Err(Failure::Usage(format!("--database {url:?} is not sqlite:PATH or postgres://…")));
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }

    /// Opens it; a file is made if it is not there.
    pub(super) async fn open(&self) -> Result<Arc<dyn Storage>, Failure> {
        match self {
            Self::Sqlite(path) => Ok(Arc::new(Sqlite::open(path).await?)),
            Self::Postgres { url, .. } => Ok(Arc::new(Postgres::open(url).await?)),
        }
    }

    /// Opens it, if it is there: for commands that only make sense on what exists.
    pub(super) async fn open_existing(&self) -> Result<Arc<dyn Storage>, Failure> {
        match self {
            Self::Sqlite(path) if !path.exists() => Err(Failure::Data(format!("there is no database {self}"))),
            _ => self.open().await,
        }
    }

    /// Where the server key is kept, unless somebody says otherwise. Nodes that share a database share the key.
    pub(super) fn key_path(&self) -> PathBuf {
        match self {
            Self::Sqlite(path) => beside(path, "key"),
            Self::Postgres { .. } => PathBuf::from("onceover.key"),
        }
    }

    /// Takes the database for this process alone, if it is of that kind; the system lets go of it when the process
    /// ends, however it ends.
    pub(super) fn lock(&self) -> Result<Option<File>, Failure> {
        let Self::Sqlite(path) = self else { return Ok(None) };
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
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres { place, .. } => place.fmt(f),
        }
    }
}

/// A file beside the database: `<db>.key`, `<db>.lock`.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}
