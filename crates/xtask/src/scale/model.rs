//! The capacity model: from what was measured and what an office does to what it takes, and what gives out first.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// What an officer does. Guesses, on the high side; change them here and run `cargo xtask scale` again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    /// Commands of a working day.
    pub(super) commands_a_day: f64,
    /// The part of them in the busiest hour.
    pub(super) busiest_hour: f64,
    /// Windows and computers that follow the feed, each over one connection.
    pub(super) devices: f64,
    pub(super) working_days: f64,
    /// Of a machine, so that a burst or a lost node does not fill the rest.
    pub(super) use_at_most: f64,
}

pub(super) const HABITS: Habits =
    Habits { commands_a_day: 80.0, busiest_hour: 0.25, devices: 1.5, working_days: 250.0, use_at_most: 0.5 };

/// Wake-ups a second that one connection is given at most: heads are looked at each 250 ms.
const WAKES_PER_S: f64 = 4.0;
/// Memory of a node that may go to connections.
const STREAMS_MB: f64 = 1_024.0;
/// A disk, of which a database takes a year's growth.
const DISK_GB: f64 = 500.0;

/// The measured figures that the model uses. All are of PostgreSQL on one machine, beside the server, but where said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub(super) machine: String,
    pub(super) cpus: f64,
    /// Commands a second that one tenant makes, which are decided one group after the other.
    pub(super) one_tenant: f64,
    /// The same on SQLite.
    pub(super) sqlite: f64,
    /// Commands a second that a thousand tenants make together, hardly two in one commit.
    pub(super) many_tenants: f64,
    /// Processor time of the server per command of those, µs.
    pub(super) command_us: f64,
    /// Per page of the feed with one change, µs.
    pub(super) pull_us: f64,
    /// Per second and connection that follows, µs.
    pub(super) stream_us: f64,
    /// Per connection that follows, KB.
    pub(super) stream_kb: f64,
    pub(super) idle_mb: f64,
    pub(super) case_bytes: f64,
    pub(super) command_bytes: f64,
    /// Entities a second of a first sync.
    pub(super) first_sync: f64,
}

impl Measured {
    /// Reads a report.
    ///
    /// # Errors
    /// It is none, or a figure is missing.
    pub(super) fn read(report: &str) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("the report is no JSON")?;
        let figures = report["figures"].as_array().context("the report has no figures")?;
        let figure = |name: &str| {
            let found = figures.iter().find(|figure| figure["name"] == name);
            found.with_context(|| format!("the report has no {name}"))
        };
        let value = |name: &str| figure(name)?["value"].as_f64().with_context(|| format!("{name} has no value"));
        let detail = |name: &str, member: &str| {
            figure(name)?["detail"][member].as_f64().with_context(|| format!("{name} has no {member}"))
        };
        let machine = &report["machine"];
        let cpus = machine["cpus"].as_f64().context("the report has no machine")?;
        Ok(Self {
            machine: format!(
                "{cpus} CPUs ({}), {} GB, PostgreSQL {}, SQLite {}",
                machine["cpu_model"].as_str().unwrap_or("unknown"),
                machine["memory_mb"].as_u64().unwrap_or(0) / 1024,
                machine["postgres_version"].as_str().and_then(|text| text.split(' ').next()).unwrap_or("unknown"),
                machine["sqlite_version"].as_str().unwrap_or("unknown"),
            ),
            cpus,
            one_tenant: detail("postgres/distinct", "ours_per_second")?,
            sqlite: detail("sqlite/distinct", "ours_per_second")?,
            many_tenants: value("postgres/tenants_per_second")?,
            command_us: detail("postgres/tenants_per_second", "processor_us_per_command")?,
            pull_us: value("postgres/pull_processor")?,
            stream_us: detail("sqlite/memory_per_stream", "processor_us_per_second_and_idle_stream")?,
            stream_kb: value("sqlite/memory_per_stream")?,
            idle_mb: value("sqlite/memory_idle")?,
            case_bytes: value("postgres/bytes_per_case")?,
            command_bytes: value("postgres/bytes_per_command")?,
            first_sync: value("sqlite/first_sync")?,
        })
    }

    /// The report as it is kept: without the single rounds.
    ///
    /// # Errors
    /// It is no report.
    pub(super) fn without_rounds(report: &str) -> Result<String> {
        Self::read(report)?;
        let mut report: Value = serde_json::from_str(report).context("the report is no JSON")?;
        let figures = report["figures"].as_array_mut().context("the report has no figures")?;
        for figure in figures {
            if let Some(detail) = figure["detail"].as_object_mut() {
                detail.retain(|_, value| value.is_number());
            }
        }
        Ok(serde_json::to_string_pretty(&report).context("write the report")? + "\n")
    }
}

