//! Whether a command costs the same however many keys are stored.

use std::path::Path;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{CONNECTIONS, Office, speeds};
use crate::load::Round;
use crate::rounds::{alternate, median, ratios};
use crate::server::Server;

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
/// Commands sent between two sign-ins while the keys are made.
const CHUNK: usize = 50_000;
/// Commands of a round: few, so that a thousand keys stay about a thousand.
const ROUND: usize = 2_000;
/// Prefilling is not measured; short texts make it bearable.
const SHORT_TEXT_BYTES: usize = 40;

pub(super) fn on_sqlite(bench: &Bench) -> Result<Vec<Figure>> {
    let few = bench.folder("few")?;
    // The imported cases are commands: this is the database of a thousand keys.
    Office::open(bench, &Server::on_sqlite(&bench.program, &few), &few)?.process.stop();
    let many = bench.folder("many")?;
    copy(&few, &many)?;
    let mut crowded = Office::open_again(&Server::on_sqlite(&bench.program, &many))?;
    for _ in (FEW..MANY).step_by(CHUNK) {
        crowded.sign_in_again()?;
        crowded.send(crowded.batches(CHUNK, wire::BATCH_COMMANDS_MAX, SHORT_TEXT_BYTES), CONNECTIONS)?;
    }
    crowded.sign_in_again()?;
    crowded.send(crowded.commands(ROUND), CONNECTIONS)?;
    // Short rounds are noisy ones: there are more of them.
    let (empty, full) = alternate(
        bench.rounds * 3,
        |round| {
            let folder = bench.folder(&format!("few-{round}"))?;
            copy(&few, &folder)?;
            let office = Office::open_again(&Server::on_sqlite(&bench.program, &folder))?;
            office.send(office.commands(ROUND / 10), CONNECTIONS)?;
            office.send(office.commands(ROUND), CONNECTIONS)
        },
        |_| crowded.send(crowded.commands(ROUND), CONNECTIONS),
    )?;
    Ok(vec![told(&empty, &full)])
}

fn told(empty: &[Round], full: &[Round]) -> Figure {
    let about = "Time per command with 1,000,000 stored keys, beside the same with 1,000";
    let ratio = median(&ratios(&speeds(empty), &speeds(full)));
    Figure::limited("sqlite/growth", about, ratio, "times", Limit::AtMost(1.3))
        .with("few_per_second", median(&speeds(empty)))
        .with("many_per_second", median(&speeds(full)))
        .with("few", empty)
        .with("many", full)
}

/// The database and the key of a server that is not running.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in ["server.db", "server.db.key"] {
        std::fs::copy(from.join(file), to.join(file)).with_context(|| format!("copy {file}"))?;
    }
    Ok(())
}
