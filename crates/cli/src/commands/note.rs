//! `note`.

use clap::Subcommand;
use client::system::SystemIds;
use domain::payload::NoteAdd;
use domain::{CaseId, NoteId, Payload};
use engine::ports::Ids;

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `note …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NoteCommand {
    /// Add a note to a case.
    Add {
        /// The case.
        id: CaseId,
        /// What it says.
        #[arg(long)]
        text: String,
    },
}

pub(crate) async fn run(profile: &Profile, command: NoteCommand) -> Result<Exit, Failure> {
    let NoteCommand::Add { id, text } = command;
    let client = profile.writing().await?;
    let payload = Payload::NoteAdd(NoteAdd { note_id: NoteId(SystemIds.new_id()), text });
    save(profile, &client, Some(id), payload).await
}
