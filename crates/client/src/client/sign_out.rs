//! Signing out: nothing more leaves, and open changes stay, unless a person confirmed how many are discarded.

use std::path::{Path, PathBuf};

use domain::{CommandId, Timestamp};
use engine::engine::{Engine, EngineError};
use engine::ports::{OutboxFilter, StoreError};
use engine::view::SessionView;
use secrecy::SecretString;
use serde_json::json;

use super::Client;
use super::account::OpenAccount;
use crate::error::ClientError;
use crate::profile::create_file;
use crate::vault::encrypt;

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
    /// Signs out. Without a choice it does so only if nothing is open.
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
        check_choice(choice.as_ref(), engine.store().counts(Timestamp(0)).await?.open)?;
        self.end().await;
        let done = carry_out(engine, choice).await;
        if done.is_err() {
            // As it was: the account stays in use.
            self.begin(open.clone());
        }
        done?;
        match engine.sign_out().await {
            Ok(()) => {}
            // The session's mark in a store that can only be read stays; without its tokens nothing can be sent.
            Err(EngineError::Store(StoreError::Newer { .. } | StoreError::ReadOnly)) if !open.is_writable() => {}
            Err(error) => {
                self.begin(open.clone());
                return Err(error.into());
            }
        }
        self.change_accounts(|accounts| accounts.current = None)?;
        open.store.close().await;
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

async fn carry_out(engine: &Engine, choice: Option<SignOutChoice>) -> Result<(), ClientError> {
    // Once more, now that nothing is being sent any more.
    check_choice(choice.as_ref(), engine.store().counts(Timestamp(0)).await?.open)?;
    match choice {
        None | Some(SignOutChoice::Keep) => Ok(()),
        Some(SignOutChoice::Export { file, passphrase }) => export(engine, &file, &passphrase).await,
        Some(SignOutChoice::Discard { .. }) => discard_open(engine).await,
    }
}

async fn open_commands(engine: &Engine) -> Result<Vec<CommandId>, ClientError> {
    let rows = engine.store().outbox(OutboxFilter::default()).await?;
    Ok(rows.into_iter().map(|row| row.command_id).collect())
}

/// Discards what is open. Discarding one row can settle others, so each is looked for again before its turn.
async fn discard_open(engine: &Engine) -> Result<(), ClientError> {
    for command in open_commands(engine).await? {
        if open_commands(engine).await?.contains(&command) {
            engine.discard(command, true).await?;
        }
    }
    // Successors of what was discarded.
    for command in open_commands(engine).await? {
        engine.discard(command, true).await?;
    }
    Ok(())
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
