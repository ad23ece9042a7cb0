//! Secrets in one file, encrypted under a passphrase (the `age` format): for machines without a keychain.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use engine::ports::{Vault, VaultError};
use engine::view::VaultKind;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

use crate::profile::replace_file;

/// Scrypt's N is two to this power: about 32 MiB and a tenth of a second. Each token refresh pays it again, and
/// the passphrase is a machine's, not a person's.
const WORK_FACTOR: u8 = 15;
/// Files that ask for more are not ours.
const WORK_FACTOR_MAX: u8 = 20;

/// Keeps secrets in one encrypted file.
#[derive(Debug, Clone)]
pub struct FileVault {
    path: PathBuf,
    passphrase: Option<SecretString>,
    one_at_a_time: Arc<Mutex<()>>,
}

impl FileVault {
    /// The vault in `path`. Without a passphrase (or with an empty one) every call fails with [`VaultError::Passphrase`].
    pub fn new(path: PathBuf, passphrase: Option<SecretString>) -> Self {
        let passphrase = passphrase.filter(|passphrase| !passphrase.expose_secret().is_empty());
        Self { path, passphrase, one_at_a_time: Arc::default() }
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path, &SecretString) -> Result<T, VaultError> + Send + 'static,
    ) -> Result<T, VaultError> {
        let passphrase = self.passphrase.clone().ok_or(VaultError::Passphrase)?;
        let path = self.path.clone();
        let _turn = self.one_at_a_time.lock().await;
        let task = tokio::task::spawn_blocking(move || work(&path, &passphrase));
        task.await.unwrap_or_else(|error| Err(VaultError::Io(error.to_string())))
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> bool + Send + 'static,
    ) -> Result<(), VaultError> {
        self.run(move |path, passphrase| {
            let mut secrets = read(path, passphrase)?;
            if change(&mut secrets) { write(path, passphrase, &secrets) } else { Ok(()) }
        })
        .await
    }
}

#[async_trait]
impl Vault for FileVault {
    fn kind(&self) -> VaultKind {
        VaultKind::File
    }

    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        let name = name.to_owned();
        self.run(move |path, passphrase| Ok(read(path, passphrase)?.remove(&name).map(SecretString::from))).await
    }

    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError> {
        let name = name.to_owned();
        self.change(move |secrets| {
            secrets.insert(name, secret.expose_secret().to_owned());
            true
        })
        .await
    }

    async fn forget(&self, name: &str) -> Result<(), VaultError> {
        let name = name.to_owned();
        self.change(move |secrets| secrets.remove(&name).is_some()).await
    }
}

fn read(path: &Path, passphrase: &SecretString) -> Result<BTreeMap<String, String>, VaultError> {
    let sealed = match std::fs::read(path) {
        Ok(sealed) => sealed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(VaultError::Io(error.to_string())),
    };
    let plain = decrypt(&sealed, passphrase)?;
    serde_json::from_slice(&plain).map_err(|_| VaultError::Io("it holds no secrets of ours".to_owned()))
}

fn write(path: &Path, passphrase: &SecretString, secrets: &BTreeMap<String, String>) -> Result<(), VaultError> {
    let plain = serde_json::to_vec(secrets).map_err(|error| VaultError::Io(error.to_string()))?;
    let sealed = encrypt(&plain, passphrase)?;
    replace_file(path, &sealed).map_err(|error| VaultError::Io(error.to_string()))
}

/// Encrypts under a passphrase, in the `age` format.
pub(crate) fn encrypt(plain: &[u8], passphrase: &SecretString) -> Result<Vec<u8>, VaultError> {
    let mut recipient = age::scrypt::Recipient::new(passphrase.clone());
    recipient.set_work_factor(WORK_FACTOR);
    age::encrypt(&recipient, plain).map_err(|error| VaultError::Io(error.to_string()))
}

/// Decrypts what [`encrypt`] made.
fn decrypt(sealed: &[u8], passphrase: &SecretString) -> Result<Vec<u8>, VaultError> {
    let mut identity = age::scrypt::Identity::new(passphrase.clone());
    identity.set_max_work_factor(WORK_FACTOR_MAX);
    age::decrypt(&identity, sealed).map_err(|error| match error {
        age::DecryptError::DecryptionFailed | age::DecryptError::KeyDecryptionFailed => VaultError::Passphrase,
        age::DecryptError::NoMatchingKeys => VaultError::Io("it is not encrypted under a passphrase".to_owned()),
        other => VaultError::Io(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(folder: &Path, passphrase: &str) -> FileVault {
        FileVault::new(folder.join("vault"), Some(SecretString::from(passphrase)))
    }

    #[tokio::test]
    async fn secrets_survive_and_are_not_readable_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let secret = "refresh-token-text-of-some-length";
        vault(folder.path(), "pass").put("refresh", SecretString::from(secret)).await.unwrap();
        vault(folder.path(), "pass").put("other", SecretString::from("x")).await.unwrap();

        let read = vault(folder.path(), "pass").get("refresh").await.unwrap().unwrap();
        assert_eq!(read.expose_secret(), secret);
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(path.file_name().unwrap(), "vault", "no other file is left");
            for clear in [secret.as_bytes(), b"refresh", b"pass"] {
                assert!(!bytes.windows(clear.len()).any(|part| part == clear));
            }
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }

        vault(folder.path(), "pass").forget("refresh").await.unwrap();
        assert!(vault(folder.path(), "pass").get("refresh").await.unwrap().is_none());
        assert!(vault(folder.path(), "pass").get("other").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_wrong_or_missing_passphrase_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        vault(folder.path(), "pass").put("a", SecretString::from("1")).await.unwrap();
        for passphrase in ["wrong", ""] {
            let other = vault(folder.path(), passphrase);
            assert_eq!(other.get("a").await.unwrap_err(), VaultError::Passphrase);
            assert_eq!(other.put("a", SecretString::from("2")).await.unwrap_err(), VaultError::Passphrase);
        }
        assert_eq!(vault(folder.path(), "pass").get("a").await.unwrap().unwrap().expose_secret(), "1");
    }

    #[tokio::test]
    async fn a_file_that_is_no_vault_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("vault"), "not an age file").unwrap();
        let vault = vault(folder.path(), "pass");
        assert!(matches!(vault.put("a", SecretString::from("1")).await, Err(VaultError::Io(_))));
        assert_eq!(std::fs::read(folder.path().join("vault")).unwrap(), b"not an age file");
    }
}
