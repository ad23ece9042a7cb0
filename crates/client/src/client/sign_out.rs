//! Signing out: nothing more leaves, and open changes stay, unless a person confirmed how many are discarded.

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::{CommandId, Timestamp};
use engine::delivery::StateName;
use engine::engine::{Engine, EngineError};
use engine::ports::OutboxFilter;
use engine::view::SessionView;
use secrecy::SecretString;
use serde_json::json;
use tokio::time::sleep;

use super::Client;
use super::account::OpenAccount;
use crate::error::ClientError;
use crate::profile::create_file;
use crate::vault::encrypt;

/// How often, and how many times, a sign-out looks whether something is still being sent: 40 s in all.
const SENDING_LOOK_MS: u64 = 100;
const SENDING_LOOKS_MAX: u32 = 400;

/// What becomes of changes that are not received.
#[derive(Debug, Clone)]
pub enum SignOutChoice {
    /// They stay for the next sign-in of this account.
    Keep,
    /// They stay, and a copy goes into an `age` file under a passphrase. The file must not exist yet.
    Export {
        /// Where to.
        file: PathBuf,
        /// Under what.
        passphrase: SecretString,
    },
    /// They are never sent. A person confirmed how many.
    Discard {
        /// The number that was shown and confirmed.
        confirmed_count: u32,
    },
}

impl Client {
    /// Signs out. Without a choice it does so only if nothing is open. A row that the server had applied already counts as
    /// received, not as discarded.
    ///
    /// # Errors
    /// [`ClientError::OpenChanges`] and [`ClientError::CountMismatch`]: nothing was done.
    pub async fn sign_out(&self, choice: Option<SignOutChoice>) -> Result<SessionView, ClientError> {
        self.check_writing()?;
        let turn = self.turn.lock().await;
        if let Some(open) = self.opened() {
            self.leave(&open, choice).await?;
            self.signals.session_changed();
        }
        drop(turn);
        self.session().await
    }

    async fn leave(&self, open: &OpenAccount, choice: Option<SignOutChoice>) -> Result<(), ClientError> {
        let engine = &open.engine;
        let open_count = match engine.store().counts(Timestamp(0)).await {
            Ok(counts) => counts.open,
            // A store of a newer version may not be readable at all. Its rows stay, whatever they are.
            Err(_) if !open.is_writable() => 0,
            Err(error) => return Err(error.into()),
        };
        check_choice(choice.as_ref(), open_count)?;
        match choice {
            None | Some(SignOutChoice::Keep) => {}
            Some(SignOutChoice::Export { file, passphrase }) => export(engine, &file, &passphrase).await?,
            Some(SignOutChoice::Discard { confirmed_count }) => {
                let was_paused = engine.ambient().paused;
                engine.set_paused(true);
                let discarded = discard_open(engine, confirmed_count).await;
                engine.set_paused(was_paused);
                discarded?;
            }
        }
        engine.sign_out().await?;
        self.end().await;
        self.change_accounts(|accounts| accounts.current = None)?;
        tracing::info!("signed out");
        Ok(())
    }
}

fn check_choice(choice: Option<&SignOutChoice>, open: u32) -> Result<(), ClientError> {
    match choice {
        None if open > 0 => Err(ClientError::OpenChanges { open }),
        Some(SignOutChoice::Discard { confirmed_count }) if *confirmed_count != open => {
            Err(ClientError::CountMismatch { open, confirmed: *confirmed_count })
        }
        _ => Ok(()),
    }
}

async fn open_commands(engine: &Engine) -> Result<Vec<CommandId>, ClientError> {
    let rows = engine.store().outbox(OutboxFilter::default()).await?;
    Ok(rows.into_iter().map(|row| row.command_id).collect())
}

/// Discards the open rows once nothing is under way, if they are as many as were confirmed. Rows in doubt are sealed at
/// the server first; where it does not answer, they are recorded as discarded in doubt.
async fn discard_open(engine: &Engine, confirmed: u32) -> Result<(), ClientError> {
    until_nothing_is_sent(engine).await?;
    let open = engine.store().counts(Timestamp(0)).await?.open;
    check_choice(Some(&SignOutChoice::Discard { confirmed_count: confirmed }), open)?;
    // Discarding one row can settle the ones behind it, or put successors in their place: the first is taken each time.
    let mut last = None;
    while let Some(command) = open_commands(engine).await?.first().copied() {
        if last == Some(command) {
            return Err(EngineError::NotAllowed(format!("change {command} cannot be discarded now")).into());
        }
        last = Some(command);
        engine.discard(command, true).await?;
    }
    Ok(())
}

/// Waits for the sends under way; each ends within the transport's limits.
async fn until_nothing_is_sent(engine: &Engine) -> Result<(), ClientError> {
    const UNDER_WAY: [StateName; 2] = [StateName::Claimed, StateName::Sending];
    for _ in 0..SENDING_LOOKS_MAX {
        let counts = engine.store().counts(Timestamp(0)).await?;
        if UNDER_WAY.iter().all(|state| counts.by_state.get(state).is_none_or(|count| *count == 0)) {
            return Ok(());
        }
        sleep(Duration::from_millis(SENDING_LOOK_MS)).await;
    }
    Err(EngineError::NotAllowed("a change is still being sent".to_owned()).into())
}

/// Writes the open rows, with their payloads and pasts, into a new file under a passphrase.
async fn export(engine: &Engine, file: &Path, passphrase: &SecretString) -> Result<(), ClientError> {
    let mut rows = Vec::new();
    for command in open_commands(engine).await? {
        rows.extend(engine.store().outbox_detail(command, engine.ambient()).await?);
    }
    let account = engine.account();
    let document = json!({
        "format": "onceover-open-changes",
        "version": 1,
        "exported_at": Timestamp(jiff::Timestamp::now().as_millisecond()),
        "server": account.server,
        "tenant": account.tenant,
        "actor": account.actor,
        "rows": rows,
    });
    let plain = serde_json::to_vec_pretty(&document).map_err(|error| ClientError::Export(error.into()))?;
    let (file, passphrase) = (file.to_owned(), passphrase.clone());
    let written = tokio::task::spawn_blocking(move || {
        let sealed = encrypt(&plain, &passphrase)?;
        create_file(&file, &sealed).map_err(ClientError::Export)
    });
    written.await.unwrap_or_else(|error| Err(ClientError::Export(std::io::Error::other(error))))
}
