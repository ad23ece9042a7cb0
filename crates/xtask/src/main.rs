//! `cargo xtask`: the project's own tasks. Each does the whole of it, from a fresh machine on.
#![allow(clippy::print_stdout, reason = "these are programs for a terminal")]

mod demo;
mod generate;
mod node;
mod packages;
mod run;
mod session;
mod test;
mod webdriver;
mod workspace;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Onceover's own tasks")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything, start a local server with made-up cases, and open the app on it
    Demo(demo::Options),
    /// Format, lint and test everything; one summary at the end
    Test(test::Options),
    /// Print made-up cases, one JSON object per line
    Generate(GenerateOptions),
}

#[derive(Args)]
struct GenerateOptions {
    /// How many
    #[arg(long, default_value_t = 2_000)]
    cases: usize,
    /// The same seed, day and number give the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The day the due dates lie around (today, UTC, unless given)
    #[arg(long)]
    today: Option<jiff::civil::Date>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run_task(cli.task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(task: Task) -> Result<ExitCode> {
    run::catch_interrupts()?;
    match task {
        Task::Demo(options) => demo::run(&options).map(|()| ExitCode::SUCCESS),
        Task::Test(options) => test::run(&options),
        Task::Generate(options) => generate(&options).map(|()| ExitCode::SUCCESS),
    }
}

fn generate(options: &GenerateOptions) -> Result<()> {
    let today = options.today.unwrap_or_else(today);
    let cases = generate::cases(options.seed, options.cases, today, &generate::town::HARBOR_CITY)?;
    generate::write_lines(&cases, std::io::stdout().lock()).context("print the cases")
}

/// Today, UTC.
fn today() -> jiff::civil::Date {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date()
}
