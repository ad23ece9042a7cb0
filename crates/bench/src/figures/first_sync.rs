//! How fast the whole feed comes out, to a client that only counts.

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::cases;
use crate::figure::{Figure, Limit};
use crate::figures::work::{Store, TENANT};
use crate::load::count;
use crate::load::feed::{FirstSync, first_sync};
use crate::rounds::median;
use crate::server::sign_everybody_in;

/// Cases of the city whose feed is read.
pub(super) const CASES: usize = 100_000;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let folder = bench.folder("city")?;
    let server = store.server(bench, &folder)?;
    server.add_tenant(TENANT)?;
    server.import(TENANT, &bench.map, &cases::first(&bench.cases, CASES, &folder)?)?;
    let process = server.start()?;
    let sessions = sign_everybody_in(&process.address, TENANT)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    let read = |round: usize| {
        let token = &sessions[round % sessions.len()].token;
        runtime.block_on(first_sync(&process.address, token, || ()))
    };
    read(0)?;
    let syncs = (0..bench.rounds).map(read).collect::<Result<Vec<FirstSync>>>()?;
    let speeds: Vec<f64> = syncs.iter().map(|sync| count(sync.entities) / sync.seconds).collect();
    let about = "Entities a second of a first sync of 100,000 cases, and their activities, in pages of 1,000";
    let limit = Limit::AtLeast(100_000.0);
    let figure = Figure::limited(store, "first_sync", about, median(&speeds), "entities/s", limit);
    Ok(vec![figure.with("syncs", syncs)])
}
