//! `restore` and `new-epoch`: another moment of the data, which every reader of the feed has to hear of.

use std::path::PathBuf;

use clap::Args;

use crate::cli::database::{Database, Kind};
use crate::cli::{Failure, say};
use crate::clock::Clock;
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
        let Kind::Sqlite(path) = &database.kind else {
            let words = "PostgreSQL is restored by its own tools (pg_restore, or a base backup): stop every node, \
                         restore, then run `onceover-server new-epoch`";
            return Err(Failure::Usage(words.to_owned()));
        };
        if !self.file.exists() {
            return Err(Failure::Data(format!("there is no backup {}", self.file.display())));
        }
        let _lock = database.lock()?;
        let restored = restore(&self.file, path, self.force, Clock::system().now()).await?;
        say(&format!("restored {}; the feed is in epoch {}", self.file.display(), restored.epoch))?;
        if let Some(aside) = restored.set_aside {
            say(&format!("what was there before is in {}", aside.display()))?;
        }
        Ok(())
    }
}

/// Makes every reader read the feed anew.
pub(super) async fn new_epoch(database: &Database) -> Result<(), Failure> {
    let epoch = database.open_existing().await?.new_epoch(Clock::system().now()).await?;
    say(&format!("the feed is in epoch {epoch}"))
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
