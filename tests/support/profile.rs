//! A profile in a folder of its own, used through the client library in this process.

use std::sync::Arc;

use client::{Access, Client, Options, VaultChoice};
use engine::engine::Engine;
use engine::ports::Signals;
use engine::view::Signal;
use secrecy::SecretString;
use tempfile::TempDir;

use crate::server::{PASSWORD, TENANT};

/// A profile that is signed in.
pub struct Profile {
    /// The client that owns it.
    pub client: Arc<Client>,
    _home: TempDir,
}

impl Profile {
    /// Signs in with [`PASSWORD`]; nothing runs in the background.
    pub async fn signed_in(server: &str, user: &str) -> Self {
        Self::opened(server, user, false).await
    }

    /// The same, delivering in the background as the desktop does.
    pub async fn signed_in_delivering(server: &str, user: &str) -> Self {
        Self::opened(server, user, true).await
    }

    async fn opened(server: &str, user: &str, in_background: bool) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let options = Options {
            home: home.path().to_owned(),
            vault: VaultChoice::Memory,
            access: Access::Write,
            in_background,
            signals: Arc::new(Silence),
            lock_wait_ms: 0,
        };
        let client = Client::open(options).await.expect("the profile opens");
        let password = SecretString::from(PASSWORD);
        client.sign_in(server, TENANT, user, password).await.expect("sign-in works");
        Self { client, _home: home }
    }

    /// The account's engine.
    pub fn engine(&self) -> Arc<Engine> {
        self.client.engine().expect("the profile is signed in")
    }
}

/// Nobody listens.
struct Silence;

impl Signals for Silence {
    fn emit(&self, _signal: Signal) {}
}
