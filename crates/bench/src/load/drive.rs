//! Sends requests as fast as the answers come, over a number of connections.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use tokio::task::{JoinSet, LocalSet};

use crate::load::Requests;
use crate::load::connection::Connection;

/// What came of a round.
#[derive(Debug, Default, Clone, Serialize)]
pub(crate) struct Round {
    pub(crate) requests: usize,
    pub(crate) seconds: f64,
    pub(crate) by_status: BTreeMap<u16, usize>,
    pub(crate) replays: usize,
    /// From sending to having the whole answer.
    pub(crate) median_us: u64,
    pub(crate) p99_us: u64,
}

impl Round {
    /// Requests answered in a second.
    pub(crate) fn per_second(&self) -> f64 {
        count(self.requests) / self.seconds
    }

    /// Answers with a 2xx status.
    pub(crate) fn good(&self) -> usize {
        self.by_status.iter().filter(|(status, _)| (200..300).contains(*status)).map(|(_, count)| count).sum()
    }
}

/// A count as a number to divide.
pub(crate) fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Sends all of `requests` once each, in order, over `connections`, which begin at the same moment, to each of
/// `addresses` in turn.
///
/// # Errors
/// A connection cannot be made or ends early.
pub(crate) fn drive(addresses: &[&str], requests: &Arc<Requests>, connections: usize) -> Result<Round> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    runtime.block_on(LocalSet::new().run_until(drive_all(addresses, requests, connections)))
}

/// What the connections share. They run in one thread.
struct Shared {
    requests: Arc<Requests>,
    next: Cell<usize>,
    tally: RefCell<Tally>,
}

#[derive(Default)]
struct Tally {
    by_status: BTreeMap<u16, usize>,
    replays: usize,
    took_us: Vec<u64>,
}

async fn drive_all(addresses: &[&str], requests: &Arc<Requests>, connections: usize) -> Result<Round> {
    let tally = RefCell::new(Tally { took_us: Vec::with_capacity(requests.len()), ..Tally::default() });
    let shared = Rc::new(Shared { requests: Arc::clone(requests), next: Cell::new(0), tally });
    let mut open = Vec::new();
    for address in addresses.iter().cycle().take(connections) {
        open.push(Connection::open(address).await?);
    }
    let began = Instant::now();
    let mut senders = JoinSet::new();
    for connection in open {
        senders.spawn_local(send_some(connection, Rc::clone(&shared)));
    }
    while let Some(sender) = senders.join_next().await {
        sender.context("a sender was cut off")??;
    }
    let seconds = began.elapsed().as_secs_f64();
    let mut tally = shared.tally.take();
    tally.took_us.sort_unstable();
    let at = |percent: usize| tally.took_us.get(tally.took_us.len() * percent / 100).copied().unwrap_or(0);
    let (median_us, p99_us) = (at(50), at(99));
    let Tally { by_status, replays, .. } = tally;
    Ok(Round { requests: requests.len(), seconds, by_status, replays, median_us, p99_us })
}

/// Takes one request after the other until none is left.
async fn send_some(mut connection: Connection, shared: Rc<Shared>) -> Result<()> {
    loop {
        let place = shared.next.get();
        if place == shared.requests.len() {
            return Ok(());
        }
        shared.next.set(place + 1);
        let began = Instant::now();
        let answer = connection.exchange(shared.requests.get(place)).await?;
        let mut tally = shared.tally.borrow_mut();
        *tally.by_status.entry(answer.status).or_default() += 1;
        tally.replays += usize::from(answer.is_replay);
        tally.took_us.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
    }
}
