//! The figures, each from what it needs to what it came to.

mod barrier;
mod batches;
mod first_sync;
mod growth;
mod memory;
mod single;
mod wakes;
pub(crate) mod work;

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::Figure;

type Measure = fn(&Bench) -> Result<Vec<Figure>>;

/// Every figure, in the order they are taken.
pub(crate) const ALL: [(&str, Measure); 7] = [
    ("sqlite/single", single::on_sqlite),
    ("sqlite/batches", batches::on_sqlite),
    ("sqlite/barrier", barrier::on_sqlite),
    ("sqlite/wakes", wakes::on_sqlite),
    ("sqlite/first_sync", first_sync::on_sqlite),
    ("sqlite/memory", memory::on_sqlite),
    ("sqlite/growth", growth::on_sqlite),
];
