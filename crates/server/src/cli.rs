//! The command line of `onceover-server` (CONTRACT 7), its exit codes and its messages.

mod admin;
mod audit;
mod carrier;
mod check;
mod database;
mod import;
mod migrate;
mod purge;
mod restore;
mod serve;
mod webhook;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::cli::database::Database;
use crate::config::{Config, ConfigError, Settings};

/// The receiver of Onceover.
#[derive(Debug, Parser)]
#[command(name = "onceover-server", version)]
struct Cli {
    /// `sqlite:PATH` or `postgres://USER@HOST/DATABASE`, `sqlite:onceover.db` unless set; a password belongs in
    /// PGPASSWORD or ~/.pgpass, not here
    #[arg(long, global = true)]
    database: Option<String>,
    /// A TOML file with settings; variables of the environment and this command line win
    #[arg(long, global = true, env = "ONCEOVER_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer clients until told to stop; prints one line when ready.
    Serve(serve::Serve),
    /// Organizations.
    #[command(subcommand)]
    Tenant(admin::Tenant),
    /// People of an organization.
    #[command(subcommand)]
    User(admin::User),
    /// Take cases over from a file; again is safe, by their external ids.
    Import(import::Import),
    /// List what was attempted, oldest first.
    Audit(audit::Audit),
    /// Where events go, and what is on its way there.
    #[command(subcommand)]
    Webhook(webhook::Webhook),
    /// Take away what has had its time; `serve` does it once a day.
    Purge,
    /// Check that what is stored is whole.
    Check,
    /// Print the description of the interface (OpenAPI).
    Openapi,
    /// Write a consistent copy of the database.
    Backup {
        /// Must not exist yet.
        file: PathBuf,
    },
    /// Put a backup in the place of the database, which nothing may serve meanwhile.
    Restore(restore::Restore),
    /// Make every client read everything anew: after PostgreSQL was restored by its own tools.
    NewEpoch,
    /// Bring the database's schema up to date; `serve` does it too where its user may.
    Migrate(migrate::Migrate),
}

/// Why a command did not do what it was asked, with its exit code.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// 64
    #[error("{0}")]
    Usage(String),
    /// 65
    #[error("{0}")]
    Data(String),
    /// 69
    #[error("{0}")]
    Unavailable(String),
    /// 73
    #[error("{0}")]
    Storage(String),
    /// 75
    #[error("{0}")]
    InUse(String),
    /// 2: done, and something was said about the rest.
    #[error("")]
    NeedsPerson,
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 64,
            Self::Data(_) => 65,
            Self::Unavailable(_) => 69,
            Self::Storage(_) => 73,
            Self::InUse(_) => 75,
            Self::NeedsPerson => 2,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::Variable { .. } => Self::Usage(error.to_string()),
            ConfigError::Unreadable { .. } | ConfigError::File { .. } => Self::Data(error.to_string()),
        }
    }
}

impl From<crate::storage::StorageError> for Failure {
    fn from(error: crate::storage::StorageError) -> Self {
        match error {
            crate::storage::StorageError::Unsupported(what) => Self::Usage(what),
            other => Self::Storage(other.to_string()),
        }
    }
}

impl From<crate::storage::postgres::OpenError> for Failure {
    fn from(error: crate::storage::postgres::OpenError) -> Self {
        use crate::storage::postgres::OpenError;
        match error {
            OpenError::Url(_) => Self::Usage(error.to_string()),
            OpenError::Unreachable { .. } => Self::Unavailable(error.to_string()),
            _ => Self::Storage(error.to_string()),
        }
    }
}

impl From<crate::storage::sqlite::OpenError> for Failure {
    fn from(error: crate::storage::sqlite::OpenError) -> Self {
        Self::Storage(error.to_string())
    }
}

impl From<crate::storage::AdminError> for Failure {
    fn from(error: crate::storage::AdminError) -> Self {
        match error {
            crate::storage::AdminError::Storage(error) => error.into(),
            other => Self::Data(other.to_string()),
        }
    }
}

/// Runs the command line and says how it went.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too.
            let code = if error.use_stderr() { 64 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let config = match config_of(&cli) {
        Ok(config) => config,
        Err(failure) => return fail(&failure),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&Failure::Unavailable(format!("cannot start: {error}"))),
    };
    match runtime.block_on(run(cli, config)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    if !matches!(failure, Failure::NeedsPerson) {
        let _ = writeln!(std::io::stderr(), "onceover-server: {failure}");
    }
    ExitCode::from(failure.exit_code())
}

/// What was set, in the order in which it counts; from here on it is logged as set.
fn config_of(cli: &Cli) -> Result<Config, Failure> {
    let mut settings = match &cli.command {
        Command::Serve(serve) => serve.settings()?,
        _ => Settings::default(),
    };
    settings.database = cli
        .database
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|cause| Failure::Usage(format!("--database {cause}")))?;
    let config = Config::decide(settings, cli.config.as_deref())?;
    crate::log::begin(&config).map_err(Failure::Usage)?;
    Ok(config)
}

async fn run(cli: Cli, config: Config) -> Result<(), Failure> {
    // Looked at only by what needs it.
    let database = Database::of(&config);
    match cli.command {
        Command::Serve(_) => serve::run(&database?, config).await,
        Command::Tenant(tenant) => tenant.run(&database?).await,
        Command::User(user) => user.run(&database?).await,
        Command::Import(import) => import.run(&database?).await,
        Command::Audit(audit) => audit.run(&database?).await,
        Command::Webhook(webhook) => webhook.run(&database?).await,
        Command::Openapi => say(crate::openapi::text()),
        Command::Purge => purge::run(&database?, &config).await,
        Command::Check => check::check(&database?).await,
        Command::Migrate(migrate) => migrate.run(&database?).await,
        Command::Restore(restore) => restore.run(&database?).await,
        Command::NewEpoch => restore::new_epoch(&database?).await,
        Command::Backup { file } => check::backup(&database?, &file).await,
    }
}

/// One line on stdout.
fn say(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Unavailable(format!("cannot write to stdout: {error}")))
}
