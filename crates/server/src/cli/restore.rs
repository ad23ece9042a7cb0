//! `restore` and `new-epoch`: another moment of the data, which every reader of the feed has to hear of.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::database::{Database, Kind};
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::storage::postgres::{Place, Postgres, TakeInError};
use crate::storage::sqlite::{RestoreError, restore};

/// `restore`
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// Made by `backup`.
    file: PathBuf,
    /// Replace a database that holds data; it is kept under another name.
    #[arg(long)]
    force: bool,
}

impl Restore {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        if !self.file.exists() {
            return Err(Failure::Data(format!("there is no backup {}", self.file.display())));
        }
        let path = match &database.kind {
            Kind::Sqlite(path) => path,
            Kind::Postgres { url, place, .. } => return self.take_in(database, url, place).await,
        };
        let _lock = database.lock()?;
        let restored = restore(&self.file, path, self.force, Clock::system().now()).await?;
        say(&format!("restored {}; the feed is in epoch {}", self.file.display(), restored.epoch))?;
        if let Some(aside) = restored.set_aside {
            say(&format!("what was there before is in {}", aside.display()))?;
        }
        Ok(())
    }

    /// A backup of a SQLite server goes into an empty PostgreSQL database; PostgreSQL's own go there by its own tools.
    async fn take_in(self, database: &Database, url: &str, place: &Place) -> Result<(), Failure> {
        if self.force || is_dump(&self.file) {
            let words = "PostgreSQL is restored by its own tools (pg_restore, or a base backup): stop every node, \
                         restore, then run `onceover-server new-epoch`. A backup of a SQLite server is moved into an \
                         empty database, without --force";
            return Err(Failure::Usage(words.to_owned()));
        }
        let (key_file, key) = database.key_if_there()?;
        let storage = Postgres::open(url, 1).await?;
        let taken = storage.take_in(&self.file, place, (key_file, key.as_ref()), Clock::system().now()).await?;
        let counts = taken.report.counts.iter().map(|(what, number)| format!("{number} {what}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let file = self.file.display();
        say(&format!("moved {file} into {place}: {counts}; the feed is in epoch {}", taken.epoch))
    }
}

/// Whether `pg_dump` made it.
fn is_dump(file: &Path) -> bool {
    let mut head = [0; 5];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"PGDMP"
}

/// Makes every reader read the feed anew.
pub(super) async fn new_epoch(database: &Database) -> Result<(), Failure> {
    let epoch = database.open_existing().await?.new_epoch(Clock::system().now()).await?;
    say(&format!("the feed is in epoch {epoch}"))
}

impl From<TakeInError> for Failure {
    fn from(error: TakeInError) -> Self {
        match error {
            TakeInError::Backup(error) => error.into(),
            TakeInError::NotEmpty(_) | TakeInError::OtherKey(_) => Self::Data(error.to_string()),
            TakeInError::Storage(error) => error.into(),
        }
    }
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::NotABackup(..) | RestoreError::NotWhole(..) | RestoreError::HasData(_) => {
                Self::Data(error.to_string())
            }
            RestoreError::InUse(_) => Self::InUse(error.to_string()),
            RestoreError::File(..) => Self::Storage(error.to_string()),
            RestoreError::Storage(error) => error.into(),
        }
    }
}
