//! One run of the bench: what it was told, the figures one after the other, the report.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Serialize;
use tempfile::TempDir;
use test_postgres::Postgres;

use crate::figure::Figure;
use crate::figures;
use crate::machine::Machine;
use crate::table::table;

/// `receive`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The `onceover-server` to measure, built with `--release`
    #[arg(long)]
    server: PathBuf,
    /// Cases for `onceover-server import`, at least 100,000
    #[arg(long)]
    cases: PathBuf,
    /// How these become cases of the server
    #[arg(long)]
    map: PathBuf,
    /// Where databases are made; on the disk that is to be measured
    #[arg(long)]
    folder: PathBuf,
    /// Rounds of ours and of the yardstick, in turn
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a round takes, about
    #[arg(long, default_value_t = 3)]
    seconds: u32,
    /// Only the figures whose name begins with this; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Where the report is written
    #[arg(long)]
    json: PathBuf,
}

/// What every figure uses.
pub(crate) struct Bench {
    pub(crate) program: PathBuf,
    pub(crate) cases: PathBuf,
    pub(crate) map: PathBuf,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    folder: TempDir,
    postgres: OnceCell<Postgres>,
}

impl Bench {
    /// A new folder on the measured disk.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        Ok(folder)
    }

    /// A PostgreSQL of this run, started when it is first asked for.
    ///
    /// # Errors
    /// It is not installed, or does not start.
    pub(crate) fn postgres(&self) -> Result<&Postgres> {
        if let Some(running) = self.postgres.get() {
            return Ok(running);
        }
        let running = Postgres::of_this_run()?;
        Ok(self.postgres.get_or_init(|| running))
    }
}

/// The whole report.
#[derive(Serialize)]
struct Report<'a> {
    taken_at: String,
    machine: &'a Machine,
    rounds: usize,
    seconds_of_a_round: f64,
    payload: &'static str,
    figures: &'a [Figure],
}

/// Measures what was asked for. That a limit is missed is told, and is no error.
///
/// # Errors
/// Something could not be measured.
pub(crate) fn run(options: Options) -> Result<()> {
    ensure!(options.rounds > 0, "at least one round");
    fs::create_dir_all(&options.folder).with_context(|| format!("make {}", options.folder.display()))?;
    let mut machine = Machine::look(&options.folder)?;
    let bench = Bench {
        program: options.server,
        cases: options.cases,
        map: options.map,
        rounds: options.rounds,
        seconds: f64::from(options.seconds),
        folder: TempDir::new_in(&options.folder).context("make a folder")?,
        postgres: OnceCell::new(),
    };
    let mut measured = Vec::new();
    for (store, what, measure) in figures::ALL {
        let name = format!("{}/{what}", store.name());
        let is_wanted = options.only.is_empty() || options.only.iter().any(|only| name.starts_with(only.as_str()));
        if is_wanted {
            eprintln!("measuring {name} …");
            let figures = measure(&bench, store).with_context(|| format!("measure {name}"))?;
            eprint!("{}", table(&figures));
            measured.extend(figures);
        }
    }
    machine.look_again(bench.postgres.get());
    let report = Report {
        taken_at: jiff::Timestamp::now().to_string(),
        machine: &machine,
        rounds: bench.rounds,
        seconds_of_a_round: bench.seconds,
        payload: "note.add with 1,024 bytes of text on one of 1,000 cases, by 16 people; keys and hashes made before",
        figures: &measured,
    };
    write(&options.json, &report)?;
    eprintln!("\n{}", table(&measured));
    Ok(())
}

fn write(file: &Path, report: &Report<'_>) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    let text = serde_json::to_string_pretty(report).context("print the report")?;
    fs::write(file, text + "\n").with_context(|| format!("write {}", file.display()))
}
