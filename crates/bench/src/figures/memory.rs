//! Resident memory: idle, with a thousand event streams, and with a first sync of 100,000 cases in flight as well.

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::cases;
use crate::figure::{Figure, Limit};
use crate::figures::first_sync::CASES;
use crate::figures::work::{Store, TENANT, processor_us};
use crate::load::count;
use crate::load::feed::first_sync;
use crate::load::streams::Streams;
use crate::server::sign_everybody_in;

const STREAMS: usize = 1000;
/// Streams that are there before the memory of one is taken: the first ones use what signing in gave back.
const FIRST_STREAMS: usize = 200;
/// How long a server with nothing to do is watched.
const IDLE: std::time::Duration = std::time::Duration::from_secs(3);

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let folder = bench.folder("crowd")?;
    let server = store.server(bench, &folder)?;
    server.add_tenant(TENANT)?;
    server.import(TENANT, &bench.map, &cases::first(&bench.cases, CASES, &folder)?)?;
    let process = server.start()?;
    std::thread::sleep(IDLE);
    let idle = process.memory_mb();
    let sessions = sign_everybody_in(&process.address, TENANT)?;
    let signed_in = process.memory_mb();
    let first = Streams::open(&process.address, &sessions, FIRST_STREAMS)?;
    let with_few = process.memory_mb();
    let streams = Streams::open(&process.address, &sessions, STREAMS - FIRST_STREAMS)?;
    let with_streams = process.memory_mb();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    let mut most = with_streams;
    let sync =
        runtime.block_on(first_sync(&process.address, &sessions[0].token, || most = most.max(process.memory_mb())))?;
    let ((), waiting_us) = processor_us(&process, STREAMS, || {
        std::thread::sleep(IDLE);
        Ok(())
    })?;
    let alone = "Resident memory of an idle server with 100,000 cases";
    let together = "The most resident memory with 1,000 event streams and a first sync of 100,000 cases in flight";
    let per_stream = (with_streams - with_few).max(0.0) * 1024.0 / count(STREAMS - FIRST_STREAMS);
    Ok(vec![
        Figure::limited(store, "memory_idle", alone, idle, "MB", Limit::AtMost(64.0)),
        Figure::limited(store, "memory_busy", together, most, "MB", Limit::AtMost(200.0))
            .with("after_16_sign_ins_mb", signed_in)
            .with("with_streams_mb", with_streams)
            .with("sync", sync),
        Figure::told(store, "memory_per_stream", "Resident memory per open event stream", per_stream, "KB")
            .with("processor_us_per_second_and_idle_stream", waiting_us / IDLE.as_secs_f64())
            .with("wakes", first.wakes() + streams.wakes()),
    ])
}
