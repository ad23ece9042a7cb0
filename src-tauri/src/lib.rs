//! The desktop shell: windows, commands, events, single instance, and nothing that decides.
//!
//! A start goes: find the profile's folder; forward to the program that already runs with it, if the session bus
//! knows one; take the profile's lock and open it; show the main window. An end goes the other way round.

mod commands;
mod events;
mod instance;
mod ipc;
mod options;
mod windows;
mod wiring;

use std::process::ExitCode;

use clap::Parser;
use tauri::{App, AppHandle, RunEvent};

use self::ipc::WindowKind;
use self::options::Options;
use self::wiring::StartError;

/// Wrong usage (CONTRACT 8).
const USAGE: u8 = 64;

/// Runs the program until its last window is closed or it is told to end.
pub fn run() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    match start(&options) {
        Ok(app) => ExitCode::from(u8::try_from(app.run_return(|app, event| on_event(app, &event))).unwrap_or(u8::MAX)),
        Err(error) => {
            tracing::error!(%error, "not started");
            eprintln!("onceover-desktop: {error}");
            error.exit_code()
        }
    }
}

fn start(options: &Options) -> Result<App, StartError> {
    let home = wiring::home(options)?;
    wiring::look_for_screen()?;
    // Registered first: a second start ends inside `build`, before anything of the profile is touched.
    let app = tauri::Builder::default()
        .plugin(instance::only_one(&home))
        .invoke_handler(ipc::table::dispatch())
        .build(tauri::generate_context!())?;
    wiring::open(&app, home, options.vault)?;
    instance::end_when_told(app.handle());
    windows::open(app.handle(), WindowKind::Main)?;
    Ok(app)
}

fn on_event(app: &AppHandle, event: &RunEvent) {
    if matches!(event, RunEvent::Exit) {
        wiring::close(app);
    }
}
