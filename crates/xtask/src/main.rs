//! `cargo xtask`: the project's own tasks. Each does the whole of it, from a fresh machine on.
#![allow(clippy::print_stdout, reason = "these are programs for a terminal")]

mod bench;
mod demo;
mod generate;
mod node;
mod packages;
mod run;
mod scale;
mod server;
mod session;
mod test;
mod webdriver;
mod workspace;

use std::process::{Command, ExitCode};

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
    /// Run the Rust tests with many times the kills, cuts and made-up requests
    Soak(test::SoakOptions),
    /// Let schemathesis look for faults in the built server, as its description says it is
    Schemathesis,
    /// Measure the receiver beside yardsticks
    Bench(bench::Options),
    /// Work out from measured figures how far a server goes, for docs/scale.md
    Scale(scale::Options),
    /// Print made-up cases, one JSON object per line
    Generate(GenerateOptions),
    /// Run a command on a display of its own, with a session bus and a keychain
    Session(SessionOptions),
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

#[derive(Args)]
struct SessionOptions {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
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
        Task::Soak(options) => test::soak(&options),
        Task::Scale(options) => scale::run(&options).map(|()| ExitCode::SUCCESS),
        Task::Schemathesis => test::schemathesis::run(),
        Task::Bench(options) => bench::run(&options).map(|()| ExitCode::SUCCESS),
        Task::Generate(options) => generate(&options).map(|()| ExitCode::SUCCESS),
        Task::Session(options) => enter_session(&options).map(|()| ExitCode::SUCCESS),
    }
}

fn generate(options: &GenerateOptions) -> Result<()> {
    let today = options.today.unwrap_or_else(today);
    let cases = generate::cases(options.seed, options.cases, today, &generate::town::HARBOR_CITY)?;
    generate::write_lines(&cases, std::io::stdout().lock()).context("print the cases")
}

fn enter_session(options: &SessionOptions) -> Result<()> {
    let (program, arguments) = options.command.split_first().context("name a program to run")?;
    let workspace = workspace::Workspace::find()?;
    let session = session::Session::start(&workspace.session_folder(), session::Screen::Desktop)?;
    run::run(session.enter(Command::new(program).args(arguments)))
}

/// Today, UTC.
fn today() -> jiff::civil::Date {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date()
}
