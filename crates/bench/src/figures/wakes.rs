//! What wake-ups cost: 200 writers beside 200 open event streams, and without them (CASES S40).

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{Office, as_many, speeds};
use crate::load::streams::Streams;
use crate::rounds::{alternate, median, ratios};
use crate::server::Server;

const WRITERS: usize = 200;

pub(super) fn on_sqlite(bench: &Bench) -> Result<Vec<Figure>> {
    let folder = bench.folder("wakes")?;
    let office = Office::open(bench, &Server::on_sqlite(&bench.program, &folder), &folder)?;
    measure(bench, &office, "sqlite/wakes").map(|figure| vec![figure])
}

/// With streams and without, in turn.
pub(super) fn measure(bench: &Bench, office: &Office, name: &str) -> Result<Figure> {
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
    Ok(Figure::limited(name, about, ratio, "of without", Limit::AtLeast(0.9))
        .with("on_per_second", median(&speeds(&on)))
        .with("off_per_second", median(&speeds(&off)))
        .with("wakes", wakes)
        .with("on", on)
        .with("off", off))
}
