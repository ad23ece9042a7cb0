//! `notification`: what others did with one's cases.

use clap::Subcommand;
use client::system::SystemClock;
use domain::payload::NotificationRead;
use domain::{NotificationId, Payload};
use engine::ports::Clock;
use engine::view::NotificationView;

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::output::{self, name_of, tame};
use crate::profile::Profile;

/// `notification …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NotificationCommand {
    /// List what you were told, newest first.
    List,
    /// Say that you have read one.
    Read {
        /// The notification.
        id: NotificationId,
    },
}

pub(crate) async fn run(profile: &Profile, command: NotificationCommand) -> Result<Exit, Failure> {
    match command {
        NotificationCommand::List => list(profile).await,
        NotificationCommand::Read { id } => {
            let client = profile.writing().await?;
            let read = NotificationRead { notification_id: id, read_at: SystemClock.now() };
            save(profile, &client, None, Payload::NotificationRead(read)).await
        }
    }
}

async fn list(profile: &Profile) -> Result<Exit, Failure> {
    let engine = profile.reading().await?.engine()?;
    let told = engine.store().notifications(engine.ambient()).await?;
    if profile.json {
        output::document(&told);
    } else {
        output::table(&told.iter().map(line_of).collect::<Vec<_>>());
        let unread = told.iter().filter(|view| view.notification.read_at.is_none()).count();
        output::message(&format!("{} notifications, {unread} unread", told.len()));
    }
    Ok(Exit::Done)
}

fn line_of(view: &NotificationView) -> Vec<String> {
    let NotificationView { notification, case_label, case_title, mark, .. } = view;
    let read = if notification.read_at.is_some() { "read" } else { "unread" };
    vec![
        notification.id.to_string(),
        notification.created_at.to_string(),
        notification.operation.name().to_owned(),
        mark.as_ref().map_or_else(|| read.to_owned(), |mark| format!("{read} ({})", name_of(mark))),
        case_label.as_deref().map(tame).unwrap_or_default(),
        tame(case_title),
    ]
}
