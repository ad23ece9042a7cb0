//! One person's profile, used through the `onceover` command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::people::{Organization, Person};
use crate::run;

/// A folder with someone's profile in it.
pub(crate) struct Profile {
    program: PathBuf,
    home: PathBuf,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    external_id: Option<String>,
}

impl Profile {
    /// Signs `person` in at `server`, with a profile below `folder`.
    ///
    /// # Errors
    /// The command line fails.
    pub(crate) fn sign_in(
        program: &Path,
        folder: &Path,
        server: &str,
        organization: &Organization,
        person: &Person,
    ) -> Result<Self> {
        let home = folder.join(format!("{}-{}", organization.slug, person.username));
        let profile = Self { program: program.to_owned(), home };
        let who = ["--server", server, "--tenant", organization.slug, "--username", person.username];
        let mut command = profile.command(&["sign-in"]);
        run::output_given(command.args(who).arg("--password-stdin"), &person.password())?;
        Ok(profile)
    }

    /// Runs `onceover --home … ARGUMENTS`.
    ///
    /// # Errors
    /// The command line fails.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String> {
        run::output(&mut self.command(arguments))
    }

    /// Sends what waits and fetches what is new.
    ///
    /// # Errors
    /// Something stays open.
    pub(crate) fn sync(&self) -> Result<()> {
        self.run(&["sync", "--timeout-s", "300"]).map(drop)
    }

    /// The id of each case by its id in the imported file.
    ///
    /// # Errors
    /// The command line fails.
    pub(crate) fn case_ids(&self) -> Result<BTreeMap<String, String>> {
        let text = self.run(&["case", "list", "--limit", "1000000", "--json"])?;
        let cases: Vec<Listed> = serde_json::from_str(&text).context("read the list of cases")?;
        Ok(cases.into_iter().filter_map(|case| Some((case.external_id?, case.id))).collect())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--home").arg(&self.home).args(arguments);
        // No keychain needed: these profiles are thrown away, and their passphrase protects nothing else.
        command.env("ONCEOVER_VAULT", "file").env("ONCEOVER_VAULT_PASSPHRASE", "made for the demo");
        command
    }
}
