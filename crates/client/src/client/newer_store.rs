//! A profile whose account's store was written by a newer version: what the session says, and what signing out leaves.

use std::sync::{Arc, Mutex};

use domain::{ActorId, Role, TenantId};
use engine::ports::{Signals, StoreError, StoredSession};
use engine::view::{Scope, SessionPhase, Signal, Trouble};
use secrecy::SecretString;
use sqlx::Connection;
use tempfile::TempDir;
use uuid::Uuid;
use wire::{ActorInfo, TenantInfo};

use super::account::OpenAccount;
use super::{Access, Client, Options, SignOutChoice, VaultChoice};
use crate::profile::{AccountEntry, Accounts, Home};
use crate::sqlite::{self, Identity, SqliteStore};

/// Nobody listens there: signing out must not need the server.
const SERVER: &str = "http://127.0.0.1:1";

#[derive(Default)]
struct Heard(Mutex<Vec<Signal>>);

impl Signals for Heard {
    fn emit(&self, signal: Signal) {
        self.0.lock().unwrap().push(signal);
    }
}

fn entry() -> AccountEntry {
    let id = |n: u128| Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 | n);
    let tenant = TenantInfo { id: TenantId(id(1)), slug: "harbour".to_owned(), name: "Harbour".to_owned() };
    let actor = ActorInfo {
        id: ActorId(id(2)),
        username: "mara".to_owned(),
        display_name: "Mara".to_owned(),
        role: Role::Officer,
        rights: Vec::new(),
    };
    AccountEntry::new(SERVER.to_owned(), tenant, actor)
}

/// A profile with an account that is signed in, as a newer version left it.
async fn profile() -> TempDir {
    let dir = TempDir::new().unwrap();
    let (home, entry) = (Home::new(dir.path()), entry());
    home.create().unwrap();
    home.create_account(&entry.name).unwrap();
    let identity = Identity {
        tenant_id: entry.tenant.id,
        actor_id: entry.actor.id,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let path = home.store_file(&entry.name);
    let store = SqliteStore::open(&path, identity, sqlite::Access::Own).await.unwrap().store;
    let session = StoredSession { version: 1, revoked: false, signed_in: true };
    engine::ports::Store::set_session(&store, session).await.unwrap();
    store.close().await;
    let mut db = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'of a later version', true, x'00', 0)";
    sqlx::query(newer).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
    let mut accounts = Accounts::new("device".to_owned());
    accounts.sign_in(entry);
    accounts.write(&home.accounts_file()).unwrap();
    dir
}

async fn start(dir: &TempDir, heard: &Arc<Heard>) -> Arc<Client> {
    let options = Options {
        home: dir.path().to_owned(),
        vault: VaultChoice::Memory,
        access: Access::Write,
        in_background: true,
        signals: Arc::clone(heard) as Arc<dyn Signals>,
        lock_wait_ms: 0,
    };
    Client::open(options).await.unwrap()
}

fn secret_name(account: &OpenAccount) -> String {
    let account = account.engine.account();
    format!("refresh {} {} {}", account.server, account.tenant.id, account.actor.id)
}

/// The session was in memory: after a restart it is gone, and nothing is sent that would find that out.
#[tokio::test]
async fn a_session_that_ended_with_the_process_is_not_called_signed_in() {
    let dir = profile().await;
    let client = start(&dir, &Arc::default()).await;
    let view = client.session().await.unwrap();
    assert_eq!(view.phase, SessionPhase::SignInNeeded);
    assert!(matches!(view.trouble[..], [Trouble::StoreNewer { .. }]), "{:?}", view.trouble);
    // Nor is a new one begun: its secret would be left behind.
    assert!(matches!(client.opened().unwrap().check_writable(), Err(StoreError::Newer { .. })));
    client.close().await;
}

#[tokio::test]
async fn signing_out_forgets_the_secret_though_the_store_is_only_read() {
    let dir = profile().await;
    let heard = Arc::new(Heard::default());
    let client = start(&dir, &heard).await;
    let open = client.opened().unwrap();
    let name = secret_name(&open);
    client.vault.put(&name, SecretString::from("secret")).await.unwrap();
    assert!(open.engine.holds_session().await);
    let before = client.versions().await.unwrap();
    let view = client.sign_out(Some(SignOutChoice::Keep)).await.unwrap();
    assert_eq!(view.phase, SessionPhase::SignedOut);
    assert!(client.vault.get(&name).await.unwrap().is_none());
    // Windows hear that the account is another one now: none.
    let session = client.versions().await.unwrap().session;
    assert!(session > before.session);
    let told = heard.0.lock().unwrap().iter().rfind(|signal| signal.scope == Scope::Session).copied();
    assert_eq!(told.map(|signal| signal.version), Some(session));
    client.close().await;
}
