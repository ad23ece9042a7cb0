//! Commands in batches of a hundred, beside the same commands one by one.

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{CONNECTIONS, Office, Store, as_many, speeds};
use crate::load::Round;
use crate::rounds::{alternate, median, ratios};

const SIZE: usize = wire::BATCH_COMMANDS_MAX;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let office = Office::open(bench, store, "batches")?;
    let alone = as_many(&office.send(office.commands(2_000), CONNECTIONS)?, bench.seconds);
    let together = as_many(&as_commands(office.send(office.full_batches(10_000), CONNECTIONS)?), bench.seconds);
    let (batches, singles) = alternate(
        bench.rounds,
        |_| office.send(office.full_batches(together), CONNECTIONS).map(as_commands),
        |_| office.send(office.commands(alone), CONNECTIONS),
    )?;
    let about = "Commands a second in batches of 100 over 16 connections, beside the same one by one";
    let ratio = median(&ratios(&speeds(&batches), &speeds(&singles)));
    let figure = Figure::limited(store, "batches", about, ratio, "of single", Limit::AtLeast(3.0));
    Ok(vec![
        figure
            .with("batched_per_second", median(&speeds(&batches)))
            .with("single_per_second", median(&speeds(&singles)))
            .with("batches", batches)
            .with("singles", singles),
    ])
}

/// A round of batches, counted in commands.
fn as_commands(round: Round) -> Round {
    Round { requests: round.requests * SIZE, ..round }
}
