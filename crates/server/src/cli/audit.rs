//! `audit`: every attempt, oldest first.

use clap::Args;

use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::command::answer::json;
use crate::storage::{AuditFilter, AuditRow};

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
        rows.iter().try_for_each(|row| say(&line(row)))
    }
}

fn line(row: &AuditRow) -> String {
    let revision = |revision: Option<u32>| revision.map_or_else(|| "-".to_owned(), |revision| revision.to_string());
    format!(
        "{}  {:<18}  {:<15}  {} {}  {} → {}  by {}  command {}{}",
        row.occurred_at,
        row.result,
        row.operation,
        row.entity_type,
        row.entity_id,
        revision(row.previous_revision),
        revision(row.next_revision),
        row.actor_id,
        row.command_id,
        row.code.as_ref().map(|code| format!("  {code}")).unwrap_or_default(),
    )
}
