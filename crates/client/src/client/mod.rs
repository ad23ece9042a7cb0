//! The one way into everything below: a profile opened by this process, with the account that is signed in.
//!
//! The shell and the command line differ only in their [`Options`]. Reading takes no lock, so a command line can look
//! at a profile while a window writes to it.

mod account;
#[cfg(test)]
mod newer_store;
mod sign_in;
mod sign_out;
mod signals;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use engine::engine::Engine;
use engine::ports::{Ids, Signals, Vault};
use engine::view::{SessionPhase, SessionView, Trouble, Versions};
use secrecy::SecretString;

use self::account::OpenAccount;
pub use self::sign_out::SignOutChoice;
use self::signals::CountedSignals;
use crate::error::ClientError;
use crate::http::{ServerProbe, ServerUrl, probe};
use crate::profile::{Accounts, Home, ProfileLock};
use crate::system::SystemIds;
use crate::vault::{FileVault, Keychain, MemoryVault, PASSPHRASE_VARIABLE};

/// How a profile is opened.
pub struct Options {
    /// The profile's folder; see [`crate::profile::default_home`].
    pub home: PathBuf,
    /// Where the session's secrets are.
    pub vault: VaultChoice,
    /// Whether anything is to be written.
    pub access: Access,
    /// Whether changes are delivered and pulled in the background while an account is open.
    pub in_background: bool,
    /// Who is told that something changed.
    pub signals: Arc<dyn Signals>,
    /// How long to wait for another process to let go of the profile.
    pub lock_wait_ms: u64,
}

/// Where the session's secrets are to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultChoice {
    /// In the keychain; without a usable one, signing in fails.
    Keychain,
    /// In the keychain; without a usable one, in memory, which the session's view says.
    KeychainOrMemory,
    /// In the profile's vault file, under the passphrase in [`PASSPHRASE_VARIABLE`].
    File,
    /// In memory.
    Memory,
}

/// What a process may do with a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything; only one process at a time.
    Write,
    /// Look; beside any other process.
    Read,
}

/// A profile, opened.
pub struct Client {
    home: Home,
    access: Access,
    in_background: bool,
    vault: Arc<dyn Vault>,
    keychain_missing: bool,
    signals: Arc<CountedSignals>,
    accounts: Mutex<Accounts>,
    open: Mutex<Option<OpenAccount>>,
    /// Signing in, signing out and closing take turns.
    turn: tokio::sync::Mutex<()>,
    lock: Mutex<Option<ProfileLock>>,
}

impl Client {
    /// Opens a profile and the account that is signed in with it. Sends nothing, unless delivery runs in the
    /// background.
    ///
    /// # Errors
    /// The profile is in use, or it, its index or the account's store cannot be used; nothing is lost then.
    pub async fn open(options: Options) -> Result<Arc<Self>, ClientError> {
        let home = Home::new(options.home);
        let lock = match options.access {
            Access::Read => None,
            Access::Write => {
                home.create().map_err(|cause| home_error(&home, cause))?;
                Some(ProfileLock::take(&home.lock_file(), options.lock_wait_ms).await?)
            }
        };
        let accounts = read_accounts(&home, options.access)?;
        let (vault, keychain_missing) = choose_vault(options.vault, &home, &accounts.device_id).await;
        let client = Self {
            home,
            access: options.access,
            in_background: options.in_background,
            vault,
            keychain_missing,
            signals: Arc::new(CountedSignals::new(options.signals)),
            accounts: Mutex::new(accounts),
            open: Mutex::new(None),
            turn: tokio::sync::Mutex::default(),
            lock: Mutex::new(lock),
        };
        let current = client.accounts().current().cloned();
        if let Some(entry) = current {
            let account = client.open_account(entry).await?;
            client.begin(account);
        }
        Ok(Arc::new(client))
    }

    /// The profile's folder.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The engine of the account that is signed in.
    ///
    /// # Errors
    /// [`ClientError::SignedOut`].
    pub fn engine(&self) -> Result<Arc<Engine>, ClientError> {
        self.opened().map(|open| open.engine).ok_or(ClientError::SignedOut)
    }

