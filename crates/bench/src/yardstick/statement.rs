//! One PostgreSQL statement that inserts a receipt and an effect, sent by `pgbench` over as many connections as ours
//! has, prepared, with no HTTP in between: what the database gives at most to one command a transaction.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use test_postgres::{Database, OWNER, Postgres};

const TABLES: &str = "
    create table receipt (key text primary key, answer text not null);
    create table effect (seq bigint generated always as identity primary key, key text not null, body text not null);
    grant all on receipt, effect to public";

/// Each client counts its own keys, which look like ours.
const SCRIPT: &str = r#"\set n :n + 1
with kept as (
    insert into receipt (key, answer)
    values ('note.add:0197f3c2-5a10-7000-8000-' || :client_id || ':' || :run || '-' || :n,
            '{"state":"committed","feed_position":1,"committed_at":"2026-11-30T09:12:01.004Z"}')
        on conflict (key) do nothing
    returning key
)
insert into effect (key, body) select key, :body from kept;
"#;

/// A database with the two tables.
pub(crate) struct Statement<'p> {
    postgres: &'p Postgres,
    database: Database,
    script: PathBuf,
}

impl<'p> Statement<'p> {
    /// Makes the tables, and the script in `folder`.
    ///
    /// # Errors
    /// PostgreSQL refuses.
    pub(crate) fn prepare(postgres: &'p Postgres, folder: &Path) -> Result<Self> {
        let database = postgres.database()?;
        postgres.sql(&database.name, TABLES)?;
        let script = folder.join("statement.sql");
        fs::write(&script, SCRIPT).with_context(|| format!("write {}", script.display()))?;
        Ok(Self { postgres, database, script })
    }

    /// Statements a second over `seconds`. `body` is what each effect holds; no other round has the number `run`.
    ///
    /// # Errors
    /// `pgbench` fails.
    pub(crate) fn round(&self, run: usize, clients: usize, seconds: f64, body: &str) -> Result<f64> {
        let mut command = Command::new(self.postgres.programs().join("pgbench"));
        command.arg("--no-vacuum").arg("--protocol=prepared").arg(format!("--file={}", self.script.display()));
        command.arg(format!("--client={clients}")).arg(format!("--time={}", seconds.ceil()));
        command.arg("--define=n=0").arg(format!("--define=run={run}")).arg(format!("--define=body={body}"));
        command.arg(format!("--host={}", self.postgres.socket().display())).arg(format!("--username={OWNER}"));
        let output = command.arg(&self.database.name).output().context("start pgbench")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
        let line = said.lines().find_map(|line| line.strip_prefix("tps = ")).context("pgbench told no speed")?;
        line.split(' ').next().and_then(|number| number.parse().ok()).context("pgbench told an odd speed")
    }
}
