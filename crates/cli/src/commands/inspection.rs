//! `inspection`.

use clap::{Args, Subcommand};
use client::system::SystemIds;
use domain::inspection::{Finding, Outcome, Severity};
use domain::payload::InspectionRecord;
use domain::{CaseId, InspectionId, Payload};
use engine::ports::Ids;

use super::save::save;
use crate::exit::{Exit, Failure};
use crate::profile::Profile;

/// `inspection …`.
#[derive(Debug, Subcommand)]
pub(crate) enum InspectionCommand {
    /// Record an inspection of a case.
    Record(Record),
}

/// `inspection record`.
#[derive(Debug, Args)]
pub(crate) struct Record {
    /// The case.
    id: CaseId,
    /// A slug such as `routine` or `reinspection`.
    #[arg(long)]
    kind: String,
    /// When: `YYYY-MM-DD`.
    #[arg(long, value_name = "DATE")]
    on: String,
    /// How it went: `pass`, `pass_with_conditions`, `fail` or `no_access`.
    #[arg(long, value_parser = outcome)]
    outcome: Outcome,
    /// What was found; may be given more than once.
    #[arg(long, value_name = "TEXT")]
    finding: Vec<String>,
    /// How grave the findings are: `minor`, `major` or `critical`.
    #[arg(long, default_value = "minor", value_parser = severity)]
    severity: Severity,
}

fn outcome(name: &str) -> Result<Outcome, String> {
    Outcome::named(name).ok_or_else(|| format!("the outcomes are {}", Outcome::ALL.map(Outcome::name).join(", ")))
}

fn severity(name: &str) -> Result<Severity, String> {
    Severity::named(name).ok_or_else(|| format!("the severities are {}", Severity::ALL.map(Severity::name).join(", ")))
}

pub(crate) async fn run(profile: &Profile, command: InspectionCommand) -> Result<Exit, Failure> {
    let InspectionCommand::Record(record) = command;
    let severity = record.severity;
    let finding = |text| Finding { code: None, text, severity, corrective_action: None };
    let client = profile.writing().await?;
    let payload = Payload::InspectionRecord(InspectionRecord {
        inspection_id: InspectionId(SystemIds.new_id()),
        kind: record.kind,
        inspected_on: record.on,
        outcome: record.outcome,
        findings: record.finding.into_iter().map(finding).collect(),
    });
    save(profile, &client, Some(record.id), payload).await
}
