//! `time`.

use clap::Subcommand;
use client::system::SystemIds;
use domain::payload::TimeLog;
use domain::{CaseId, Payload, TimeEntryId};
use engine::ports::Ids;

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `time …`.
#[derive(Debug, Subcommand)]
pub(crate) enum TimeCommand {
    /// Log time worked on a case.
    Log {
        /// The case.
        id: CaseId,
        /// How long: 1 to 1440.
        #[arg(long, value_name = "N")]
        minutes: u16,
        /// When: `YYYY-MM-DD`.
        #[arg(long, value_name = "DATE")]
        on: String,
        /// What was done.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

pub(crate) async fn run(profile: &Profile, command: TimeCommand) -> Result<Exit, Failure> {
    let TimeCommand::Log { id, minutes, on, note } = command;
    let client = profile.writing().await?;
    let payload = Payload::TimeLog(TimeLog {
        entry_id: TimeEntryId(SystemIds.new_id()),
        minutes,
        worked_on: on,
        note: note.filter(|note| !note.is_empty()),
    });
    save(profile, &client, Some(id), payload).await
}
