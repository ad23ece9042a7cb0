//! Exit codes (CONTRACT 8), and which one each failure means.

use std::process::ExitCode;

use client::profile::LockError;
use client::{ClientError, OpenError};
use engine::engine::EngineError;
use engine::ports::{StoreError, VaultError};

/// How a call ended. In the order of precedence: where several hold, the least is the one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Sign-in is needed, or was refused.
    SignIn,
    /// Storage failed: full, read-only, corrupt, newer.
    Storage,
    /// The server is unreachable, or it asks to wait.
    Unreachable,
    /// Time ran out; rows are still open.
    TimeRanOut,
    /// Done, but something needs a person.
    NeedsPerson,
    /// Another process uses the profile.
    InUse,
    /// The command line itself is wrong.
    Usage,
    /// What was given is wrong.
    BadData,
    /// Done.
    Done,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::NeedsPerson => 2,
            Exit::TimeRanOut => 3,
            Exit::Usage => 64,
            Exit::BadData => 65,
            Exit::Unreachable => 69,
            Exit::Storage => 73,
            Exit::InUse => 75,
            Exit::SignIn => 77,
        })
    }
}

/// Why a call did not do what it was asked for.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn bad_data(message: impl Into<String>) -> Self {
        Self::new(Exit::BadData, message)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let exit = match &error {
            ClientError::Lock(LockError::Held(_)) => Exit::InUse,
            ClientError::Lock(LockError::Io(_))
            | ClientError::Home { .. }
            | ClientError::Accounts(_)
            | ClientError::Export(_) => Exit::Storage,
            ClientError::Open(error) => exit_of_open(error),
            ClientError::Engine(error) => exit_of(error),
            ClientError::Server(_) => Exit::BadData,
            ClientError::SignedOut => Exit::SignIn,
            ClientError::OpenChanges { .. } | ClientError::CountMismatch { .. } => Exit::NeedsPerson,
            ClientError::Reading => Exit::Usage,
        };
        let message = match &error {
            ClientError::SignedOut => format!("{error}; see onceover sign-in"),
            ClientError::OpenChanges { .. } => format!("{error}: --keep, --export FILE or --discard --yes"),
            ClientError::Engine(EngineError::Vault(VaultError::Unavailable(_))) => {
                format!("{error}; unlock it, or set ONCEOVER_VAULT=file and ONCEOVER_VAULT_PASSPHRASE")
            }
            ClientError::Engine(EngineError::Vault(VaultError::Passphrase)) => {
                format!("{error}; it is read from ONCEOVER_VAULT_PASSPHRASE")
            }
            _ => error.to_string(),
        };
        Self { exit, message }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        ClientError::Engine(error).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        ClientError::from(error).into()
    }
}

fn exit_of(error: &EngineError) -> Exit {
    match error {
        EngineError::Store(error) => exit_of_store(error),
        EngineError::SignInNeeded
        | EngineError::Revoked
        | EngineError::Vault(VaultError::Unavailable(_) | VaultError::Passphrase) => Exit::SignIn,
        EngineError::Unreachable
        | EngineError::NotOurServer
        | EngineError::Tls
        | EngineError::Clock
        | EngineError::NotTls
        | EngineError::ServerFailed { .. }
        | EngineError::Throttled { .. } => Exit::Unreachable,
        EngineError::Refused { code, .. } => match code.as_str() {
            "validation-failed" | "malformed-request" | "payload-too-large" => Exit::BadData,
            "rate-limited" | "temporarily-unavailable" => Exit::Unreachable,
            _ => Exit::SignIn,
        },
        EngineError::NotFound | EngineError::NotAllowed(_) => Exit::BadData,
        EngineError::Vault(VaultError::Io(_)) => Exit::Storage,
    }
}

fn exit_of_store(error: &StoreError) -> Exit {
    match error {
        StoreError::Refused(_) => Exit::BadData,
        StoreError::OwnerLost => Exit::InUse,
        StoreError::Full
        | StoreError::ReadOnly
        | StoreError::Newer { .. }
        | StoreError::Damaged(_)
        | StoreError::Illegal(_)
        | StoreError::Io(_) => Exit::Storage,
    }
}

fn exit_of_open(error: &OpenError) -> Exit {
    match error {
        OpenError::Store(error) => exit_of_store(error),
        OpenError::OtherAccount
        | OpenError::OtherProgram
        | OpenError::Missing
        | OpenError::Older
        | OpenError::SqliteTooOld { .. }
        | OpenError::Setting { .. } => Exit::Storage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_code() {
        let refused = |code: &str| EngineError::Refused { code: code.to_owned(), detail: String::new() };
        for (error, exit) in [
            (EngineError::Store(StoreError::Full), Exit::Storage),
            (EngineError::Store(StoreError::ReadOnly), Exit::Storage),
            (EngineError::Store(StoreError::OwnerLost), Exit::InUse),
            (EngineError::SignInNeeded, Exit::SignIn),
            (EngineError::Revoked, Exit::SignIn),
            (EngineError::NotOurServer, Exit::Unreachable),
            (EngineError::Tls, Exit::Unreachable),
            (EngineError::Clock, Exit::Unreachable),
            (EngineError::NotTls, Exit::Unreachable),
            (EngineError::ServerFailed { code: "internal-error".to_owned() }, Exit::Unreachable),
            (EngineError::Throttled { retry_after_ms: 1 }, Exit::Unreachable),
            (refused("rate-limited"), Exit::Unreachable),
            (refused("invalid-credentials"), Exit::SignIn),
            (refused("validation-failed"), Exit::BadData),
            (EngineError::Vault(VaultError::Passphrase), Exit::SignIn),
            (EngineError::Vault(VaultError::Io(String::new())), Exit::Storage),
        ] {
            assert_eq!(Failure::from(error.clone()).exit, exit, "{error:?}");
        }
    }
}
