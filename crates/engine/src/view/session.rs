//! Who is signed in, and what was remembered for the next sign-in.

use domain::{ActorId, Operation, Role, TenantId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where this computer keeps the session's secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultKind {
    /// The operating system's keychain.
    Keychain,
    /// A file encrypted with a passphrase.
    File,
    /// Nowhere: until the program ends.
    Memory,
}

/// Whether and as whom this profile is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SessionPhase {
    /// No account is chosen.
    SignedOut,
    /// An account is chosen and its session is usable as far as this computer knows.
    SignedIn,
    /// An account is chosen, its data is readable, and the server wants a new sign-in before anything is sent.
    SignInNeeded,
    /// The server ended this account's sessions.
    Revoked,
}

/// The session as windows show it. No secret is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionView {
    /// Where the session stands.
    pub phase: SessionPhase,
    /// The account; absent when signed out.
    pub account: Option<AccountView>,
    /// Where the secrets are.
    pub vault: VaultKind,
    /// What the sign-in form starts with.
    pub remembered: Option<Remembered>,
    /// What the person must be told about this profile, most pressing first.
    pub trouble: Vec<Trouble>,
}

/// Something wrong with the profile or the session that stays until it is dealt with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "code")]
pub enum Trouble {
    /// The store was last used by a newer version; it is open for reading only and nothing is sent.
    StoreNewer {
        /// The version that wrote it.
        written_by: String,
        /// Open rows in it.
        open: u32,
    },
    /// The store was damaged; it was moved aside and what could be read was put into a new one.
    StoreDamaged {
        /// Open rows that were read back.
        recovered: u32,
        /// Rows that could not be; `None` if nothing told how many there were.
        lost: Option<u32>,
    },
    /// The server was put back to an earlier time and no longer has changes that it had confirmed.
    EpochChanged {
        /// How many of them still wait for a decision.
        missing: u32,
    },
    /// No usable keychain: the session lives in memory.
    KeychainMissing,
    /// The server ended this account's sessions.
    SessionRevoked {
        /// Open rows that stay here.
        open: u32,
    },
}

/// One account on one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "CONTRACT 2")]
pub struct AccountView {
    pub server: String,
    pub tenant_id: TenantId,
    pub tenant_slug: String,
    pub tenant_name: String,
    pub actor_id: ActorId,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    pub rights: Vec<Operation>,
}

/// The last account's place, without any secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "the sign-in form's fields")]
pub struct Remembered {
    pub server: String,
    pub tenant: String,
    pub username: String,
}
