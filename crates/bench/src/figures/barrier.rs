//! Sixty-four equal requests at one moment: one effect, and nothing that tells a client to worry.

use std::sync::Arc;

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::Office;
use crate::load::{Requests, Round, count, drive};
use crate::rounds::median;
use crate::server::Server;

const TOGETHER: usize = 64;

pub(super) fn on_sqlite(bench: &Bench) -> Result<Vec<Figure>> {
    let folder = bench.folder("barrier")?;
    let office = Office::open(bench, &Server::on_sqlite(&bench.program, &folder), &folder)?;
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds {
        let one = office.commands(1);
        let mut requests = Requests::default();
        (0..TOGETHER).for_each(|_| requests.push(one.get(0)));
        rounds.push(drive(&office.process.address, &Arc::new(requests), TOGETHER)?);
    }
    Ok(told("sqlite/barrier", &rounds))
}

/// First answers that are not replays must be one a round; there may be 409, but no 5xx.
pub(super) fn told(name: &str, rounds: &[Round]) -> Vec<Figure> {
    let first = |round: &Round| round.good() - round.replays;
    let failed = |round: &Round| round.by_status.range(500..).map(|(_, count)| count).sum::<usize>();
    let firsts = rounds.iter().map(first).max().unwrap_or(0);
    let failures: usize = rounds.iter().map(failed).sum();
    let took: Vec<f64> = rounds.iter().map(|round| round.seconds * 1e3).collect();
    vec![
        Figure::limited(
            &format!("{name}_effects"),
            "Effects of 64 equal requests at a barrier",
            count(firsts),
            "effects",
            Limit::AtMost(1.0),
        ),
        Figure::limited(
            &format!("{name}_failures"),
            "5xx among the answers to them",
            count(failures),
            "answers",
            Limit::AtMost(0.0),
        )
        .with("median_ms_until_all_are_answered", median(&took))
        .with("rounds", rounds),
    ]
}
