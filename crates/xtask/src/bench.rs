//! `cargo xtask bench`: builds the receiver and its bench as they are released, and measures. It is no test: what a
//! busy machine does to a figure fails nothing.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::generate;
use crate::run;
use crate::workspace::Workspace;

/// Cases of a first sync.
const CASES: usize = 100_000;
const SEED: u64 = 1;

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// How fast the receiver is beside yardsticks, and how much memory it needs
    Receive(ReceiveOptions),
}

#[derive(Args)]
struct ReceiveOptions {
    /// Rounds of ours and of the yardstick, in turn
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// How long a round takes, about
    #[arg(long, default_value_t = 3)]
    seconds: u32,
    /// Only the figures whose name begins with this; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Where the report is written (artifacts/bench/receive.json unless given)
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Builds and measures.
///
/// # Errors
/// Something cannot be built or measured; a missed limit is none.
pub(crate) fn run(options: &Options) -> Result<()> {
    let What::Receive(options) = &options.what;
    let workspace = Workspace::find()?;
    run::run(&mut workspace.cargo(&["build", "--release", "-p", "onceover-server", "-p", "onceover-bench"]))?;
    // On the disk of the built programs: a folder for temporary files may be in memory, where waiting for the disk
    // costs nothing.
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let cases = folder.join("cases.jsonl");
    let file = fs::File::create(&cases).with_context(|| format!("make {}", cases.display()))?;
    let all = generate::cases(SEED, CASES, crate::today(), &generate::town::HARBOR_CITY)?;
    generate::write_lines(&all, std::io::BufWriter::new(file)).context("write the cases")?;

    let mut command = std::process::Command::new(workspace.released("onceover-bench"));
    command.arg("receive").arg("--server").arg(workspace.released("onceover-server"));
    command.arg("--cases").arg(&cases).arg("--map").arg(workspace.top.join("crates/xtask/src/demo/map.toml"));
    command.arg("--folder").arg(&folder);
    command.arg("--rounds").arg(options.rounds.to_string()).arg("--seconds").arg(options.seconds.to_string());
    for name in &options.only {
        command.arg("--only").arg(name);
    }
    let json = options.json.clone().unwrap_or_else(|| workspace.top.join("artifacts/bench/receive.json"));
    run::run(command.arg("--json").arg(json))
}
