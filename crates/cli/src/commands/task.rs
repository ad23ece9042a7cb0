//! `task`.

use clap::Subcommand;
use client::system::SystemIds;
use domain::payload::{TaskAdd, TaskSetDone};
use domain::{CaseId, EntityKind, Payload, TaskId};
use engine::ports::Ids;

use super::save::{case_of, save};
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `task …`.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Add a task to a case.
    Add {
        /// The case.
        id: CaseId,
        /// What is to be done.
        #[arg(long)]
        title: String,
        /// By when: `YYYY-MM-DD`.
        #[arg(long, value_name = "DATE")]
        due: Option<String>,
    },
    /// Say that a task is done.
    Done {
        /// The task.
        id: TaskId,
    },
    /// Say that a task is open again.
    Undone {
        /// The task.
        id: TaskId,
    },
}

pub(crate) async fn run(profile: &Profile, command: TaskCommand) -> Result<Exit, Failure> {
    let client = profile.writing().await?;
    let (task_id, done) = match command {
        TaskCommand::Add { id, title, due } => {
            let due_on = due.filter(|due| !due.is_empty());
            let payload = Payload::TaskAdd(TaskAdd { task_id: TaskId(SystemIds.new_id()), title, due_on });
            return save(profile, &client, Some(id), payload).await;
        }
        TaskCommand::Done { id } => (id, true),
        TaskCommand::Undone { id } => (id, false),
    };
    let case_id = case_of(client.engine()?.as_ref(), EntityKind::Task, task_id.into()).await?;
    save(profile, &client, Some(case_id), Payload::TaskSetDone(TaskSetDone { task_id, done })).await
}
