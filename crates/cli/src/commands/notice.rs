//! `notice`.

use clap::Subcommand;
use client::system::SystemIds;
use domain::payload::NoticeIssue;
use domain::{CaseId, NoticeId, Payload};
use engine::ports::Ids;

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `notice …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NoticeCommand {
    /// Issue a notice. One that could not be sent within a day must be confirmed: see `outbox confirm`.
    Issue {
        /// The case.
        id: CaseId,
        /// A slug such as `warning`, `order`, `penalty` or `closure`.
        #[arg(long)]
        kind: String,
        /// To whom it goes.
        #[arg(long)]
        recipient: String,
        /// Its text.
        #[arg(long)]
        body: String,
    },
}

pub(crate) async fn run(profile: &Profile, command: NoticeCommand) -> Result<Exit, Failure> {
    let NoticeCommand::Issue { id, kind, recipient, body } = command;
    let client = profile.writing().await?;
    let notice_id = NoticeId(SystemIds.new_id());
    save(profile, &client, Some(id), Payload::NoticeIssue(NoticeIssue { notice_id, kind, recipient, body })).await
}
