//! `migrate`: brings the schema up to date, as the owner of the database.

use clap::Args;

use crate::cli::database::{Database, Kind};
use crate::cli::{Failure, say};
use crate::storage::postgres::Postgres;

/// `migrate`
#[derive(Debug, Args)]
pub(super) struct Migrate {
    /// PostgreSQL: the URL of the database's owner, where `--database` names a user who may change no tables.
    #[arg(long, env = "ONCEOVER_OWNER_DATABASE")]
    owner_database: Option<String>,
}

impl Migrate {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        match (&database.kind, self.owner_database) {
            (Kind::Sqlite(_), Some(_)) => Err(Failure::Usage("--owner-database is for postgres://… only".to_owned())),
            (Kind::Sqlite(_), None) => database.open().await.map(drop),
            (Kind::Postgres { url, .. }, owner) => {
                let serves = owner.is_some().then_some(url.as_str());
                let version = Postgres::migrate(owner.as_deref().unwrap_or(url), serves).await?;
                say(&format!("{database} has schema {version}"))
            }
        }
    }
}