/// Organizations of one size on one PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) tenants: f64,
    /// Of each.
    pub(super) officers: f64,
}

/// What a load takes in its busiest hour.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Needs {
    pub(super) commands_per_s: f64,
    pub(super) pulls_per_s: f64,
    pub(super) streams: f64,
    /// Processors of all nodes together.
    pub(super) processors: f64,
    pub(super) streams_mb: f64,
    pub(super) gb_a_year: f64,
    /// Nodes of as many processors as the measured machine has.
    pub(super) nodes: f64,
    /// Parts of what each has, by name; 1 is all of it. What is nearest to it comes first.
    pub(super) used: Vec<(&'static str, f64)>,
}

impl Load {
    /// What it takes.
    pub(super) fn needs(self, measured: &Measured, habits: Habits) -> Needs {
        let people = self.tenants * self.officers;
        let of_tenant = self.officers * habits.commands_a_day * habits.busiest_hour / 3_600.0;
        let commands_per_s = of_tenant * self.tenants;
        let streams = people * habits.devices;
        let pulls_per_s = streams * of_tenant.min(WAKES_PER_S);
        let us = commands_per_s * measured.command_us + pulls_per_s * measured.pull_us + streams * measured.stream_us;
        let processors = us / 1e6;
        let streams_mb = streams * measured.stream_kb / 1_024.0;
        let by_processor = processors / (measured.cpus * habits.use_at_most);
        let nodes = by_processor.max(streams_mb / STREAMS_MB).ceil().max(1.0);
        let gb_a_year = people * habits.commands_a_day * habits.working_days * measured.command_bytes / 1e9;
        let mut used = vec![
            ("one tenant's commits, which wait for each other", of_tenant / (measured.one_tenant * habits.use_at_most)),
            ("PostgreSQL's commits", commands_per_s / (measured.many_tenants * habits.use_at_most)),
            ("the processors of one node", by_processor),
            ("the memory of one node", streams_mb / STREAMS_MB),
            ("the disk, in a year", gb_a_year / DISK_GB),
        ];
        used.sort_by(|one, other| other.1.total_cmp(&one.1));
        Needs { commands_per_s, pulls_per_s, streams, processors, streams_mb, gb_a_year, nodes, used }
    }
}

/// Officers of one tenant with whom its commits use as much of a PostgreSQL like the measured one as they may.
pub(super) fn officers_of_one_tenant(measured: &Measured, habits: Habits) -> f64 {
    measured.one_tenant * habits.use_at_most * 3_600.0 / (habits.commands_a_day * habits.busiest_hour)
}

/// Holds the model against the run with a thousand tenants: what it calls comfortable for them must have been made.
///
/// # Errors
/// The run made less.
pub(super) fn borne_out(measured: &Measured, habits: Habits) -> Result<(Load, Needs, f64)> {
    let load = Load { tenants: 1_000.0, officers: 40.0 };
    let needs = load.needs(measured, habits);
    let times = measured.many_tenants / needs.commands_per_s;
    ensure!(
        times * habits.use_at_most >= 1.0,
        "a thousand tenants made {:.0} commands a second, which is less than the model builds on",
        measured.many_tenants
    );
    Ok((load, needs, times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        Measured {
            machine: String::new(),
            cpus: 2.0,
            one_tenant: 3_000.0,
            sqlite: 5_000.0,
            many_tenants: 1_000.0,
            command_us: 250.0,
            pull_us: 300.0,
            stream_us: 4.0,
            stream_kb: 20.0,
            idle_mb: 30.0,
            case_bytes: 3_500.0,
            command_bytes: 4_000.0,
            first_sync: 100_000.0,
        }
    }

    #[test]
    fn an_office_of_ten_fits_on_anything() {
        let needs = Load { tenants: 1.0, officers: 10.0 }.needs(&measured(), HABITS);
        assert!(needs.nodes <= 1.0 && needs.used.iter().all(|(_, part)| *part < 0.01), "{needs:?}");
    }

    /// Every command wakes every device of its tenant: one large tenant costs more than many small ones.
    #[test]
    fn fan_out_grows_with_the_square_of_a_tenant_until_wake_ups_are_joined() {
        let pulls = |tenants, officers| Load { tenants, officers }.needs(&measured(), HABITS).pulls_per_s;
        assert!((pulls(1.0, 200.0) / pulls(1.0, 100.0) - 4.0).abs() < 1e-9);
        assert!((pulls(2.0, 100.0) / pulls(1.0, 100.0) - 2.0).abs() < 1e-9);
        assert!((pulls(1.0, 20_000.0) / pulls(1.0, 10_000.0) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_run_that_made_too_little_is_told() {
        assert!(borne_out(&measured(), HABITS).is_ok());
        assert!(borne_out(&Measured { many_tenants: 100.0, ..measured() }, HABITS).is_err());
    }
}
