//! One account of the profile, opened: its store, its engine, and how it stands.

use std::sync::Arc;

use domain::Timestamp;
use engine::engine::{Account, Engine, Ports};
use engine::ports::{Signals, Store, StoreError};
use engine::view::{SessionPhase, Trouble};

use super::{Access, Client, home_error};
use crate::error::ClientError;
use crate::http::{HttpTransport, ServerUrl};
use crate::profile::AccountEntry;
use crate::sqlite::{self, Damage, Identity, Newer, Opened, SqliteStore};
use crate::system::{SystemClock, SystemIds};

/// The account in use.
#[derive(Clone)]
pub(super) struct OpenAccount {
    pub(super) engine: Arc<Engine>,
    pub(super) store: Arc<SqliteStore>,
    /// Set if a newer version wrote the store: it is only read then.
    newer: Option<Newer>,
    damage: Option<Damage>,
    /// Nothing is sent with a store that is only read, so nothing would find out that the session is gone.
    session_is_lost: bool,
}

impl OpenAccount {
    pub(super) fn is_writable(&self) -> bool {
        self.newer.is_none()
    }

    /// Refuses what a store of a newer version cannot take.
    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        match &self.newer {
            Some(newer) => Err(StoreError::Newer { written_by: newer.written_by.clone() }),
            None => Ok(()),
        }
    }

    /// A person has seen that the store was damaged.
    pub(super) async fn acknowledge_damage(&mut self) -> Result<(), ClientError> {
        self.store.acknowledge_damage().await?;
        self.damage = None;
        Ok(())
    }

    /// As the index of accounts keeps it, with role and rights as last heard.
    pub(super) fn entry(&self) -> AccountEntry {
        let account = self.engine.account();
        AccountEntry::new(account.server, account.tenant, account.actor)
    }

    /// The session's phase, and what a person must be told, most pressing first.
    pub(super) async fn standing(&self) -> (SessionPhase, Vec<Trouble>) {
        let store = self.engine.store();
        // A store of a newer version may not be readable at all; then nothing can be said but that.
        let open = store.counts(Timestamp(0)).await.map_or(0, |counts| counts.open);
        let session = store.session().await.unwrap_or_default();
        let mut trouble = Vec::new();
        if let Some(newer) = &self.newer {
            trouble.push(Trouble::StoreNewer { written_by: newer.written_by.clone(), open });
        }
        if let Some(damage) = &self.damage {
            trouble.push(Trouble::StoreDamaged { recovered: damage.recovered, lost: damage.lost });
        }
        match self.engine.missing_again().await {
            Ok(missing) if missing > 0 => trouble.push(Trouble::EpochChanged { missing }),
            // A store that cannot be read says so itself.
            Ok(_) | Err(_) => {}
        }
        let phase = if session.revoked {
            trouble.push(Trouble::SessionRevoked { open });
            SessionPhase::Revoked
        } else if !session.signed_in || self.session_is_lost || self.engine.ambient().sign_in_needed {
            SessionPhase::SignInNeeded
        } else {
            SessionPhase::SignedIn
        };
        (phase, trouble)
    }
}

impl Client {
    /// Opens an account's store and engine.
    pub(super) async fn open_account(&self, entry: AccountEntry) -> Result<OpenAccount, ClientError> {
        let server = ServerUrl::parse(&entry.server)?;
        if self.access == Access::Write {
            self.home.create_account(&entry.name).map_err(|cause| home_error(&self.home, cause))?;
        }
        let Opened { store, damage, newer } = self.open_store(&entry).await?;
        let store = Arc::new(store);
        if let Some(newer) = &newer {
            tracing::error!(newer.written_by, "a newer version wrote the store; it is only read");
        }
        let ports = Ports {
            store: Arc::clone(&store) as Arc<dyn Store>,
            transport: Arc::new(HttpTransport::new(server)),
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            vault: Arc::clone(&self.vault),
            signals: Arc::clone(&self.signals) as Arc<dyn Signals>,
        };
        let device_id = self.accounts().device_id.clone();
        let account = Account { server: entry.server, device_id, tenant: entry.tenant, actor: entry.actor };
        let engine = if self.access == Access::Write && newer.is_none() {
            Engine::start(ports, account).await?
        } else {
            Engine::open_reading(ports, account)
        };
        let is_own_but_newer = self.access == Access::Write && newer.is_some();
        let session_is_lost = is_own_but_newer && !engine.holds_session().await;
        Ok(OpenAccount { engine, store, newer, damage, session_is_lost })
    }

    async fn open_store(&self, entry: &AccountEntry) -> Result<Opened, ClientError> {
        let path = self.home.store_file(&entry.name);
        let identity = Identity {
            tenant_id: entry.tenant.id,
            actor_id: entry.actor.id,
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let access = if self.access == Access::Write { sqlite::Access::Own } else { sqlite::Access::Read };
        // The index names an account only after its store was made.
        let was_there = self.accounts().accounts.iter().any(|known| known.name == entry.name);
        Ok(if was_there {
            SqliteStore::open_again(&path, identity, access).await?
        } else {
            SqliteStore::open(&path, identity, access).await?
        })
    }

    /// Keeps role and rights as last heard, for a start without a network.
    pub(super) fn keep_rights(&self, open: &OpenAccount) {
        let heard = open.entry();
        let is_new = !self.accounts().accounts.contains(&heard);
        if !is_new || self.access == Access::Read {
            return;
        }
        if let Err(error) = self.change_accounts(|accounts| accounts.keep(heard)) {
            tracing::warn!(%error, "the account's rights are not kept");
        }
    }
}
