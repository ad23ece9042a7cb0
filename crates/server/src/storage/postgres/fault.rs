//! What an error of PostgreSQL means for the work that it ended.

use sqlx::Error;

use crate::storage::StorageError;

/// Why a transaction ended without a result.
#[derive(Debug)]
pub(super) enum Fault {
    /// It met another transaction, changed nothing, and may succeed if it is run again from its beginning.
    Again(String),
    /// A lock was not to be had in time; nothing was changed.
    Locked(String),
    /// Anything else.
    Storage(StorageError),
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// What an error before the commit means: nothing was changed.
impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match meaning(&error) {
            Meaning::Met => Self::Again(error.to_string()),
            Meaning::Locked => Self::Locked(error.to_string()),
            Meaning::Unavailable => Self::Storage(StorageError::Unavailable(error.to_string())),
            Meaning::Other => Self::Storage(StorageError::Broken(error.to_string())),
        }
    }
}

impl Fault {
    /// What an error of the commit itself means. The server's own no leaves nothing behind; with anything else, a lost
    /// connection above all, nobody knows.
    pub(super) fn of_commit(error: &Error) -> Self {
        let code = code(error);
        let is_refused = code.as_deref().is_some_and(|code| {
            (code.starts_with("40") && code != "40003") || code.starts_with("23") || code.starts_with("53")
        });
        match (is_refused, meaning(error)) {
            (true, Meaning::Met) => Self::Again(error.to_string()),
            (true, _) => Self::Storage(StorageError::Unavailable(error.to_string())),
            (false, _) => Self::Storage(StorageError::CommitUnknown(error.to_string())),
        }
    }
}

/// For work outside a transaction.
impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Again(cause) | Fault::Locked(cause) => Self::Unavailable(cause),
            Fault::Storage(error) => error,
        }
    }
}

/// Whether it is the connection that cannot begin a transaction, so that another one may.
pub(super) fn is_of_the_connection(error: &Error) -> bool {
    // It is inside a transaction already, or inside one that has failed; the server is being stopped (57P01), has
    // crashed, or is not up yet.
    let is_named =
        |code: String| ["25001", "25P02"].contains(&code.as_str()) || code.starts_with("08") || code.starts_with("57P");
    matches!(error, Error::Io(_) | Error::Protocol(_)) || code(error).is_some_and(is_named)
}

enum Meaning {
    Met,
    Locked,
    Unavailable,
    Other,
}

fn meaning(error: &Error) -> Meaning {
    match code(error).as_deref() {
        // Serialization failure, deadlock.
        Some("40001" | "40P01") => Meaning::Met,
        Some("55P03") => Meaning::Locked,
        // A statement stopped in time, a server that takes no writes, or one that rolled back for its own reasons.
        Some("57014" | "25006" | "25P03") => Meaning::Unavailable,
        // Connections, resources (memory, disk, connections), an operator's intervention, the operating system.
        Some(code) if ["08", "40", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
            Meaning::Unavailable
        }
        None if matches!(error, Error::Io(_) | Error::Tls(_) | Error::PoolTimedOut | Error::PoolClosed) => {
            Meaning::Unavailable
        }
        Some(_) | None => Meaning::Other,
    }
}

fn code(error: &Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}
