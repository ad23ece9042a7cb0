//! `cargo xtask test`: every check there is, then one table and one line that says what came of it.

mod count;
pub(crate) mod schemathesis;
mod step;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;

use crate::node;
use crate::packages::{self, Use};
use crate::run;
use crate::session::{Screen, Session};
use crate::workspace::Workspace;
use count::{Count, Counter};
use step::Step;

#[derive(Args)]
pub(crate) struct Options {
    /// Install missing system packages without asking
    #[arg(long)]
    yes: bool,
    /// Only this step; may be given several times
    #[arg(long, value_name = "STEP")]
    only: Vec<Step>,
}

#[derive(Args)]
pub(crate) struct SoakOptions {
    /// How many times everything that is made at random is done
    #[arg(long, default_value_t = 20)]
    times: u32,
    /// Install missing system packages without asking
    #[arg(long)]
    yes: bool,
}

/// What came of one step.
struct Outcome {
    step: Step,
    result: StepResult,
    took: Duration,
    count: Count,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepResult {
    Passed,
    Failed,
    /// Something it needs failed.
    Skipped,
}

/// Runs the steps. Succeeds only if all of them did.
///
/// # Errors
/// Something around the steps fails: packages, Node, cargo itself.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let chosen = |step: &Step| options.only.is_empty() || options.only.contains(step);
    run_steps(&Step::ALL.into_iter().filter(chosen).collect::<Vec<_>>(), options.yes, 1)
}

/// Runs the Rust tests, and does `times` as much of what they make at random: kills, cuts, requests.
///
/// # Errors
/// As [`run`].
pub(crate) fn soak(options: &SoakOptions) -> Result<ExitCode> {
    run_steps(&[Step::UiInstall, Step::UiBuild, Step::Build, Step::Rust], options.yes, options.times)
}

fn run_steps(steps: &[Step], install: bool, times: u32) -> Result<ExitCode> {
    packages::ensure_installed(Use::Tests, install)?;
    node::check_version()?;
    let workspace = Workspace::find()?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for step in steps {
        let outcome = run_step(*step, &workspace, &outcomes, times)?;
        outcomes.push(outcome);
    }
    let count = total(&outcomes);
    println!("\n{}", table(&outcomes));
    println!("{} passed, {} failed", count.passed, count.failed);
    let all_passed = outcomes.iter().all(|outcome| outcome.result == StepResult::Passed);
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_step(step: Step, workspace: &Workspace, before: &[Outcome], times: u32) -> Result<Outcome> {
    let started = Instant::now();
    println!("\n== {} ==", step.name());
    let is_blocked =
        before.iter().any(|outcome| outcome.result != StepResult::Passed && step.needs().contains(&outcome.step));
    if is_blocked {
        println!("skipped: what it needs failed");
        return Ok(Outcome { step, result: StepResult::Skipped, took: started.elapsed(), count: Count::default() });
    }
    let counter = Counter::default();
    let mut command = step.command(workspace);
    command.env("NO_COLOR", "1").env("ONCEOVER_SOAK", times.to_string());
    let succeeded = if step.needs_display() {
        let session =
            Session::start(&workspace.session_folder(), Screen::Desktop).context("start a session for windows")?;
        run::stream(session.enter(&mut command), &|line| counter.see(line))?
    } else {
        run::stream(&mut command, &|line| counter.see(line))?
    };
    let result = if succeeded { StepResult::Passed } else { StepResult::Failed };
    Ok(Outcome { step, result, took: started.elapsed(), count: counter.count() })
}

/// All test cases; a step that failed without naming a case is one failure, so that the sum never looks clean.
fn total(outcomes: &[Outcome]) -> Count {
    outcomes.iter().fold(Count::default(), |sum, outcome| {
        let unnamed = outcome.result == StepResult::Failed && outcome.count.failed == 0;
        sum.plus(outcome.count).plus(Count { passed: 0, failed: usize::from(unnamed) })
    })
}

fn table(outcomes: &[Outcome]) -> String {
    let head = format!("{:<14}{:<9}{:>9}{:>9}{:>8}\n", "step", "result", "passed", "failed", "time");
    std::iter::once(head).chain(outcomes.iter().map(table_row)).collect()
}

fn table_row(outcome: &Outcome) -> String {
    let result = match outcome.result {
        StepResult::Passed => "ok",
        StepResult::Failed => "FAILED",
        StepResult::Skipped => "skipped",
    };
    let (passed, failed) = match outcome.count {
        Count { passed: 0, failed: 0 } => (String::new(), String::new()),
        Count { passed, failed } => (passed.to_string(), failed.to_string()),
    };
    let took = format!("{} s", outcome.took.as_secs());
    format!("{:<14}{result:<9}{passed:>9}{failed:>9}{took:>8}\n", outcome.step.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(step: Step, result: StepResult, passed: usize, failed: usize) -> Outcome {
        Outcome { step, result, took: Duration::ZERO, count: Count { passed, failed } }
    }

    #[test]
    fn a_failed_step_without_cases_counts_as_one_failure() {
        let outcomes = [
            outcome(Step::Format, StepResult::Failed, 0, 0),
            outcome(Step::UiTest, StepResult::Passed, 40, 0),
            outcome(Step::Rust, StepResult::Failed, 100, 2),
            outcome(Step::Desktop, StepResult::Skipped, 0, 0),
        ];
        assert_eq!(total(&outcomes), Count { passed: 140, failed: 3 });
    }
}