    /// Who is signed in, and what a person must be told about it.
    pub async fn session(&self) -> Result<SessionView, ClientError> {
        let mut view = SessionView {
            phase: SessionPhase::SignedOut,
            account: None,
            vault: self.vault.kind(),
            remembered: self.accounts().remembered.clone(),
            trouble: Vec::new(),
        };
        if let Some(open) = self.opened() {
            self.keep_rights(&open);
            view.account = Some(open.entry().view());
            (view.phase, view.trouble) = open.standing().await;
        }
        if self.keychain_missing {
            view.trouble.push(Trouble::KeychainMissing);
        }
        Ok(view)
    }

    /// The newest version of each scope.
    pub async fn versions(&self) -> Result<Versions, ClientError> {
        let stored = match self.opened() {
            Some(open) => open.engine.store().versions().await?,
            None => Versions::default(),
        };
        Ok(Versions { session: self.signals.session(), link: self.signals.link(), ..stored })
    }

    /// Looks whether our server is at this address, before a password is sent there.
    pub async fn probe(&self, server: &str) -> Result<ServerProbe, ClientError> {
        Ok(probe(&ServerUrl::parse(server)?).await)
    }

    /// A person has seen that the store was damaged: it is not said again.
    pub async fn acknowledge_damage(&self) -> Result<(), ClientError> {
        self.check_writing()?;
        let mut open = self.opened().ok_or(ClientError::SignedOut)?;
        open.acknowledge_damage().await?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(open);
        self.signals.session_changed();
        Ok(())
    }

    /// Ends delivery and lets go of the profile. What is in flight is in doubt, and found so by the next start.
    pub async fn close(&self) {
        let _turn = self.turn.lock().await;
        self.end().await;
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn accounts(&self) -> std::sync::MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> Option<OpenAccount> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes this the account in use and, if so asked, delivers its changes from now on.
    fn begin(&self, account: OpenAccount) {
        if self.in_background && account.is_writable() {
            tokio::spawn(Arc::clone(&account.engine).run());
        }
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(account);
    }

    /// Stops the account in use and closes its store; afterwards there is none.
    async fn end(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(open) = open {
            open.engine.stop().await;
            self.keep_rights(&open);
            open.store.close().await;
        }
    }

    /// Changes the index of accounts, in memory only once it is durable.
    fn change_accounts(&self, change: impl FnOnce(&mut Accounts)) -> Result<(), ClientError> {
        let mut accounts = self.accounts();
        let mut changed = accounts.clone();
        change(&mut changed);
        changed.write(&self.home.accounts_file())?;
        *accounts = changed;
        Ok(())
    }

    fn check_writing(&self) -> Result<(), ClientError> {
        if self.access == Access::Write { Ok(()) } else { Err(ClientError::Reading) }
    }
}

fn home_error(home: &Home, cause: std::io::Error) -> ClientError {
    ClientError::Home { folder: home.folder().display().to_string(), cause }
}

fn read_accounts(home: &Home, access: Access) -> Result<Accounts, ClientError> {
    if let Some(accounts) = Accounts::read(&home.accounts_file())? {
        return Ok(accounts);
    }
    let accounts = Accounts::new(SystemIds.new_id().to_string());
    if access == Access::Write {
        accounts.write(&home.accounts_file())?;
    }
    Ok(accounts)
}

/// The vault, and whether it stands in for a keychain that is not usable.
async fn choose_vault(choice: VaultChoice, home: &Home, device_id: &str) -> (Arc<dyn Vault>, bool) {
    let keychain = Keychain::new(device_id);
    match choice {
        VaultChoice::Keychain => (Arc::new(keychain), false),
        VaultChoice::KeychainOrMemory => match keychain.check().await {
            Ok(()) => (Arc::new(keychain), false),
            Err(error) => {
                tracing::warn!(%error, "the session is kept in memory");
                (Arc::new(MemoryVault::default()), true)
            }
        },
        VaultChoice::File => {
            let passphrase = std::env::var(PASSPHRASE_VARIABLE).ok().map(SecretString::from);
            (Arc::new(FileVault::new(home.vault_file(), passphrase)), false)
        }
        VaultChoice::Memory => (Arc::new(MemoryVault::default()), false),
    }
}
