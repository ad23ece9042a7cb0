//! Why a command did not do what it was asked: a code the window acts on, and a sentence.

use client::ClientError;
use engine::engine::EngineError;
use engine::ports::StoreError;
use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a rejected command hands the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct IpcError {
    /// What the window acts on.
    pub code: Code,
    /// Plain words; no internal cause.
    pub message: String,
}

/// The codes. One exists only if a window acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename = "ErrorCode")]
pub(crate) enum Code {
    Invalid,
    StorageFull,
    StorageReadonly,
    StoreNewer,
    StoreDamaged,
    SignInNeeded,
    InvalidCredentials,
    Throttled,
    Unreachable,
    NotOurServer,
    Tls,
    Clock,
    NotFound,
    NotAllowed,
    CountMismatch,
    Internal,
}

/// What every command answers.
pub(crate) type Reply<T> = Result<T, IpcError>;

impl Code {
    /// The code of this name; one that no window knows is internal.
    fn named(name: &str) -> Self {
        let name: serde::de::value::StrDeserializer<'_, ValueError> = name.into_deserializer();
        Self::deserialize(name).unwrap_or(Self::Internal)
    }
}

impl IpcError {
    /// An error of this code.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Something that should not happen. The cause goes to the log, not to the window.
    pub(crate) fn internal(doing: &str, cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "{doing}");
        Self::new(Code::Internal, format!("could not {doing}"))
    }
}

impl From<ClientError> for IpcError {
    fn from(error: ClientError) -> Self {
        match Code::named(error.code()) {
            Code::Internal => Self::internal("do this", &error),
            code => Self::new(code, error.to_string()),
        }
    }
}

impl From<EngineError> for IpcError {
    fn from(error: EngineError) -> Self {
        ClientError::from(error).into()
    }
}

impl From<StoreError> for IpcError {
    fn from(error: StoreError) -> Self {
        ClientError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: impl Into<IpcError>) -> serde_json::Value {
        serde_json::to_value(error.into()).unwrap()
    }

    #[test]
    fn an_error_reaches_the_window_as_code_and_sentence() {
        let said = said(EngineError::Unreachable);
        assert_eq!(said, serde_json::json!({ "code": "unreachable", "message": "the server does not answer" }));
    }

    #[test]
    fn what_a_window_acts_on_keeps_its_code() {
        let refused = |code: &str| EngineError::Refused { code: code.to_owned(), detail: String::new() };
        assert_eq!(said(StoreError::Full)["code"], "storage-full");
        assert_eq!(said(StoreError::ReadOnly)["code"], "storage-readonly");
        assert_eq!(said(StoreError::Newer { written_by: "9.9".to_owned() })["code"], "store-newer");
        assert_eq!(said(StoreError::Damaged("page 7".to_owned()))["code"], "store-damaged");
        assert_eq!(said(EngineError::SignInNeeded)["code"], "sign-in-needed");
        assert_eq!(said(ClientError::SignedOut)["code"], "sign-in-needed");
        assert_eq!(said(refused("invalid-credentials"))["code"], "invalid-credentials");
        assert_eq!(said(EngineError::Throttled { retry_after_ms: 5 })["code"], "throttled");
        assert_eq!(said(EngineError::NotOurServer)["code"], "not-our-server");
        assert_eq!(said(EngineError::Tls)["code"], "tls");
        assert_eq!(said(EngineError::Clock)["code"], "clock");
        assert_eq!(said(EngineError::NotFound)["code"], "not-found");
        assert_eq!(said(EngineError::NotAllowed("why".to_owned()))["code"], "not-allowed");
        assert_eq!(said(ClientError::CountMismatch { open: 3, confirmed: 2 })["code"], "count-mismatch");
        assert_eq!(said(ClientError::OpenChanges { open: 3 })["code"], "count-mismatch");
    }

    #[test]
    fn an_internal_cause_stays_inside() {
        for error in [StoreError::Io("/home/mara/store.db: disk I/O error".to_owned()), StoreError::OwnerLost] {
            let said = said(error);
            assert_eq!(said["code"], "internal");
            assert_eq!(said["message"], "could not do this");
        }
        assert_eq!(Code::named("a-code-from-the-future"), Code::Internal);
    }
}
