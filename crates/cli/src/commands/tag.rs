//! `tag`.

use clap::Subcommand;
use domain::payload::Tag;
use domain::{CaseId, Payload};

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `tag …`.
#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
    /// Add a tag to a case.
    Add {
        /// The case.
        id: CaseId,
        /// The tag.
        tag: String,
    },
    /// Take a tag from a case.
    Remove {
        /// The case.
        id: CaseId,
        /// The tag.
        tag: String,
    },
}

pub(crate) async fn run(profile: &Profile, command: TagCommand) -> Result<Exit, Failure> {
    let (id, payload) = match command {
        TagCommand::Add { id, tag } => (id, Payload::TagAdd(Tag { tag })),
        TagCommand::Remove { id, tag } => (id, Payload::TagRemove(Tag { tag })),
    };
    let client = profile.writing().await?;
    save(profile, &client, Some(id), payload).await
}
