//! Whether a command costs the same however many keys are stored.

use anyhow::Result;

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{CONNECTIONS, Office, Store, speeds};
use crate::rounds::{alternate, median, ratios};

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
/// Commands sent between two sign-ins while the keys are made.
const CHUNK: usize = 50_000;
/// Commands of a round: few, so that a thousand keys stay about a thousand.
const ROUND: usize = 2_000;
/// Prefilling is not measured; short texts make it bearable.
const SHORT_TEXT_BYTES: usize = 40;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let mut crowded = Office::open(bench, store, "many")?;
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
            // The imported cases are commands: this is a database of a thousand keys.
            let office = Office::open(bench, store, &format!("few-{round}"))?;
            office.send(office.commands(ROUND / 10), CONNECTIONS)?;
            office.send(office.commands(ROUND), CONNECTIONS)
        },
        |_| {
            crowded.sign_in_again()?;
            crowded.send(crowded.commands(ROUND), CONNECTIONS)
        },
    )?;
    let about = "Time per command with 1,000,000 stored keys, beside the same with 1,000";
    let ratio = median(&ratios(&speeds(&empty), &speeds(&full)));
    let figure = Figure::limited(store, "growth", about, ratio, "times", Limit::AtMost(1.3));
    Ok(vec![
        figure
            .with("few_per_second", median(&speeds(&empty)))
            .with("many_per_second", median(&speeds(&full)))
            .with("few", empty)
            .with("many", full),
    ])
}
