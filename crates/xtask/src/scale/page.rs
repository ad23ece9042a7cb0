//! The words of docs/scale.md around what the model comes to.

use anyhow::Result;

use crate::scale::model::{HABITS, Load, Measured, Needs, borne_out, officers_of_one_tenant};

const LOADS: [(f64, f64); 8] = [
    (1.0, 10.0),
    (1.0, 100.0),
    (1.0, 1_000.0),
    (1.0, 10_000.0),
    (100.0, 20.0),
    (100.0, 200.0),
    (1_000.0, 40.0),
    (1_000.0, 200.0),
];

/// The whole page.
///
/// # Errors
/// The run with a thousand tenants does not bear the model out.
pub(super) fn page(measured: &Measured) -> Result<String> {
    let (load, needs, times) = borne_out(measured, HABITS)?;
    let rows: String = LOADS.iter().map(|(tenants, officers)| row(measured, *tenants, *officers)).collect();
    let alone = officers_of_one_tenant(measured, HABITS);
    let habits = HABITS;
    Ok(format!(
        "# How far a server goes

Worked out by `cargo xtask scale` from [figures/receive.json](figures/receive.json), a report of
`cargo xtask bench receive`; do not edit. With a report of your own machine:
`cargo xtask scale --from artifacts/bench/receive.json`. The model is `crates/xtask/src/scale/model.rs`.

## What was measured

On {machine}, with everything on this one machine, the load too.

| | |
|---|---|
| commands a second of one tenant, SQLite | {sqlite:.0} |
| commands a second of one tenant, PostgreSQL | {one_tenant:.0} |
| commands a second of 1,000 tenants in turn, PostgreSQL, one node | {many:.0} |
| processor time of a node per command of these | {command_us:.0} µs |
| processor time per page of the feed that tells one command | {pull_us:.0} µs |
| processor time per second and device that follows the feed | {stream_us:.1} µs |
| memory per device that follows the feed | {stream_kb:.0} KB |
| memory of an idle node with 100,000 cases | {idle:.0} MB |
| kept per case, with its receipt, activity and audit | {case:.1} KB |
| kept per command with 1 KB of text, likewise | {command:.1} KB |
| entities a second of a first sync, SQLite | {first_sync:.0} |

## What is assumed

An officer makes {a_day:.0} commands a day on {days:.0} days a year, {hour:.0} % of them in the busiest hour, and has
{devices} devices that follow the feed. Each command wakes every device of its organization, which then fetches a page;
wake-ups of one device are joined to at most four a second. Nothing is to be used by more than half, so that a burst or
a lost node finds room. These are guesses, on the high side.

## What it takes

In the busiest hour, on one PostgreSQL; nodes as the machine above. What comes nearest to its limit gives out first: at
100 % it uses the half that it may.

| organizations | officers of each | commands/s | pages/s | devices | processors | memory of devices | GB a year | nodes | gives out first |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
{rows}
## When to do what

- **SQLite or PostgreSQL.** One organization and one node: SQLite makes {ratio:.1} times the commands a second and needs
  no second program. PostgreSQL is for more than one node.
- **Add a node** when the processors of the nodes are in use by more than half in the busiest hour. Nodes share nothing
  but the database. Pages of the feed are what fills them, long before commands do: they grow with the square of an
  organization.
- **Give an organization a PostgreSQL of its own** (shard by tenant) when PostgreSQL's commits give out: nodes do not
  help there. No row names two tenants, so that a tenant moves as a whole.
- **One organization** is decided in one order: its commits wait for each other on any number of nodes. That is enough
  for about {alone} officers; a larger one is several organizations, or needs a faster disk under PostgreSQL.
- **The disk** fills by what is kept: [server.md](server.md) says what a purge takes away, and when.
- **A first sync** of {first_cases} cases, each with its activity, takes {first_seconds:.0} s of one reader. A morning on
  which everybody signs in anew is the one time that it matters.

## Held against a run

The bench runs 1,000 tenants over 64 connections against one node and PostgreSQL on this one machine. The model asks for
{asked:.0} commands a second from {tenants:.0} organizations of {officers:.0} officers in their busiest hour; the run made
{many:.0}, {times:.1} times that. `cargo xtask scale` refuses to write this page if it is less than twice.

What the model does not know: what PostgreSQL itself spends on the pages that nodes read from it, a network between
nodes and PostgreSQL (its round trips are waited for under the lock of the tenant), attachments, disks that slow down,
and offices that work in other ways.
",
        machine = measured.machine,
        sqlite = measured.sqlite,
        one_tenant = measured.one_tenant,
        many = measured.many_tenants,
        command_us = measured.command_us,
        pull_us = measured.pull_us,
        stream_us = measured.stream_us,
        stream_kb = measured.stream_kb,
        idle = measured.idle_mb,
        case = measured.case_bytes / 1_000.0,
        command = measured.command_bytes / 1_000.0,
        first_sync = measured.first_sync,
        a_day = habits.commands_a_day,
        days = habits.working_days,
        hour = habits.busiest_hour * 100.0,
        devices = habits.devices,
        ratio = measured.sqlite / measured.one_tenant,
        alone = grouped((alone / 1_000.0).floor() * 1_000.0),
        first_cases = grouped(100_000.0),
        first_seconds = (200_000.0 / measured.first_sync).ceil(),
        asked = needs.commands_per_s,
        tenants = load.tenants,
        officers = load.officers,
    ))
}

fn row(measured: &Measured, tenants: f64, officers: f64) -> String {
    let needs = Load { tenants, officers }.needs(measured, HABITS);
    let Needs { commands_per_s, pulls_per_s, streams, processors, streams_mb, gb_a_year, nodes, used } = needs;
    let first = used.first().map_or_else(String::new, |(what, part)| format!("{what}: {}", percent(*part)));
    format!(
        "| {} | {} | {commands_per_s:.1} | {} | {} | {processors:.2} | {} MB | {gb_a_year:.1} | {nodes:.0} | {first} |\n",
        grouped(tenants),
        grouped(officers),
        grouped(pulls_per_s.round()),
        grouped(streams),
        grouped(streams_mb.round()),
    )
}

fn percent(part: f64) -> String {
    if part < 0.01 { "under 1 %".to_owned() } else { format!("{:.0} %", part * 100.0) }
}

/// A whole number with commas between thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!([999.0, 1_000.0, 1_234_567.0].map(grouped), ["999", "1,000", "1,234,567"]);
    }
}
