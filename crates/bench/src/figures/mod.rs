//! The figures, each from what it needs to what it came to.

mod barrier;
mod batches;
mod first_sync;
mod growth;
mod kept;
mod memory;
mod pulls;
mod single;
mod tenants;
mod wakes;
pub(crate) mod work;

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::Figure;
use work::Store::{self, Postgres, Sqlite};

type Measure = fn(&Bench, Store) -> Result<Vec<Figure>>;

/// Every figure, in the order they are taken.
pub(crate) const ALL: [(Store, &str, Measure); 17] = [
    (Sqlite, "single", single::measure),
    (Sqlite, "batches", batches::measure),
    (Sqlite, "barrier", barrier::measure),
    (Sqlite, "wakes", wakes::measure),
    (Sqlite, "first_sync", first_sync::measure),
    (Sqlite, "memory", memory::measure),
    (Sqlite, "pulls", pulls::measure),
    (Sqlite, "kept", kept::measure),
    (Sqlite, "growth", growth::measure),
    (Postgres, "single", single::measure),
    (Postgres, "batches", batches::measure),
    (Postgres, "barrier", barrier::measure),
    (Postgres, "wakes", wakes::measure),
    (Postgres, "pulls", pulls::measure),
    (Postgres, "kept", kept::measure),
    (Postgres, "growth", growth::measure),
    (Postgres, "tenants", tenants::measure),
];
