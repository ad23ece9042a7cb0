//! Sessions (CONTRACT 2). Secrets are plain texts here; who holds them wraps them.

use domain::{ActorId, Role, TenantId};
use serde::{Deserialize, Serialize};

/// The body of `POST /v1/sessions`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct SignInRequest {
    pub tenant: String,
    pub username: String,
    pub password: String,
    pub device_id: String,
    pub device_name: String,
}

/// The body of `POST /v1/sessions/refresh`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct RefreshRequest {
    pub refresh_token: String,
    pub device_id: String,
}

/// The answer to a sign-in and to a refresh.
#[derive(Clone, Serialize, Deserialize)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct SessionAnswer {
    #[serde(flatten)]
    pub info: SessionInfo,
    pub access_token: String,
    pub access_expires_in_s: u64,
    pub refresh_token: String,
}

/// Who is signed in: the answer to `GET /v1/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct SessionInfo {
    pub session_id: String,
    pub session_version: u32,
    pub tenant: TenantInfo,
    pub actor: ActorInfo,
}

/// An organization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct TenantInfo {
    pub id: TenantId,
    pub slug: String,
    pub name: String,
}

/// A person, with current rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct ActorInfo {
    pub id: ActorId,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    /// Operation names; ones this build does not know are kept.
    pub rights: Vec<String>,
}
