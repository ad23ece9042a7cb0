//! Commands one by one: distinct keys, and every key three times, beside the bare receiver.

use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{CONNECTIONS, Office, as_many, good, processor_us, speeds};
use crate::load::{Round, drive};
use crate::process::Process;
use crate::rounds::{alternate, median, ratios};
use crate::server::Server;

/// How often each key is sent in a shuffle.
const TIMES: usize = 3;

/// What the peers make of the same work here: requests a second over what the bare receiver makes.
const PEERS: [(&str, f64, f64); 3] = [("express-pg", 2_414.0, 7.0), ("restate", 1_063.0, 15.0), ("dbos", 450.0, 40.0)];
const BARE_THEN: f64 = 28_200.0;

pub(super) fn on_sqlite(bench: &Bench) -> Result<Vec<Figure>> {
    let folder = bench.folder("single")?;
    let office = Office::open(bench, &Server::on_sqlite(&bench.program, &folder), &folder)?;
    let mut bare = Command::new(std::env::current_exe().context("find this program")?);
    bare.arg("bare").arg("--database").arg(folder.join("bare.db"));
    let bare = Process::start(&mut bare, &folder.join("bare.log"))?;

    let warm = |address: &str| drive(address, &Arc::new(office.commands(2_000)), CONNECTIONS);
    let size = as_many(&good(warm(&office.process.address)?)?, bench.seconds);
    warm(&bare.address)?;
    let (mut used, mut bare_used) = (Vec::new(), Vec::new());
    let (ours, theirs) = alternate(
        bench.rounds,
        |_| {
            let requests = office.commands(size);
            let (round, us) = processor_us(&office.process, size, || office.send(requests, CONNECTIONS))?;
            used.push(us);
            Ok(round)
        },
        |_| {
            let requests = Arc::new(office.commands(size));
            let (round, us) = processor_us(&bare, size, || good(drive(&bare.address, &requests, CONNECTIONS)?))?;
            bare_used.push(us);
            Ok(round)
        },
    )?;
    let shuffle = |round: usize| office.commands(size / TIMES).shuffled(TIMES, round);
    let (shuffled, bare_shuffled) = alternate(
        bench.rounds,
        |round| repeated(office.send(shuffle(round), CONNECTIONS)?),
        |round| repeated(good(drive(&bare.address, &Arc::new(shuffle(round)), CONNECTIONS)?)?),
    )?;
    let mut figures = distinct(&ours, &theirs, [&used, &bare_used]);
    figures.extend(shuffles(&shuffled, &bare_shuffled, &ours));
    figures.extend(peers(&ours, &theirs));
    Ok(figures)
}

/// The round, if of every three deliveries of a key two got the stored answer.
fn repeated(round: Round) -> Result<Round> {
    ensure!(round.replays * TIMES == round.requests * (TIMES - 1), "{} replays of {}", round.replays, round.requests);
    Ok(round)
}

fn distinct(ours: &[Round], bare: &[Round], used: [&[f64]; 2]) -> Vec<Figure> {
    let about = "Commands with distinct keys over 16 connections, beside the bare SQLite receiver";
    let ratio = median(&ratios(&speeds(ours), &speeds(bare)));
    vec![
        Figure::limited("sqlite/distinct", about, ratio, "of bare", Limit::AtLeast(0.7))
            .with("ours_per_second", median(&speeds(ours)))
            .with("bare_per_second", median(&speeds(bare)))
            .with("ours", ours)
            .with("bare", bare),
        Figure::told("sqlite/distinct_per_second", "The same, of ours alone", median(&speeds(ours)), "commands/s"),
        Figure::told("sqlite/distinct_processor", "Processor time of ours per command", median(used[0]), "us")
            .with("bare_us", median(used[1])),
    ]
}

fn shuffles(ours: &[Round], bare: &[Round], distinct: &[Round]) -> Vec<Figure> {
    let about = "Every key three times in a shuffle over 16 connections, beside the bare SQLite receiver";
    let ratio = median(&ratios(&speeds(ours), &speeds(bare)));
    let more = median(&speeds(ours)) / median(&speeds(distinct));
    vec![
        Figure::limited("sqlite/shuffle", about, ratio, "of bare", Limit::AtLeast(0.7))
            .with("ours_per_second", median(&speeds(ours)))
            .with("bare_per_second", median(&speeds(bare)))
            .with("ours", ours)
            .with("bare", bare),
        Figure::limited(
            "sqlite/shuffle_to_distinct",
            "Requests a second of the shuffle beside those of distinct keys",
            more,
            "times",
            Limit::AtLeast(1.3),
        ),
    ]
}

/// The peers were measured elsewhere beside the same bare receiver; what they would make here is scaled by it.
fn peers(ours: &[Round], bare: &[Round]) -> Vec<Figure> {
    let scale = median(&speeds(bare)) / BARE_THEN;
    let figures = PEERS.iter().map(|(name, per_second, times)| {
        let about = format!("Distinct keys beside {name}: {per_second} commands/s where the bare receiver made 28,200");
        let value = median(&speeds(ours)) / (per_second * scale);
        Figure::limited(&format!("sqlite/beside_{name}"), &about, value, "times", Limit::AtLeast(*times))
    });
    figures.collect()
}
