//! What a device costs that fetches one change after a wake-up, for the capacity model.

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::figure::Figure;
use crate::figures::work::{CONNECTIONS, Office, Store, processor_us, speeds};
use crate::load::Requests;
use crate::load::feed::first_sync;
use crate::load::request::get;
use crate::rounds::median;

const PULLS: usize = 4_000;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let office = Office::open(bench, store, "pulls")?;
    let token = &office.sessions[0].token;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    let cursor = runtime.block_on(first_sync(&office.process.address, token, || ()))?.cursor;
    office.send(office.commands(1), 1)?;
    let pulls = || {
        let mut requests = Requests::default();
        for place in 0..PULLS {
            let session = &office.sessions[place % office.sessions.len()];
            requests.push(&get(&format!("/v1/changes?cursor={cursor}"), &session.token));
        }
        requests
    };
    office.send(pulls(), CONNECTIONS)?;
    let (mut used, mut rounds) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        let requests = pulls();
        let (round, us) = processor_us(&office.process, PULLS, || office.send(requests, CONNECTIONS))?;
        used.push(us);
        rounds.push(round);
    }
    let about = "Processor time of the server per page of the feed that tells one command";
    Ok(vec![
        Figure::told(store, "pull_processor", about, median(&used), "us")
            .with("pulls_per_second", median(&speeds(&rounds)))
            .with("rounds", rounds),
    ])
}
