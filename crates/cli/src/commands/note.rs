//! `note`.

use clap::Subcommand;
use client::system::SystemIds;
use domain::payload::{NoteAdd, NoteRedact};
use domain::{CaseId, EntityKind, NoteId, Payload};
use engine::ports::Ids;

use super::save::{case_of, save};
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
    /// Take a note's text away for good; that there was a note, and why it has no text, stays.
    Redact {
        /// The note.
        id: NoteId,
        /// Why.
        #[arg(long)]
        reason: String,
    },
}

pub(crate) async fn run(profile: &Profile, command: NoteCommand) -> Result<Exit, Failure> {
    let client = profile.writing().await?;
    let (case_id, payload) = match command {
        NoteCommand::Add { id, text } => (id, Payload::NoteAdd(NoteAdd { note_id: NoteId(SystemIds.new_id()), text })),
        NoteCommand::Redact { id, reason } => {
            let case_id = case_of(client.engine()?.as_ref(), EntityKind::Note, id.into()).await?;
            (case_id, Payload::NoteRedact(NoteRedact { note_id: id, reason }))
        }
    };
    save(profile, &client, Some(case_id), payload).await
}
