//! A database for one test.

use std::process::Command;
use std::sync::PoisonError;

use anyhow::{Context as _, Result, ensure};
use uuid::Uuid;

use crate::{OWNER, Postgres, files};

/// An empty database, or a copy of a prepared one, which belongs to [`OWNER`]. It goes with its server.
#[derive(Debug, Clone)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// Its URL for its owner.
    pub url: String,
}

impl Postgres {
    /// An empty database.
    ///
    /// # Errors
    /// When PostgreSQL refuses.
    pub fn database(&self) -> Result<Database> {
        self.make(None)
    }

    /// A copy of the database `template`, which `prepare` gets to fill, given its URL, when it is first asked for.
    ///
    /// # Errors
    /// When PostgreSQL refuses, or `prepare` fails.
    pub fn copy_of(&self, template: &str, prepare: impl FnOnce(&str) -> Result<()>) -> Result<Database> {
        let gate = files::open(&self.state.join("templates"))?;
        gate.lock().context("wait for another test to prepare its database")?;
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.sql("postgres", &format!("select 1 from pg_database where datname = '{template}'"))?;
        if known.is_empty() {
            self.make_owner()?;
            let draft = format!("{template}_draft");
            self.sql("postgres", &format!("drop database if exists {draft}"))?;
            self.sql("postgres", &format!("create database {draft} owner {OWNER}"))?;
            prepare(&self.url(OWNER, &draft))?;
            self.sql("postgres", &format!("alter database {draft} rename to {template}"))?;
        }
        self.make(Some(template))
    }

    /// Runs `sql` as superuser and gives what it prints.
    ///
    /// # Errors
    /// When PostgreSQL refuses.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let mut command = Command::new(self.bin.join("psql"));
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        command.arg(format!("--host={}", self.socket.display()));
        let output = command.args(["--username=postgres", "--dbname", database, "--command", sql]).output();
        let output = output.context("start psql")?;
        ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn make(&self, template: Option<&str>) -> Result<Database> {
        if template.is_none() {
            self.make_owner()?;
        }
        let name = format!("t_{}", Uuid::now_v7().simple());
        let template = template.unwrap_or("template0");
        self.sql("postgres", &format!("create database {name} owner {OWNER} template {template}"))?;
        Ok(Database { url: self.url(OWNER, &name), name })
    }

    /// Two processes may try at once: the second one's refusal is as good as success.
    fn make_owner(&self) -> Result<()> {
        let made = self.sql("postgres", &format!("create role {OWNER} login createrole"));
        let known = self.sql("postgres", &format!("select 1 from pg_roles where rolname = '{OWNER}'"))?;
        if known.is_empty() { made.map(drop) } else { Ok(()) }
    }
}
