//! Puts a backup in the place of a database: checked first, made ready beside it, and given its name in one step, so
//! that whatever happens meanwhile, what has the name is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use domain::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqliteConnection};

use crate::storage::StorageError;
use crate::storage::sqlite::open::{OpenError, options, up_to_date};
use crate::storage::sqlite::private_file::{beside, draft_of, make, put};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{check, keep};

/// What belongs to a database beside its file.
const JOURNALS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why nothing was restored. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The file is no backup of this program's.
    #[error("{0} is not a backup: {1}")]
    NotABackup(PathBuf, String),
    /// What is in it is not whole.
    #[error("the backup {0} is not whole: {1}")]
    NotWhole(PathBuf, String),
    /// There is something that would be lost.
    #[error("{0} holds data already; with --force it is set aside")]
    HasData(PathBuf),
    /// Some other program has the database open.
    #[error("{0} is in use by another program; end that first")]
    InUse(PathBuf),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// The database cannot be written.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What was restored.
#[derive(Debug)]
pub struct Restored {
    /// The feed's epoch from now on.
    pub epoch: String,
    /// Where what was there before is now.
    pub set_aside: Option<PathBuf>,
}

/// Puts the backup `file` in the place of the database `target`, which nobody serves. What is there is replaced only
/// if `is_forced`, and then kept under another name.
///
/// # Errors
/// See [`RestoreError`].
pub async fn restore(file: &Path, target: &Path, is_forced: bool, now: Timestamp) -> Result<Restored, RestoreError> {
    let is_same = fs::canonicalize(file).ok().is_some_and(|file| fs::canonicalize(target).ok() == Some(file));
    if is_same {
        return Err(RestoreError::NotABackup(file.to_owned(), "it is the database itself".to_owned()));
    }
    if !is_forced && has_data(target).await {
        return Err(RestoreError::HasData(target.to_owned()));
    }
    let ready = Ready::made(file, draft_of(target), now).await?;
    // Once it has its name, nothing is left to be removed.
    let set_aside = replace(&ready.draft, target).await?;
    Ok(Restored { epoch: ready.epoch.clone(), set_aside })
}

/// A copy of a backup that is whole, of this program's schema, in an epoch of its own. It goes with this value.
pub(in crate::storage) struct Ready {
    draft: PathBuf,
    epoch: String,
}

impl Ready {
    /// Of the backup `file`, beside it.
    pub(in crate::storage) async fn made_of(file: &Path, now: Timestamp) -> Result<Self, RestoreError> {
        Self::made(file, draft_of(file), now).await
    }

    async fn made(file: &Path, draft: PathBuf, now: Timestamp) -> Result<Self, RestoreError> {
        let mut ready = Self { draft, epoch: String::new() };
        ready.epoch = prepare(file, &ready.draft, now).await?;
        Ok(ready)
    }

    pub(in crate::storage) fn path(&self) -> &Path {
        &self.draft
    }

    pub(in crate::storage) fn epoch(&self) -> &str {
        &self.epoch
    }

    pub(in crate::storage) async fn connect(&self) -> Result<SqliteConnection, StorageError> {
        Self::connect_to(&self.draft).await
    }

    /// The same, by its path.
    pub(in crate::storage) async fn connect_to(path: &Path) -> Result<SqliteConnection, StorageError> {
        let options = options(path).map_err(|error| StorageError::Broken(error.to_string()))?;
        options.connect().await.map_err(fault)
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        for ending in [""].into_iter().chain(JOURNALS) {
            // It has no use any more, and may not have been made.
            let _ = fs::remove_file(beside(&self.draft, ending));
        }
    }
}

