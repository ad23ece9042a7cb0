//! The profile's folder, disk, lock, accounts and vault.

use std::path::Path;

use client::VaultChoice;
use client::profile::{Accounts, AccountsError, Home, ProfileLock};
use client::vault::{FileVault, Keychain, PASSPHRASE_VARIABLE};
use engine::ports::{Vault, VaultError};
use secrecy::SecretString;

use super::Finding;
use crate::exit::Exit;
use crate::profile::vault_choice;

/// Less than this is worth a warning.
const FREE_BYTES_LOW: u64 = 200 << 20;
/// Less than this and saving will fail soon.
const FREE_BYTES_LEAST: u64 = 20 << 20;

pub(super) fn folder(home: &Home) -> Finding {
    let folder = home.folder();
    let shown = folder.display();
    if !folder.exists() {
        return Finding::warn("profile", format!("{shown} does not exist yet; see onceover sign-in"));
    }
    // A file that is gone again when this function ends: permissions alone do not say whether writing works.
    match tempfile::NamedTempFile::new_in(folder) {
        Ok(_) => Finding::ok("profile", format!("{shown} can be written")),
        Err(error) => Finding::fail("profile", Exit::Storage, format!("{shown} cannot be written: {error}")),
    }
}

pub(super) fn free_disk(home: &Home) -> Finding {
    let existing = home.folder().ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    match fs4::available_space(existing) {
        Err(error) => Finding::warn("disk", format!("free space is not known: {error}")),
        Ok(bytes) => {
            let detail = format!("{} MiB free", bytes >> 20);
            match bytes {
                0..FREE_BYTES_LEAST => Finding::fail("disk", Exit::Storage, detail),
                FREE_BYTES_LEAST..FREE_BYTES_LOW => Finding::warn("disk", detail),
                _ => Finding::ok("disk", detail),
            }
        }
    }
}

pub(super) fn lock(home: &Home) -> Finding {
    match ProfileLock::holder(&home.lock_file()) {
        Ok(None) => Finding::ok("lock", "nobody writes to this profile now"),
        Ok(Some(None)) => Finding::ok("lock", "another process writes to this profile"),
        Ok(Some(Some(holder))) => {
            Finding::ok("lock", format!("process {} writes to this profile since {}", holder.pid, holder.started_at))
        }
        Err(error) => Finding::fail("lock", Exit::Storage, error.to_string()),
    }
}

pub(super) fn accounts(home: &Home) -> (Finding, Option<Accounts>) {
    const CHECK: &str = "account";
    match Accounts::read(&home.accounts_file()) {
        Ok(None) => (Finding::warn(CHECK, "nobody has signed in with this profile yet"), None),
        Ok(Some(accounts)) => {
            let finding = match accounts.current() {
                Some(entry) => {
                    let who = format!("{} at {} ({})", entry.actor.username, entry.tenant.slug, entry.server);
                    Finding::ok(CHECK, who)
                }
                None => Finding::warn(CHECK, "signed out"),
            };
            (finding, Some(accounts))
        }
        Err(error @ (AccountsError::Newer | AccountsError::Damaged(_) | AccountsError::Io(_))) => {
            (Finding::fail(CHECK, Exit::Storage, error.to_string()), None)
        }
    }
}

pub(super) async fn vault(home: &Home, accounts: &Accounts) -> Finding {
    const CHECK: &str = "vault";
    let (kind, usable) = match vault_choice() {
        Err(failure) => return Finding::fail(CHECK, Exit::Usage, failure.message),
        Ok(VaultChoice::File) => {
            let passphrase = std::env::var(PASSPHRASE_VARIABLE).ok().map(SecretString::from);
            let vault = FileVault::new(home.vault_file(), passphrase);
            ("encrypted file", vault.get("probe").await.map(|_| ()))
        }
        Ok(VaultChoice::Keychain | VaultChoice::KeychainOrMemory | VaultChoice::Memory) => {
            ("keychain", Keychain::new(accounts.device_id.clone()).check().await)
        }
    };
    match usable {
        Ok(()) => Finding::ok(CHECK, format!("{kind}, usable")),
        Err(error @ VaultError::Io(_)) => Finding::fail(CHECK, Exit::Storage, format!("{kind}: {error}")),
        Err(error) => Finding::fail(CHECK, Exit::SignIn, format!("{kind}: {error}")),
    }
}
