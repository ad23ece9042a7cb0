//! Resident memory: idle, with a thousand event streams, and with a first sync of 100,000 cases in flight as well.

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::cases;
use crate::figure::{Figure, Limit};
use crate::figures::first_sync::CASES;
use crate::figures::work::{TENANT, processor_us};
use crate::load::count;
use crate::load::feed::first_sync;
use crate::load::streams::Streams;
use crate::server::{Server, sign_everybody_in};

const STREAMS: usize = 1000;
/// How long a server with nothing to do is watched.
const IDLE: std::time::Duration = std::time::Duration::from_secs(3);

pub(super) fn on_sqlite(bench: &Bench) -> Result<Vec<Figure>> {
    let folder = bench.folder("crowd")?;
    let server = Server::on_sqlite(&bench.program, &folder);
    server.add_tenant(TENANT)?;
    server.import(TENANT, &bench.map, &cases::first(&bench.cases, CASES, &folder)?)?;
    let process = server.start()?;
    std::thread::sleep(IDLE);
    let idle = process.memory_mb();
    let sessions = sign_everybody_in(&process.address, TENANT)?;
    let signed_in = process.memory_mb();
    let streams = Streams::open(&process.address, &sessions, STREAMS)?;
    let with_streams = process.memory_mb();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    let mut most = with_streams;
    let sync =
        runtime.block_on(first_sync(&process.address, &sessions[0].token, || most = most.max(process.memory_mb())))?;
    let ((), waiting_us) = processor_us(&process, STREAMS, || {
        std::thread::sleep(IDLE);
        Ok(())
    })?;
    Ok(vec![
        Figure::limited(
            "sqlite/memory_idle",
            "Resident memory of an idle server with 100,000 cases",
            idle,
            "MB",
            Limit::AtMost(64.0),
        ),
        Figure::limited(
            "sqlite/memory_busy",
            "The most resident memory with 1,000 event streams and a first sync of 100,000 cases in flight",
            most,
            "MB",
            Limit::AtMost(200.0),
        )
        .with("after_16_sign_ins_mb", signed_in)
        .with("with_streams_mb", with_streams)
        .with("sync", sync),
        Figure::told(
            "sqlite/memory_per_stream",
            "Resident memory per open event stream",
            (with_streams - signed_in).max(0.0) * 1024.0 / count(STREAMS),
            "KB",
        )
        .with("idle_processor_us_per_second", waiting_us / IDLE.as_secs_f64())
        .with("wakes", streams.wakes()),
    ])
}
