//! A PostgreSQL for tests and benchmarks: Debian's programs, a temporary folder, an unprivileged account.
//!
//! One server is shared by all test processes of a run, whoever starts them (nextest runs each test in a process of
//! its own): the first that needs it starts it, and it ends with the run, however the run ends. Each test gets an
//! empty database of its own, or a copy of one that was prepared once. `keeper.sh` says how that is kept.

mod database;
mod files;
mod start;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result};

pub use database::Database;

/// The account that owns the databases: no superuser, but it may make roles.
pub const OWNER: &str = "onceover_owner";

/// A use of the run's server: it does not end while this value lives.
#[derive(Debug)]
pub struct Postgres {
    /// The lock that says that it is used.
    _users: File,
    socket: PathBuf,
    bin: PathBuf,
    state: PathBuf,
    /// One database is made at a time: a template may have no other visitor.
    making: Mutex<()>,
}

impl Postgres {
    /// The server of this run, started if it is not running.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start; the error says what it wrote.
    pub fn of_this_run() -> Result<Self> {
        let bin = start::programs()?;
        let state = files::state_folder()?;
        let users = files::open(&state.join("users"))?;
        users.lock_shared().context("take the lock of the users of the test PostgreSQL")?;
        let socket = match start::running(&state)? {
            Some(socket) => socket,
            None => start::start(&state, &bin)?,
        };
        Ok(Self { _users: users, socket, bin, state, making: Mutex::default() })
    }

    /// The URL of `database` for `role`, which needs no password.
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@localhost/{database}?host={}", self.socket.display())
    }

    /// The folder of its programs: `psql`, `pgbench`, `pg_dump`.
    pub fn programs(&self) -> &Path {
        &self.bin
    }

    /// The folder with its socket, as the programs' `--host` wants it.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}
