//! Why something asked of the client did not happen, and the code under which windows know it.

use std::io;

use engine::EngineError;
use engine::ports::{StoreError, VaultError};

use crate::http::ServerUrlError;
use crate::profile::{AccountsError, LockError};
use crate::sqlite::OpenError;

/// Why something did not happen. Split by what the caller does next; the texts are for a person.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Another process owns the profile, or its lock cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The profile's folder cannot be used.
    #[error("the profile in {folder} cannot be used: {cause}")]
    Home {
        /// Which folder.
        folder: String,
        /// Why.
        cause: io::Error,
    },
    /// The index of accounts cannot be used.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The account's store cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine, its store, the server or the vault said no.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The server's address is none.
    #[error(transparent)]
    Server(#[from] ServerUrlError),
    /// No account is signed in with this profile.
    #[error("nobody is signed in with this profile")]
    SignedOut,
    /// Signing out with open changes needs a choice; nothing was done.
    #[error("{open} changes are not received by the server yet; choose what becomes of them")]
    OpenChanges {
        /// How many.
        open: u32,
    },
    /// The person confirmed another number of open changes than there are; nothing was done.
    #[error("there are {open} open changes, not {confirmed}")]
    CountMismatch {
        /// How many there are.
        open: u32,
        /// How many were confirmed.
        confirmed: u32,
    },
    /// The file for an export could not be written; nothing was done.
    #[error("the export could not be written: {0}")]
    Export(io::Error),
    /// The profile was opened for reading only.
    #[error("the profile was opened for reading only")]
    Reading,
}

impl From<StoreError> for ClientError {
    fn from(error: StoreError) -> Self {
        Self::Engine(EngineError::Store(error))
    }
}

impl From<VaultError> for ClientError {
    fn from(error: VaultError) -> Self {
        Self::Engine(EngineError::Vault(error))
    }
}

impl ClientError {
    /// The code windows act on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Home { cause, .. }
            | Self::Export(cause)
            | Self::Accounts(AccountsError::Io(cause))
            | Self::Lock(LockError::Io(cause)) => io_code(cause),
            Self::Accounts(AccountsError::Newer) => "store-newer",
            Self::Accounts(AccountsError::Damaged(_)) => "store-damaged",
            Self::Open(error) => open_code(error),
            Self::Engine(error) => engine_code(error),
            Self::Server(_) => "invalid",
            Self::SignedOut => "sign-in-needed",
            Self::OpenChanges { .. } | Self::CountMismatch { .. } => "count-mismatch",
            Self::Reading => "not-allowed",
            Self::Lock(LockError::Held(_)) => "internal",
        }
    }
}

fn io_code(error: &io::Error) -> &'static str {
    use io::ErrorKind as K;
    match error.kind() {
        K::StorageFull | K::QuotaExceeded => "storage-full",
        K::PermissionDenied | K::ReadOnlyFilesystem => "storage-readonly",
        _ => "internal",
    }
}

fn store_code(error: &StoreError) -> &'static str {
    match error {
        StoreError::Full => "storage-full",
        StoreError::ReadOnly => "storage-readonly",
        StoreError::Newer { .. } => "store-newer",
        StoreError::Damaged(_) => "store-damaged",
        StoreError::Refused(_) => "invalid",
        StoreError::OwnerLost | StoreError::Illegal(_) | StoreError::Io(_) => "internal",
    }
}

fn engine_code(error: &EngineError) -> &'static str {
    match error {
        EngineError::Store(error) => store_code(error),
        EngineError::SignInNeeded | EngineError::Revoked => "sign-in-needed",
        EngineError::Unreachable => "unreachable",
        EngineError::NotOurServer | EngineError::NotTls => "not-our-server",
        EngineError::Tls => "tls",
        EngineError::Clock => "clock",
        EngineError::Throttled { .. } => "throttled",
        EngineError::NotFound => "not-found",
        EngineError::NotAllowed(_) => "not-allowed",
        EngineError::Refused { code, .. } => refused_code(code),
        EngineError::Vault(_) | EngineError::ServerFailed { .. } => "internal",
    }
}

fn open_code(error: &OpenError) -> &'static str {
    match error {
        OpenError::Store(error) => store_code(error),
        OpenError::OtherAccount
        | OpenError::OtherProgram
        | OpenError::Missing
        | OpenError::Older
        | OpenError::SqliteTooOld { .. }
        | OpenError::Setting { .. } => "internal",
    }
}

/// What a problem's code means to a window.
fn refused_code(code: &str) -> &'static str {
    match code {
        "invalid-credentials" => "invalid-credentials",
        "token-expired" | "session-revoked" | "unauthenticated" => "sign-in-needed",
        "rate-limited" => "throttled",
        "forbidden" | "confirmation-required" | "replay-forbidden" => "not-allowed",
        "validation-failed" | "malformed-request" | "domain-rejected" | "payload-too-large" => "invalid",
        _ => "internal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_get_the_code_they_act_on() {
        let refused =
            |code: &str| ClientError::Engine(EngineError::Refused { code: code.to_owned(), detail: String::new() });
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        for (error, code) in [
            (ClientError::from(StoreError::Full), "storage-full"),
            (ClientError::Export(full()), "storage-full"),
            (ClientError::Open(OpenError::Store(StoreError::ReadOnly)), "storage-readonly"),
            (ClientError::from(StoreError::Newer { written_by: String::new() }), "store-newer"),
            (ClientError::Accounts(AccountsError::Newer), "store-newer"),
            (ClientError::Open(OpenError::Store(StoreError::Damaged(String::new()))), "store-damaged"),
            (ClientError::SignedOut, "sign-in-needed"),
            (ClientError::Engine(EngineError::Revoked), "sign-in-needed"),
            (refused("invalid-credentials"), "invalid-credentials"),
            (refused("rate-limited"), "throttled"),
            (ClientError::Engine(EngineError::NotOurServer), "not-our-server"),
            (ClientError::Engine(EngineError::Clock), "clock"),
            (ClientError::Server(ServerUrlError::TooMuch), "invalid"),
            (ClientError::CountMismatch { open: 2, confirmed: 1 }, "count-mismatch"),
            (refused("anything-of-later"), "internal"),
        ] {
            assert_eq!(error.code(), code, "{error}");
        }
    }
}
