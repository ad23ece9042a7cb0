//! `sign-in` and `sign-out`. Secrets come on standard input, never as arguments.

use std::io::BufRead;
use std::path::PathBuf;

use clap::Args;
use client::{ClientError, SignOutChoice};
use domain::Timestamp;
use engine::view::{SessionPhase, Trouble};
use secrecy::{ExposeSecret, SecretString};

use crate::exit::{Exit, Failure};
use crate::output;
use crate::profile::{Profile, tell};

/// `sign-in`.
#[derive(Debug, Args)]
pub(crate) struct SignIn {
    /// The server's address, such as `https://cases.example.org`.
    #[arg(long, value_name = "URL")]
    server: String,
    /// The organization's short name.
    #[arg(long, value_name = "SLUG")]
    tenant: String,
    /// The user name.
    #[arg(long, value_name = "NAME")]
    username: String,
    /// Read the password from the first line of standard input.
    #[arg(long, required = true)]
    password_stdin: bool,
}

/// `sign-out`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("choice").multiple(false))]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct SignOut {
    /// Keep open changes for the next sign-in of this account.
    #[arg(long, group = "choice")]
    keep: bool,
    /// Keep them, and write a copy into an age file under a passphrase.
    #[arg(long, group = "choice", value_name = "FILE", requires = "passphrase_stdin")]
    export: Option<PathBuf>,
    /// Read the passphrase from the first line of standard input.
    #[arg(long, requires = "export")]
    passphrase_stdin: bool,
    /// Never send them.
    #[arg(long, group = "choice", requires = "yes")]
    discard: bool,
    /// Really discard.
    #[arg(long, requires = "discard")]
    yes: bool,
}

pub(crate) async fn sign_in(profile: &Profile, command: SignIn) -> Result<Exit, Failure> {
    debug_assert!(command.password_stdin, "clap requires it");
    let password = secret_line("password")?;
    let client = profile.writing().await?;
    let was_told = client.engine().is_ok();
    let view = client.sign_in(&command.server, &command.tenant, &command.username, password).await?;
    if let Some(account) = &view.account {
        let name = output::tame(&account.display_name);
        output::message(&format!("Signed in as {name} at {} ({})", output::tame(&account.tenant_name), account.server));
    }
    if profile.json {
        output::document(&view);
    }
    if !was_told {
        view.trouble.iter().for_each(tell);
    }
    // The person who signs in has seen it.
    if view.trouble.iter().any(|trouble| matches!(trouble, Trouble::StoreDamaged { .. })) {
        client.acknowledge_damage().await?;
    }
    client.close().await;
    Ok(Exit::Done)
}

pub(crate) async fn sign_out(profile: &Profile, command: SignOut) -> Result<Exit, Failure> {
    let passphrase = if command.passphrase_stdin { Some(secret_line("passphrase")?) } else { None };
    let client = profile.writing().await?;
    let open = match client.engine() {
        Ok(engine) => engine.store().counts(Timestamp(0)).await?.open,
        Err(ClientError::SignedOut) => 0,
        Err(error) => return Err(error.into()),
    };
    let choice = match (command.export, passphrase) {
        (Some(file), Some(passphrase)) => Some(SignOutChoice::Export { file, passphrase }),
        _ if command.discard => Some(SignOutChoice::Discard { confirmed_count: open }),
        _ if command.keep => Some(SignOutChoice::Keep),
        _ => None,
    };
    let discards = command.discard;
    let view = client.sign_out(choice).await?;
    debug_assert_eq!(view.phase, SessionPhase::SignedOut);
    let left = if open == 0 {
        String::new()
    } else if discards {
        format!("; {open} changes were discarded")
    } else {
        format!("; {open} changes are kept for the next sign-in")
    };
    output::message(&format!("Signed out{left}"));
    if profile.json {
        output::document(&view);
    }
    client.close().await;
    Ok(Exit::Done)
}

/// The first line of standard input, without its line break.
fn secret_line(what: &str) -> Result<SecretString, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::bad_data(format!("the {what} could not be read: {error}")))?;
    let secret = SecretString::from(line.trim_end_matches(['\r', '\n']));
    if secret.expose_secret().is_empty() {
        return Err(Failure::bad_data(format!("the {what} on standard input is empty")));
    }
    Ok(secret)
}
