//! Sixty-four equal requests at one moment: one effect, and nothing that tells a client to worry. On PostgreSQL they go
//! to three nodes.

use std::sync::Arc;

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{Office, Store};
use crate::load::{Requests, Round, count, drive};
use crate::process::Process;
use crate::rounds::median;

const TOGETHER: usize = 64;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let folder = bench.folder(&format!("{}-barrier", store.name()))?;
    let server = store.server(bench, &folder)?;
    Office::fill(bench, &server, &folder)?;
    let office = Office::open_again(&server)?;
    let others = match store {
        Store::Sqlite => Vec::new(),
        Store::Postgres => vec![server.start()?, server.start()?],
    };
    let nodes: Vec<&str> = std::iter::once(&office.process).chain(&others).map(address).collect();
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds {
        let one = office.commands(1);
        let mut requests = Requests::default();
        (0..TOGETHER).for_each(|_| requests.push(one.get(0)));
        rounds.push(drive(&nodes, &Arc::new(requests), TOGETHER)?);
    }
    Ok(told(store, &rounds, nodes.len()))
}

fn address(process: &Process) -> &str {
    &process.address
}

/// First answers that are not replays must be one a round; there may be 409, but no 5xx.
fn told(store: Store, rounds: &[Round], nodes: usize) -> Vec<Figure> {
    let first = |round: &Round| round.good() - round.replays;
    let failed = |round: &Round| round.by_status.range(500..).map(|(_, count)| count).sum::<usize>();
    let firsts = rounds.iter().map(first).max().unwrap_or(0);
    let failures: usize = rounds.iter().map(failed).sum();
    let took: Vec<f64> = rounds.iter().map(|round| round.seconds * 1e3).collect();
    let about = format!("Effects of 64 equal requests at a barrier, at {nodes} node(s)");
    let one = Limit::AtMost(1.0);
    let none = Limit::AtMost(0.0);
    vec![
        Figure::limited(store, "barrier_effects", &about, count(firsts), "effects", one),
        Figure::limited(store, "barrier_failures", "5xx among the answers to them", count(failures), "answers", none)
            .with("median_ms_until_all_are_answered", median(&took))
            .with("rounds", rounds),
    ]
}
