//! Why a unit of work did not happen, split by what is known about its effect.

use wire::{Code, Problem};

/// A unit of work failed. The text is for the log; nobody else sees it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// Nothing was changed and trying again may work: a lock, a full disk, a shutdown.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The commit itself failed: nobody knows.
    #[error("the outcome of a commit is not known: {0}")]
    CommitUnknown(String),
    /// A fault of ours or of the file.
    #[error("the database failed: {0}")]
    Broken(String),
    /// This kind of database does not do it; the text says what does.
    #[error("{0}")]
    Unsupported(String),
}

impl StorageError {
    /// What a caller hears.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Unavailable(_) => Problem::new(Code::TemporarilyUnavailable, "Nothing was changed; try again."),
            Self::CommitUnknown(_) => Problem::new(Code::OutcomeUnknown, "Ask again with the same key."),
            Self::Broken(_) | Self::Unsupported(_) => {
                Problem::new(Code::InternalError, "The cause is in the server's log.")
            }
        }
    }
}