/// Makes `draft` of the backup: a copy that is whole, of this program's schema, in an epoch of its own.
async fn prepare(file: &Path, draft: &Path, now: Timestamp) -> Result<String, RestoreError> {
    let not_a_backup = |cause: String| RestoreError::NotABackup(file.to_owned(), cause);
    if fs::metadata(beside(file, "-wal")).is_ok_and(|journal| journal.len() > 0) {
        let cause = "commits of it lie in the file beside it (-wal); make one with `onceover-server backup`";
        return Err(not_a_backup(cause.to_owned()));
    }
    let unreadable = |error| RestoreError::File(file.to_owned(), error);
    if fs::metadata(file).map_err(unreadable)?.len() == 0 {
        return Err(not_a_backup("it is empty".to_owned()));
    }
    make(draft).and_then(|()| fs::copy(file, draft)).map_err(|error| RestoreError::File(draft.to_owned(), error))?;
    let opened = up_to_date(draft, &options(draft).map_err(|error| not_a_backup(error.to_string()))?).await;
    let mut connection = opened.map_err(|error| match error {
        OpenError::NotOurs(_) => not_a_backup("it is not an Onceover database".to_owned()),
        OpenError::Newer { found, known, .. } => {
            not_a_backup(format!("it has schema {found}, this program knows {known}: use the newer onceover-server"))
        }
        OpenError::Cannot { cause, .. } | OpenError::OldLibrary(cause) => not_a_backup(cause),
    })?;
    let report = check::report(&mut connection).await.map_err(|error| match error {
        StorageError::Broken(cause) => RestoreError::NotWhole(file.to_owned(), cause),
        other => other.into(),
    })?;
    if let Some(first) = report.faults.first() {
        let cause = format!("{first} ({} faults in all; `onceover-server check` lists them)", report.faults.len());
        return Err(RestoreError::NotWhole(file.to_owned(), cause));
    }
    let mut tx = connection.begin().await.map_err(fault)?;
    let epoch = keep::new_epoch(&mut tx, now).await?;
    tx.commit().await.map_err(fault)?;
    // One file, with nothing beside it: a name is given to one file at a time.
    sqlx::query("pragma journal_mode = delete").execute(&mut connection).await.map_err(fault)?;
    connection.close().await.map_err(fault)?;
    Ok(epoch)
}

/// Whether there is anything at `target` that somebody may miss. What cannot be read may be.
async fn has_data(target: &Path) -> bool {
    if fs::metadata(target).map_or(true, |file| file.len() == 0) {
        return false;
    }
    let count = async {
        let mut connection = options(target).ok()?.read_only(true).connect().await.ok()?;
        let row = sqlx::query("select count(*) from tenant").fetch_one(&mut connection).await.ok()?;
        connection.close().await.ok()?;
        row.try_get::<i64, _>(0).ok()
    };
    count.await != Some(0)
}

/// Gives `draft` the name of `target`; what has it now gets another one.
async fn replace(draft: &Path, target: &Path) -> Result<Option<PathBuf>, RestoreError> {
    let file = |error| RestoreError::File(target.to_owned(), error);
    let aside = beside(target, &format!(".replaced-{}", uuid::Uuid::now_v7()));
    let is_there = target.exists();
    // Held until the other file has the name, so that nobody begins to write into the one that loses it.
    let held = if is_there { quiet(target).await? } else { None };
    if is_there {
        fs::hard_link(target, &aside).map_err(file)?;
    }
    // What is left of a journal would be taken for the new file's.
    for ending in JOURNALS {
        match fs::rename(beside(target, ending), beside(&aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(file(error)),
            _ => {}
        }
    }
    put(draft, target).map_err(file)?;
    if let Some(held) = held {
        held.close().await.map_err(fault)?;
    }
    Ok(is_there.then_some(aside))
}

/// Takes what is at `target` for this process alone, with everything in the one file. `None`: it is damaged, or no
/// database at all, and is set aside as it is.
async fn quiet(target: &Path) -> Result<Option<SqliteConnection>, RestoreError> {
    let Ok(options) = options(target) else { return Ok(None) };
    let in_use = |error: &sqlx::Error| {
        let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
        matches!(code.map(|code| code & 0xff), Some(5 | 6))
    };
    let taken = async {
        let mut connection = options.connect().await?;
        sqlx::query("pragma journal_mode = delete").execute(&mut connection).await?;
        sqlx::query("begin exclusive").execute(&mut connection).await?;
        Ok::<_, sqlx::Error>(connection)
    };
    match taken.await {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if in_use(&error) => Err(RestoreError::InUse(target.to_owned())),
        Err(error) => {
            tracing::warn!(%error, "what is there cannot be opened, and is set aside as it is");
            Ok(None)
        }
    }
}
