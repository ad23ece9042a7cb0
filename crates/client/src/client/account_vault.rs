//! One account's part of the vault: no account can read or overwrite another's secrets.

use std::sync::Arc;

use async_trait::async_trait;
use engine::ports::{Vault, VaultError};
use engine::view::VaultKind;
use secrecy::SecretString;

/// The vault, with every name under the account's.
pub(super) struct AccountVault {
    pub(super) vault: Arc<dyn Vault>,
    pub(super) account: String,
}

impl AccountVault {
    fn name(&self, name: &str) -> String {
        format!("{}/{name}", self.account)
    }
}

#[async_trait]
impl Vault for AccountVault {
    fn kind(&self) -> VaultKind {
        self.vault.kind()
    }

    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        self.vault.get(&self.name(name)).await
    }

    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError> {
        self.vault.put(&self.name(name), secret).await
    }

    async fn forget(&self, name: &str) -> Result<(), VaultError> {
        self.vault.forget(&self.name(name)).await
    }
}
