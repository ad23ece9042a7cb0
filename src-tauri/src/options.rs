//! How the program was started.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Onceover: case work that goes on without a network.
#[derive(Debug, Clone, Parser)]
#[command(name = "onceover-desktop", version)]
pub(crate) struct Options {
    /// The folder of the profile; without it, this person's own.
    #[arg(long, env = "ONCEOVER_HOME", value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Where the session's secrets are kept.
    #[arg(long, env = "ONCEOVER_VAULT", value_name = "WHERE", default_value = "keychain")]
    pub vault: Vault,
}

/// Where the session's secrets are kept. Never in clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vault {
    /// In the system's keychain; where there is none, in memory, and the window says so.
    Keychain,
    /// In the profile, encrypted with `ONCEOVER_VAULT_PASSPHRASE`.
    File,
    /// In memory: until the program ends.
    Memory,
}
