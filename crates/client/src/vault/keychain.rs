//! The operating system's keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.

use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use engine::ports::{Vault, VaultError};
use engine::view::VaultKind;
use keyring::{Entry, Error};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How the entries of this program are labelled.
const SERVICE: &str = "Onceover";
/// A locked keychain asks its owner to unlock it; this is how long that may take.
const ANSWER_MS_MAX: u64 = 60_000;

/// Keeps secrets in the keychain, apart for each profile.
#[derive(Debug, Clone)]
pub struct Keychain {
    profile: String,
    answer_ms_max: u64,
}

impl Keychain {
    /// The keychain's entries of one profile; `profile` is any text that no other profile has.
    pub fn new(profile: impl Into<String>) -> Self {
        Self { profile: profile.into(), answer_ms_max: ANSWER_MS_MAX }
    }

    /// Whether secrets can be kept and read here. Writes an entry and takes it away again: a keychain that is
    /// there but locked, or that cannot show its prompt, is found out before a session depends on it.
    pub async fn check(&self) -> Result<(), VaultError> {
        const PROBE: &str = "probe";
        self.put(PROBE, SecretString::from("probe")).await?;
        let read = self.get(PROBE).await?;
        self.forget(PROBE).await?;
        if read.is_some_and(|read| read.expose_secret() == "probe") {
            Ok(())
        } else {
            Err(VaultError::Unavailable("it does not keep what it is given".to_owned()))
        }
    }

    /// Runs `work` on a thread of its own: the keychain's calls block, and a prompt that nobody answers must not
    /// keep the process from ending.
    async fn run<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, VaultError> {
        let user = format!("{}/{name}", self.profile);
        let (sender, answer) = oneshot::channel();
        let start = thread::Builder::new().name("keychain".to_owned()).spawn(move || {
            let _ = sender.send(open(&user).and_then(|entry| work(&entry).map_err(|error| unavailable(&error))));
        });
        start.map_err(|error| VaultError::Unavailable(error.to_string()))?;
        match timeout(Duration::from_millis(self.answer_ms_max), answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(VaultError::Unavailable("it failed".to_owned())),
            Err(_) => Err(VaultError::Unavailable("it does not answer; it may be locked".to_owned())),
        }
    }
}

fn open(user: &str) -> Result<Entry, VaultError> {
    if let Err(error) = Entry::store_status() {
        return Err(unavailable(error));
    }
    Entry::new(SERVICE, user).map_err(|error| unavailable(&error))
}

/// No error of the keychain's own holds a secret, but for the ones about badly encoded data, which are not shown.
fn unavailable(error: &Error) -> VaultError {
    VaultError::Unavailable(match error {
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => cause.to_string(),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "it returned something that is not text".to_owned(),
        other => other.to_string(),
    })
}

#[async_trait]
impl Vault for Keychain {
    fn kind(&self) -> VaultKind {
        VaultKind::Keychain
    }

    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        self.run(name, |entry| match entry.get_password() {
            Ok(secret) => Ok(Some(SecretString::from(secret))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    async fn put(&self, name: &str, secret: SecretString) -> Result<(), VaultError> {
        self.run(name, move |entry| entry.set_password(secret.expose_secret())).await
    }

    async fn forget(&self, name: &str) -> Result<(), VaultError> {
        self.run(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }
}
