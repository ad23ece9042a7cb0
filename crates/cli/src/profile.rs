//! The profile a call works on, and how it is opened.

use std::path::PathBuf;
use std::sync::Arc;

use client::profile::{Home, default_home};
use client::{Access, Client, ClientError, Options, VaultChoice};
use engine::ports::Signals;
use engine::view::{Signal, Trouble};

use crate::exit::{Exit, Failure};
use crate::output;

/// How long a writing call waits for another process to end.
const LOCK_WAIT_MS: u64 = 2_000;

/// Which profile, and how its answers look.
pub(crate) struct Profile {
    home: PathBuf,
    pub(crate) json: bool,
}

/// Nobody listens: each call reads what it shows.
struct NoSignals;

impl Signals for NoSignals {
    fn emit(&self, _: Signal) {}
}

impl Profile {
    pub(crate) fn new(home: Option<PathBuf>, json: bool) -> Result<Self, Failure> {
        let home = home.or_else(default_home);
        let home = home.ok_or_else(|| Failure::usage("no folder for the profile is known; give --home DIR"))?;
        Ok(Self { home, json })
    }

    pub(crate) fn home(&self) -> Home {
        Home::new(&self.home)
    }

    /// Opens it for looking, beside any other process.
    pub(crate) async fn reading(&self) -> Result<Arc<Client>, Failure> {
        start_logs(None);
        let client = self.open(Access::Read, Arc::new(NoSignals)).await?;
        tell_all(&client).await?;
        Ok(client)
    }

    /// Opens it for writing, as its only owner.
    pub(crate) async fn writing(&self) -> Result<Arc<Client>, Failure> {
        self.writing_with(Arc::new(NoSignals)).await
    }

    /// Opens it for writing and listens to what changes.
    pub(crate) async fn writing_with(&self, signals: Arc<dyn Signals>) -> Result<Arc<Client>, Failure> {
        let home = self.home();
        let unusable = |cause| ClientError::Home { folder: self.home.display().to_string(), cause };
        home.create().map_err(unusable)?;
        start_logs(Some(home));
        let client = self.open(Access::Write, signals).await?;
        tell_all(&client).await?;
        Ok(client)
    }

    async fn open(&self, access: Access, signals: Arc<dyn Signals>) -> Result<Arc<Client>, Failure> {
        let vault = vault_choice()?;
        let options = Options {
            home: self.home.clone(),
            vault,
            access,
            in_background: false,
            signals,
            lock_wait_ms: LOCK_WAIT_MS,
        };
        Ok(Client::open(options).await?)
    }
}

fn start_logs(home: Option<Home>) {
    if let Err(error) = client::logs::start(home.map(|home| home.logs_folder()).as_deref()) {
        output::message(&format!("onceover: no log is written: {error}"));
    }
}

async fn tell_all(client: &Client) -> Result<(), Failure> {
    client.session().await?.trouble.iter().for_each(tell);
    Ok(())
}

/// What a person must know about the profile, whatever they asked for.
pub(crate) fn tell(trouble: &Trouble) {
    let text = match trouble {
        Trouble::StoreNewer { written_by, open } => format!(
            "this profile was last used by a newer version ({written_by}); nothing is changed or sent, {open} changes wait"
        ),
        Trouble::StoreDamaged { recovered, lost } => format!(
            "the store was damaged and was moved aside; {}; see onceover outbox list",
            what_became(*recovered, *lost)
        ),
        Trouble::EpochChanged { missing: 1 } => {
            "the server was put back to an earlier time: 1 change, already received once, is no longer there; it was \
             not sent again: decide about it (outbox list)"
                .to_owned()
        }
        Trouble::EpochChanged { missing } => format!(
            "the server was put back to an earlier time: {missing} changes, already received once, are no longer \
             there; they were not sent again: decide for each one (outbox list)"
        ),
        Trouble::KeychainMissing => "no usable keychain: the session ends with this call".to_owned(),
        Trouble::SessionRevoked { open } => format!(
            "the server ended this account's sessions, as it does when access is ended and when it was put back to an \
             earlier time; nothing is sent before you sign in again, {open} changes stay here"
        ),
    };
    output::message(&format!("onceover: {text}"));
}

/// What became of a damaged store's changes.
pub(crate) fn what_became(recovered: u32, lost: Option<u32>) -> String {
    let lost = match lost {
        Some(lost) => format!("{lost} were lost"),
        None => "how many unsent changes were in it is not known".to_owned(),
    };
    format!("{recovered} open changes were read back and wait for you, {lost}")
}

/// `ONCEOVER_VAULT`.
pub(crate) fn vault_choice() -> Result<VaultChoice, Failure> {
    match std::env::var("ONCEOVER_VAULT").as_deref() {
        Err(_) | Ok("" | "keychain") => Ok(VaultChoice::Keychain),
        Ok("file") => Ok(VaultChoice::File),
        Ok(other) => {
            Err(Failure::new(Exit::Usage, format!("ONCEOVER_VAULT is \"{other}\"; it can be keychain or file")))
        }
    }
}
