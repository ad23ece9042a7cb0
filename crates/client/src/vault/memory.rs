//! Secrets that end with the process: what remains where no keychain is usable.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use engine::ports::{Vault, VaultError};
use engine::view::VaultKind;
use secrecy::SecretString;

/// Keeps secrets until the process ends.
#[derive(Debug, Default)]
pub struct MemoryVault {
    secrets: Mutex<BTreeMap<String, SecretString>>,
}

#[async_trait]
impl Vault for MemoryVault {
    fn kind(&self) -> VaultKind {
        VaultKind::Memory
    }

    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        Ok(self.secrets.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
    }

    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), secret);
        Ok(())
    }

    async fn forget(&self, name: &str) -> Result<(), VaultError> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        Ok(())
    }
}
