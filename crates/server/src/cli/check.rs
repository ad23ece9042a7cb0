//! `check` and `backup`.

use std::io::Write as _;
use std::path::Path;

use crate::cli::database::Database;
use crate::cli::{Failure, say};

/// Checks that what is stored is whole: the counts on stdout, each fault on stderr.
pub(super) async fn check(database: &Database) -> Result<(), Failure> {
    let report = database.open_existing().await?.check().await?;
    for (what, number) in &report.counts {
        say(&format!("{number:>10} {what}"))?;
    }
    for warning in &report.warnings {
        let _ = writeln!(std::io::stderr(), "warning: {warning}");
    }
    for fault in &report.faults {
        let _ = writeln!(std::io::stderr(), "{fault}");
    }
    match report.faults.len() {
        0 => say("all is well"),
        n => Err(Failure::Data(format!("the database {database} has {n} faults"))),
    }
}

/// Writes a copy that is consistent also beside a running server.
pub(super) async fn backup(database: &Database, file: &Path) -> Result<(), Failure> {
    if file.exists() {
        return Err(Failure::Data(format!("{} exists already", file.display())));
    }
    Ok(database.open_existing().await?.backup(file).await?)
}
