//! `onceover`: the engine without a window (CONTRACT 8).
//!
//! One module per noun in [`commands`]. Documents go to standard output, messages to standard error, and the exit
//! code says what happened.

mod arguments;
mod commands;
mod exit;
mod output;
mod profile;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::arguments::Arguments;
use crate::exit::{Exit, Failure};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A failure to print the help cannot be told anywhere either.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    let (exit, is_done) = match run(arguments) {
        Ok(exit) => (exit, true),
        Err(failure) => {
            output::message(&format!("onceover: {}", output::tame(&failure.message)));
            (failure.exit, false)
        }
    };
    match output::finish() {
        Ok(()) => exit.into(),
        Err(error) => {
            let what = if is_done { "what was asked for is done, but " } else { "" };
            output::message(&format!("onceover: {what}standard output could not be written: {error}"));
            exit.min(Exit::Storage).into()
        }
    }
}

fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Storage, format!("cannot start: {error}")))?;
    let result = runtime.block_on(commands::run(arguments));
    // A keychain that waits for its owner must not keep the process from ending.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}
