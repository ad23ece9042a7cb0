//! The accounts of a profile: who was signed in here, and which of them is now. No secret is in it.

use std::io;
use std::path::Path;

use domain::Operation;
use engine::view::{AccountView, Remembered};
use serde::{Deserialize, Serialize};
use wire::{ActorInfo, TenantInfo};

use super::home::account_name;
use super::replace::replace_file;

/// The version of the file this build writes.
const VERSION: u32 = 1;

/// The index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accounts {
    version: u32,
    /// This computer, as the server knows it; made once.
    pub device_id: String,
    /// The name of the account in use; `None` when signed out.
    pub current: Option<String>,
    /// What the sign-in form starts with.
    pub remembered: Option<Remembered>,
    /// Every account that was ever signed in here. None is removed: its store may hold open changes.
    pub accounts: Vec<AccountEntry>,
}

/// One account on one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountEntry {
    /// Its folder's name, and what its secrets are filed under.
    pub name: String,
    /// The server's canonical address.
    pub server: String,
    /// The organization.
    pub tenant: TenantInfo,
    /// The person, with role and rights as last heard.
    pub actor: ActorInfo,
}

impl AccountEntry {
    /// The account of this sign-in.
    pub fn new(server: String, tenant: TenantInfo, actor: ActorInfo) -> Self {
        Self { name: account_name(&server, tenant.id, actor.id), server, tenant, actor }
    }

    /// As windows show it.
    pub fn view(&self) -> AccountView {
        AccountView {
            server: self.server.clone(),
            tenant_id: self.tenant.id,
            tenant_slug: self.tenant.slug.clone(),
            tenant_name: self.tenant.name.clone(),
            actor_id: self.actor.id,
            username: self.actor.username.clone(),
            display_name: self.actor.display_name.clone(),
            role: self.actor.role,
            rights: self.actor.rights.iter().filter_map(|name| Operation::named(name)).collect(),
        }
    }
}

/// The index cannot be used. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// A newer version wrote it.
    #[error("accounts.json was written by a newer version of Onceover")]
    Newer,
    /// It is not what this program writes.
    #[error("accounts.json is damaged: {0}")]
    Damaged(String),
    /// It cannot be read or written.
    #[error("accounts.json cannot be used: {0}")]
    Io(#[from] io::Error),
}

impl Accounts {
    /// The index of a new profile.
    pub fn new(device_id: String) -> Self {
        Self { version: VERSION, device_id, current: None, remembered: None, accounts: Vec::new() }
    }

    /// Reads the index; `None` if there is none yet.
    pub fn read(path: &Path) -> Result<Option<Self>, AccountsError> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let damaged = |error: serde_json::Error| AccountsError::Damaged(error.to_string());
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        if value.get("version").and_then(serde_json::Value::as_u64).is_some_and(|version| version > u64::from(VERSION))
        {
            return Err(AccountsError::Newer);
        }
        serde_json::from_value(value).map(Some).map_err(damaged)
    }

    /// Writes the index: the old or the new one is there after a crash.
    pub fn write(&self, path: &Path) -> Result<(), AccountsError> {
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::from)?;
        text.push('\n');
        Ok(replace_file(path, text.as_bytes())?)
    }

    /// The account in use.
    pub fn current(&self) -> Option<&AccountEntry> {
        let name = self.current.as_deref()?;
        self.accounts.iter().find(|entry| entry.name == name)
    }

    /// Makes this account the one in use and the one that is remembered.
    pub fn sign_in(&mut self, entry: AccountEntry) {
        self.remembered = Some(Remembered {
            server: entry.server.clone(),
            tenant: entry.tenant.slug.clone(),
            username: entry.actor.username.clone(),
        });
        self.current = Some(entry.name.clone());
        self.keep(entry);
    }

    /// Keeps what is known of an account now.
    pub fn keep(&mut self, entry: AccountEntry) {
        self.accounts.retain(|other| other.name != entry.name);
        self.accounts.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use domain::Role;

    use super::*;

    fn entry(actor: &str, username: &str) -> AccountEntry {
        let tenant = TenantInfo {
            id: "0197f3c2-5a10-7000-8000-000000000001".parse().unwrap(),
            slug: "harbour".to_owned(),
            name: "Harbour".to_owned(),
        };
        let actor = ActorInfo {
            id: actor.parse().unwrap(),
            username: username.to_owned(),
            display_name: "A".to_owned(),
            role: Role::Officer,
            rights: vec!["case.create".to_owned(), "case.unknown".to_owned()],
        };
        AccountEntry::new("https://cases.example.org".to_owned(), tenant, actor)
    }

    #[test]
    fn the_index_survives_and_keeps_every_account() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accounts.json");
        assert_eq!(Accounts::read(&path).unwrap(), None);
        let mut accounts = Accounts::new("device".to_owned());
        let (a, b) = ("0197f3c2-5a10-7000-8000-00000000000a", "0197f3c2-5a10-7000-8000-00000000000b");
        for (actor, username) in [(a, "ana"), (b, "ben"), (a, "ana-new-name")] {
            accounts.sign_in(entry(actor, username));
        }
        accounts.write(&path).unwrap();

        let read = Accounts::read(&path).unwrap().unwrap();
        assert_eq!(read, accounts);
        assert_eq!(read.accounts.len(), 2);
        assert_eq!(read.current().unwrap().view().username, "ana-new-name");
        assert_eq!(read.current().unwrap().view().rights, [Operation::CaseCreate]);
        assert_eq!(read.remembered.unwrap().tenant, "harbour");
    }

    #[test]
    fn an_index_that_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accounts.json");
        std::fs::write(&path, "\u{fffd}{").unwrap();
        assert!(matches!(Accounts::read(&path), Err(AccountsError::Damaged(_))));
        std::fs::write(&path, r#"{"version":2,"shape":"unknown"}"#).unwrap();
        assert!(matches!(Accounts::read(&path), Err(AccountsError::Newer)));
    }
}
