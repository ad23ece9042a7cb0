//! What wake-ups cost: 200 writers beside 200 open event streams, and without them (CASES S40).

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{Office, Store, as_many, speeds};
use crate::load::streams::Streams;
use crate::rounds::{alternate, median, ratios};

const WRITERS: usize = 200;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let office = Office::open(bench, store, "wakes")?;
    let size = as_many(&office.send(office.commands(2_000), WRITERS)?, bench.seconds);
    let mut wakes = 0;
    let (on, off) = alternate(
        bench.rounds,
        |_| {
            let streams = Streams::open(&office.process.address, &office.sessions, WRITERS)?;
            let round = office.send(office.commands(size), WRITERS)?;
            wakes += streams.wakes();
            Ok(round)
        },
        |_| office.send(office.commands(size), WRITERS),
    )?;
    let about = "Commands a second by 200 writers while each follows the wake-ups, beside nobody following";
    let ratio = median(&ratios(&speeds(&on), &speeds(&off)));
    let figure = Figure::limited(store, "wakes", about, ratio, "of without", Limit::AtLeast(0.9));
    Ok(vec![
        figure
            .with("on_per_second", median(&speeds(&on)))
            .with("off_per_second", median(&speeds(&off)))
            .with("wakes", wakes)
            .with("on", on)
            .with("off", off),
    ])
}
