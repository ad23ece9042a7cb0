//! Where the session's secrets are kept.

use async_trait::async_trait;
use secrecy::SecretString;

use crate::view::VaultKind;

/// The secrets could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// There is no usable keychain, or it is locked.
    #[error("no usable keychain: {0}")]
    Unavailable(String),
    /// The vault file's passphrase is wrong or missing.
    #[error("the vault's passphrase is missing or wrong")]
    Passphrase,
    /// The vault file could not be read or written.
    #[error("the vault file cannot be used: {0}")]
    Io(String),
}

/// Keeps secrets by name. Names hold no secret.
#[async_trait]
pub trait Vault: Send + Sync {
    /// Where the secrets are.
    fn kind(&self) -> VaultKind;
    /// The secret of this name, if there is one.
    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError>;
    /// Keeps a secret, replacing an older one. Durable when it returns (but for memory vaults).
    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError>;
    /// Forgets a secret; forgetting an absent one is fine.
    async fn forget(&self, name: &str) -> Result<(), VaultError>;
}
