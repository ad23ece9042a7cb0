//! `audit`: every attempt, oldest first.

mod words;

use clap::Args;

use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::command::answer::json;
use crate::storage::AuditFilter;

/// `audit`
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// The organization's slug.
    #[arg(long)]
    tenant: String,
    /// Of this command only.
    #[arg(long)]
    command: Option<String>,
    /// Of this target only.
    #[arg(long)]
    target: Option<String>,
    /// One JSON array instead of lines.
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let db = database.open_existing().await?;
        let tenant = db.tenant_of(&self.tenant).await?;
        let tenant = tenant.ok_or_else(|| Failure::Data(format!("there is no tenant {:?}", self.tenant)))?;
        let rows = db.audit(tenant, AuditFilter { command: self.command, target: self.target }).await?;
        if self.json {
            return say(&json(&rows));
        }
        let people = db.usernames(tenant).await?;
        let names = people.into_iter().map(|(actor, name)| (actor.to_string(), name)).collect();
        words::lines(&rows, &names).iter().try_for_each(|line| say(line))
    }
}
