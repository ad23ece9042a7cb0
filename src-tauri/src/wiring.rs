//! Opens the profile and puts the parts together: client, signals, windows' memory, log.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use client::profile::{Home, LockError, default_home};
use client::{Access, Client, ClientError, VaultChoice};
use engine::engine::Trigger;
use tauri::{App, AppHandle, Manager};

use crate::events::Relay;
use crate::options::{Options, Vault};
use crate::windows::Memory;

/// What commands work on: the profile, opened for writing and sending.
pub(crate) type Desk = Arc<Client>;

/// How long a start waits for a command line that is just writing.
const LOCK_WAIT_MS: u64 = 2_000;
/// How long an end waits for what is being recorded.
const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// Why the program does not start. No window was opened, and nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// There is no folder for the profile.
    #[error("this system names no folder for data; choose one with --home DIR")]
    NoHome,
    /// The profile is in use, or cannot be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// There is no screen.
    #[error("no screen to show a window on: neither WAYLAND_DISPLAY nor DISPLAY is set")]
    NoScreen,
    /// No window can be shown.
    #[error("no window can be shown: {0}")]
    Window(#[from] tauri::Error),
}

impl StartError {
    /// The exit code (CONTRACT 8).
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Client(ClientError::Lock(LockError::Held(_))) => 75,
            Self::NoHome | Self::Client(_) => 73,
            Self::NoScreen | Self::Window(_) => 70,
        })
    }
}

/// The profile's folder: the one asked for, else this person's.
pub(crate) fn home(options: &Options) -> Result<PathBuf, StartError> {
    let home = options.home.clone().or_else(default_home).ok_or(StartError::NoHome)?;
    Ok(std::path::absolute(&home).unwrap_or(home))
}

/// Looks for a screen: without one, GTK would end the program with a panic.
pub(crate) fn look_for_screen() -> Result<(), StartError> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_needed = cfg!(target_os = "linux");
    if !is_needed || is_set("WAYLAND_DISPLAY") || is_set("DISPLAY") { Ok(()) } else { Err(StartError::NoScreen) }
}

/// Takes the profile's lock, opens the profile and begins to deliver.
pub(crate) fn open(app: &App, home: PathBuf, vault: Vault) -> Result<(), StartError> {
    start_log(&Home::new(&home));
    app.manage(Memory::read(&home));
    let vault = match vault {
        Vault::Keychain => VaultChoice::KeychainOrMemory,
        Vault::File => VaultChoice::File,
        Vault::Memory => VaultChoice::Memory,
    };
    let signals = Relay::to_windows(app.handle());
    let options = client::Options {
        home,
        vault,
        access: Access::Write,
        in_background: true,
        signals,
        lock_wait_ms: LOCK_WAIT_MS,
    };
    let desk: Desk = tauri::async_runtime::block_on(Client::open(options))?;
    app.manage(desk);
    Ok(())
}

/// A window gained focus: a good time to look whether the server is back.
pub(crate) fn look_now(app: &AppHandle) {
    // Before the profile is open, and signed out, there is nothing to look for.
    if let Some(Ok(engine)) = app.try_state::<Desk>().map(|desk| desk.engine()) {
        engine.nudge(Trigger::Focus);
    }
}

/// Ends delivery, lets go of the profile and stores where the windows stood.
pub(crate) fn close(app: &AppHandle) {
    app.state::<Memory>().store();
    if within(CLOSE_WAIT, app.state::<Desk>().close()) {
        tracing::info!("ended");
    } else {
        tracing::warn!("delivery did not end in time; what was in flight is found in doubt by the next start");
    }
}

/// Whether `work` ends within `wait`. Called by the thread that draws, which runs no work of its own.
fn within(wait: Duration, work: impl Future<Output = ()>) -> bool {
    tauri::async_runtime::block_on(async { tokio::time::timeout(wait, work).await.is_ok() })
}

/// The log is a help, not a condition: where none can be written, the program runs and says so on stderr.
fn start_log(home: &Home) {
    if home.create().is_err() {
        // Opening the profile says why.
        return;
    }
    let folder = home.logs_folder();
    let problem = std::fs::create_dir_all(&folder).map_err(|error| error.to_string());
    if let Err(problem) = problem.and_then(|()| client::logs::start(Some(&folder)).map_err(|error| error.to_string())) {
        eprintln!("onceover-desktop: no log is written: {problem}");
    }
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_waits_for_what_is_being_recorded_but_not_for_ever() {
        assert!(within(Duration::from_mins(1), std::future::ready(())));
        assert!(!within(Duration::from_millis(1), std::future::pending()));
    }

    #[test]
    fn a_start_that_fails_says_why_by_its_exit_code() {
        let unwritable = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let home = ClientError::Home { folder: "/somewhere".to_owned(), cause: unwritable };
        let code = |error: StartError| format!("{:?}", error.exit_code());
        assert_eq!(code(ClientError::Lock(LockError::Held(None)).into()), format!("{:?}", ExitCode::from(75)));
        assert_eq!(code(home.into()), format!("{:?}", ExitCode::from(73)));
        assert_eq!(code(StartError::NoHome), format!("{:?}", ExitCode::from(73)));
    }
}
