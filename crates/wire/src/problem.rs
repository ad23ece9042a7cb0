//! Problems (RFC 9457) with our members: what is known about the effect, and what a retry may do.

use domain::CommandId;
use domain::payload::MemberError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body of every non-2xx answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// `urn:onceover:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// For a person, the same for every problem of this code.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// For a person, about this one.
    pub detail: String,
    /// The interface: what went wrong.
    pub code: Code,
    /// What is known about this operation, not about this attempt.
    pub effect: KnownEffect,
    /// What a retry may do.
    pub retry: Retry,
    /// The command's id, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<CommandId>,
    /// Why a domain rule said no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members missing or out of their domain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<MemberError>,
    /// Conflict: the target's revision now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_revision: Option<u32>,
    /// Conflict: what the fields that moved hold now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Value>,
    /// Conflict: the fields that moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicting_fields: Vec<String>,
    /// Set when only the tombstone of the answer is left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub receipt_reduced: bool,
}

impl Problem {
    /// The problem of this code, with its fixed status, effect, retry and title.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let (status, effect, retry, title) = code.meaning();
        Self {
            kind: format!("urn:onceover:problem:{}", code.name()),
            title: title.to_owned(),
            status,
            detail: detail.into(),
            code,
            effect,
            retry,
            operation_id: None,
            reason: None,
            errors: Vec::new(),
            current_revision: None,
            current: None,
            conflicting_fields: Vec::new(),
            receipt_reduced: false,
        }
    }

    /// The same problem, about this operation.
    #[must_use]
    pub fn about(mut self, operation: CommandId) -> Self {
        self.operation_id = Some(operation);
        self
    }
}

/// What is known about an operation's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownEffect {
    /// It had none.
    None,
    /// It is committed.
    Committed,
    /// Not known.
    Unknown,
}

/// What a retry may do (CONTRACT 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "CONTRACT 4")]
pub enum Retry {
    Never,
    SameKey,
    SameKeyAfterLogin,
    SameKeyAfterGrant,
    SameKeyAfterConfirmation,
    SameKeyAfterDependency,
    NewKeyAfterChange,
    Reconcile,
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $status:literal, $effect:ident, $retry:ident, $title:literal;)*) => {
        /// What went wrong: the interface of a problem. Texts are for people only.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "CONTRACT 4")]
        pub enum Code { $(#[serde(rename = $name)] $variant,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Status, effect, retry and title.
            pub fn meaning(self) -> (u16, KnownEffect, Retry, &'static str) {
                match self { $(Self::$variant => ($status, KnownEffect::$effect, Retry::$retry, $title),)* }
            }
        }
    };
}

codes! {
    OperationInProgress = "operation-in-progress", 409, Unknown, SameKey, "The same request is still running";
    IdempotencyKeyReused = "idempotency-key-reused", 422, None, Never, "The key was used for something else";
    IdempotencyKeyMissing = "idempotency-key-missing", 400, None, Never, "The Idempotency-Key header is missing";
    IdempotencyKeyInvalid = "idempotency-key-invalid", 400, None, Never, "The Idempotency-Key header does not fit the request";
    MalformedRequest = "malformed-request", 400, None, NewKeyAfterChange, "The request is malformed";
    ValidationFailed = "validation-failed", 400, None, NewKeyAfterChange, "A member is missing or out of its domain";
    UnsupportedVersion = "unsupported-version", 400, None, NewKeyAfterChange, "This version of the payload is not known here";
    PayloadHashMismatch = "payload-hash-mismatch", 400, None, SameKey, "The payload does not have the hash it says";
    DomainRejected = "domain-rejected", 422, None, NewKeyAfterChange, "A rule does not allow this";
    RevisionConflict = "revision-conflict", 412, None, NewKeyAfterChange, "The target has changed meanwhile";
    TargetDeleted = "target-deleted", 410, None, Never, "The target is archived or gone";
    TargetNotFound = "target-not-found", 404, None, SameKeyAfterDependency, "The target is not known here";
    DependencyMissing = "dependency-missing", 424, None, SameKeyAfterDependency, "Something this builds on is not committed yet";
    DependencyFailed = "dependency-failed", 422, None, NewKeyAfterChange, "Something this builds on has failed";
    OperationSealed = "operation-sealed", 410, None, Never, "This operation was sealed and will never be applied";
    InvalidCredentials = "invalid-credentials", 401, None, SameKeyAfterLogin, "Organization, user name or password is not right";
    TokenExpired = "token-expired", 401, None, SameKeyAfterLogin, "The access token has expired";
    SessionRevoked = "session-revoked", 401, None, SameKeyAfterLogin, "The session was ended";
    Unauthenticated = "unauthenticated", 401, None, SameKeyAfterLogin, "Sign-in is needed";
    Forbidden = "forbidden", 403, None, SameKeyAfterGrant, "The actor has no right to do this";
    ConfirmationRequired = "confirmation-required", 403, None, SameKeyAfterConfirmation, "This is old and must be confirmed first";
    ReplayForbidden = "replay-forbidden", 403, Committed, Never, "It is committed; its details are not shown";
    OperationWindowExpired = "operation-window-expired", 410, Unknown, Reconcile, "The server no longer keeps answers this old";
    PayloadTooLarge = "payload-too-large", 413, None, Never, "The request is too large";
    RequestHeadTooLarge = "request-head-too-large", 431, None, Never, "The request's line and headers are too large";
    RateLimited = "rate-limited", 429, None, SameKey, "Too many requests";
    TemporarilyUnavailable = "temporarily-unavailable", 503, None, SameKey, "The server is busy and changed nothing";
    OutcomeUnknown = "outcome-unknown", 503, Unknown, SameKey, "The outcome is not known";
    InternalError = "internal-error", 500, Unknown, SameKey, "Something went wrong in the server";
    NotFound = "not-found", 404, None, Never, "There is nothing here";
    MethodNotAllowed = "method-not-allowed", 405, None, Never, "This method is not allowed here";
    UnsupportedMediaType = "unsupported-media-type", 415, None, Never, "The body is not plain JSON by its headers";
    CursorExpired = "cursor-expired", 410, None, Never, "The cursor is too old; start without one";
    CursorInvalid = "cursor-invalid", 400, None, Never, "The cursor is not one of ours; start without one";
}
