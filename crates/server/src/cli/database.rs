//! Which database is meant, and opening it.

use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::storage::sqlite::Sqlite;

/// The file that `--database` names.
pub(super) fn path(url: &str) -> Result<PathBuf, Failure> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Err(Failure::Usage("this build keeps its data in SQLite: use sqlite:PATH".to_owned()));
    }
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or("");
    if path.is_empty() || path == ":memory:" {
        return Err(Failure::Usage(format!("--database {url:?} is not sqlite:PATH")));
    }
    Ok(PathBuf::from(path))
}

/// A file beside the database: `<db>.key`, `<db>.lock`.
pub(super) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Opens it, making it if it is not there.
pub(super) async fn open(path: &Path) -> Result<Sqlite, Failure> {
    Ok(Sqlite::open(path).await?)
}

/// Opens it, if it is there: for commands that only make sense on what exists.
pub(super) async fn open_existing(path: &Path) -> Result<Sqlite, Failure> {
    if path.exists() {
        open(path).await
    } else {
        Err(Failure::Data(format!("there is no database {}", path.display())))
    }
}
