//! What each command does, one module per noun.

pub(crate) mod case;
mod doctor;
pub(crate) mod fields;
pub(crate) mod inspection;
pub(crate) mod note;
pub(crate) mod notice;
pub(crate) mod notification;
pub(crate) mod outbox;
mod save;
pub(crate) mod session;
mod status;
pub(crate) mod sync;
pub(crate) mod tag;
pub(crate) mod task;
pub(crate) mod time;

use crate::arguments::{Arguments, Command};
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// Runs one call.
pub(crate) async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let profile = Profile::new(arguments.home, arguments.json)?;
    match arguments.command {
        Command::SignIn(command) => session::sign_in(&profile, command).await,
        Command::SignOut(command) => session::sign_out(&profile, command).await,
        Command::Case(command) => case::run(&profile, command).await,
        Command::Note(command) => note::run(&profile, command).await,
        Command::Tag(command) => tag::run(&profile, command).await,
        Command::Task(command) => task::run(&profile, command).await,
        Command::Time(command) => time::run(&profile, command).await,
        Command::Inspection(command) => inspection::run(&profile, command).await,
        Command::Notice(command) => notice::run(&profile, command).await,
        Command::Notification(command) => notification::run(&profile, command).await,
        Command::Outbox(command) => outbox::run(&profile, command).await,
        Command::Sync(command) => sync::run(&profile, command).await,
        Command::Status => status::run(&profile).await,
        Command::Doctor => doctor::run(&profile).await,
    }
}
