//! Commands one by one: distinct keys, and every key three times, beside what the least that must be done takes.

use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::figure::{Figure, Limit};
use crate::figures::work::{CONNECTIONS, Office, Store, as_many, good, processor_us, speeds, text};
use crate::load::{Round, drive};
use crate::process::Process;
use crate::rounds::{alternate, median, ratios};
use crate::yardstick::statement::Statement;

/// How often each key is sent in a shuffle.
const TIMES: usize = 3;

/// What the peers made of the same work, in commands a second where the bare receiver made [`BARE_THEN`], and how many
/// times that ours must make.
const PEERS: [(&str, f64, f64); 3] = [("express-pg", 2_414.0, 7.0), ("restate", 1_063.0, 15.0), ("dbos", 450.0, 40.0)];
const BARE_THEN: f64 = 28_200.0;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let office = Office::open(bench, store, "single")?;
    match store {
        Store::Sqlite => beside_bare(bench, &office),
        Store::Postgres => beside_statement(bench, &office),
    }
}

fn beside_bare(bench: &Bench, office: &Office) -> Result<Vec<Figure>> {
    let folder = bench.folder("bare")?;
    let mut command = Command::new(std::env::current_exe().context("find this program")?);
    command.arg("bare").arg("--database").arg(folder.join("bare.db"));
    let bare = Process::start(&mut command, &folder.join("bare.log"))?;
    let send = |requests| good(drive(&[&bare.address], &Arc::new(requests), CONNECTIONS)?);

    let size = size_of_a_round(bench, office)?;
    send(office.commands(2_000))?;
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
            let requests = office.commands(size);
            let (round, us) = processor_us(&bare, size, || send(requests))?;
            bare_used.push(us);
            Ok(round)
        },
    )?;
    let shuffle = |round: usize| office.commands(size / TIMES).shuffled(TIMES, round);
    let (shuffled, bare_shuffled) = alternate(
        bench.rounds,
        |round| repeated(office.send(shuffle(round), CONNECTIONS)?),
        |round| repeated(send(shuffle(round))?),
    )?;
    let mut figures = vec![distinct(Store::Sqlite, "the bare SQLite receiver", 0.7, &ours, &speeds(&theirs))];
    figures.push(processor(Store::Sqlite, &used).with("bare_us", median(&bare_used)));
    figures.extend(shuffles(&shuffled, &bare_shuffled, &ours));
    figures.extend(peers(&ours, &theirs));
    Ok(figures)
}

fn beside_statement(bench: &Bench, office: &Office) -> Result<Vec<Figure>> {
    let statement = Statement::prepare(bench.postgres()?, &bench.folder("statement")?)?;
    let size = size_of_a_round(bench, office)?;
    let body = text(0, 1024);
    statement.round(0, CONNECTIONS, 1.0, &body)?;
    let mut used = Vec::new();
    let (ours, theirs) = alternate(
        bench.rounds,
        |_| {
            let requests = office.commands(size);
            let (round, us) = processor_us(&office.process, size, || office.send(requests, CONNECTIONS))?;
            used.push(us);
            Ok(round)
        },
        |round| statement.round(round + 1, CONNECTIONS, bench.seconds, &body),
    )?;
    let name = "one statement of pgbench over as many connections";
    Ok(vec![distinct(Store::Postgres, name, 0.6, &ours, &theirs), processor(Store::Postgres, &used)])
}

fn size_of_a_round(bench: &Bench, office: &Office) -> Result<usize> {
    Ok(as_many(&office.send(office.commands(2_000), CONNECTIONS)?, bench.seconds))
}

/// The round, if of every three deliveries of a key two got the stored answer.
fn repeated(round: Round) -> Result<Round> {
    ensure!(round.replays * TIMES == round.requests * (TIMES - 1), "{} replays of {}", round.replays, round.requests);
    Ok(round)
}

fn distinct(store: Store, yardstick: &str, least: f64, ours: &[Round], theirs: &[f64]) -> Figure {
    let about = format!("Commands with distinct keys over 16 connections, beside {yardstick}");
    let ratio = median(&ratios(&speeds(ours), theirs));
    Figure::limited(store, "distinct", &about, ratio, "of yardstick", Limit::AtLeast(least))
        .with("ours_per_second", median(&speeds(ours)))
        .with("yardstick_per_second", median(theirs))
        .with("ours", ours)
        .with("yardstick", theirs)
}

fn processor(store: Store, used: &[f64]) -> Figure {
    let about = "Processor time of the server per command, the database's own process apart";
    Figure::told(store, "distinct_processor", about, median(used), "us")
}

fn shuffles(ours: &[Round], bare: &[Round], distinct: &[Round]) -> Vec<Figure> {
    let about = "Every key three times in a shuffle over 16 connections, beside the bare SQLite receiver";
    let ratio = median(&ratios(&speeds(ours), &speeds(bare)));
    let beside = "Requests a second of the shuffle beside those of distinct keys";
    let more = median(&speeds(ours)) / median(&speeds(distinct));
    vec![
        Figure::limited(Store::Sqlite, "shuffle", about, ratio, "of yardstick", Limit::AtLeast(0.7))
            .with("ours_per_second", median(&speeds(ours)))
            .with("yardstick_per_second", median(&speeds(bare)))
            .with("ours", ours)
            .with("yardstick", bare),
        Figure::limited(Store::Sqlite, "shuffle_to_distinct", beside, more, "times", Limit::AtLeast(1.3)),
    ]
}

/// The peers were measured elsewhere beside the same bare receiver; what they would make here is scaled by it.
fn peers(ours: &[Round], bare: &[Round]) -> Vec<Figure> {
    let scale = median(&speeds(bare)) / BARE_THEN;
    let figures = PEERS.iter().map(|(name, per_second, times)| {
        let about = format!("Distinct keys beside {name}: {per_second} commands/s where the bare receiver made 28,200");
        let value = median(&speeds(ours)) / (per_second * scale);
        let name = format!("beside_{name}");
        Figure::limited(Store::Sqlite, &name, &about, value, "times", Limit::AtLeast(*times))
    });
    figures.collect()
}
