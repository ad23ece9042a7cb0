//! Which database is meant, and opening it.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Failure;
use crate::config::Config;
use crate::key_file::ServerKey;
use crate::storage::Storage;
use crate::storage::postgres::{Place, Postgres};
use crate::storage::sqlite::Sqlite;

/// What `--database` names, and the key that belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Database {
    pub(super) kind: Kind,
    key_file: PathBuf,
}

/// The kinds of databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// One file of this computer, served by one process.
    Sqlite(PathBuf),
    /// A database that several nodes share.
    Postgres {
        /// With what it needs to get in.
        url: String,
        /// Without.
        place: Place,
        /// Of this node, at most.
        connections: usize,
    },
}

impl Database {
    /// Reads `sqlite:PATH` or `postgres://…`.
    pub(super) fn of(config: &Config) -> Result<Self, Failure> {
        let url = config.database.0.as_str();
        let kind = if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            let place = Place::of(url).map_err(|error| Failure::Usage(error.to_string()))?;
            Kind::Postgres { url: url.to_owned(), place, connections: config.database_connections.count() }
        } else {
            let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or("");
            if path.is_empty() || path == ":memory:" {
                return Err(Failure::Usage(format!("--database {url:?} is not sqlite:PATH or postgres://…")));
            }
            Kind::Sqlite(PathBuf::from(path))
        };
        let beside = match &kind {
            Kind::Sqlite(path) => beside(path, "key"),
            Kind::Postgres { .. } => PathBuf::from("onceover.key"),
        };
        let key_file = config.key_file.0.as_ref().map_or(beside, PathBuf::from);
        Ok(Self { kind, key_file })
    }

    /// Opens it; a file is made if it is not there.
    pub(super) async fn open(&self) -> Result<Arc<dyn Storage>, Failure> {
        match &self.kind {
            Kind::Sqlite(path) => Ok(Arc::new(Sqlite::open(path).await?)),
            Kind::Postgres { url, connections, .. } => Ok(Arc::new(Postgres::open(url, *connections).await?)),
        }
    }

    /// Opens it, if it is there: for commands that only make sense on what exists.
    pub(super) async fn open_existing(&self) -> Result<Arc<dyn Storage>, Failure> {
        match &self.kind {
            Kind::Sqlite(path) if !path.exists() => Err(Failure::Data(format!("there is no database {self}"))),
            _ => self.open().await,
        }
    }

    /// Where the server key is looked for, and the key if it is there; none is made.
    pub(super) fn key_if_there(&self) -> Result<(&Path, Option<ServerKey>), Failure> {
        let path = self.key_file.as_path();
        let read = path.exists().then(|| ServerKey::at(path)).transpose();
        let key = read.map_err(|error| Failure::Storage(format!("cannot use the key {}: {error}", path.display())))?;
        Ok((path, key))
    }

    /// The server key, made if there is none; refused if other nodes serve this database with another one.
    pub(super) async fn key(&self, storage: &dyn Storage) -> Result<ServerKey, Failure> {
        let path = self.key_file.display();
        let key = ServerKey::at(&self.key_file)
            .map_err(|error| Failure::Storage(format!("cannot use the key {path}: {error}")))?;
        if storage.agrees_on_key(&key.fingerprint()).await? {
            return Ok(key);
        }
        Err(Failure::Storage(format!(
            "the key {path} is not the one that {self} is served with: copy that one from another node, or say where \
             it is (ONCEOVER_KEY_FILE); if it is lost, run `onceover-server new-epoch`, after which everybody signs in \
             again"
        )))
    }

    /// Takes the database for this process alone, if it is of that kind; the system lets go of it when the process
    /// ends, however it ends.
    pub(super) fn lock(&self) -> Result<Option<File>, Failure> {
        let Kind::Sqlite(path) = &self.kind else { return Ok(None) };
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
        match &self.kind {
            Kind::Sqlite(path) => path.display().fmt(f),
            Kind::Postgres { place, .. } => place.fmt(f),
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
