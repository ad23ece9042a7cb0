//! The work that most figures give: notes of 1 KB on a thousand cases, by people who are signed in.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use domain::CaseId;

use crate::bench::Bench;
use crate::cases;
use crate::load::request::{Sent, batch};
use crate::load::{Requests, Round, count, drive};
use crate::process::Process;
use crate::server::{Server, cases_of, sign_everybody_in};
use crate::session::Session;

/// Connections of most figures.
pub(crate) const CONNECTIONS: usize = 16;
/// The tenant of most figures.
pub(crate) const TENANT: &str = "harbor-city";
const TEXT_BYTES: usize = 1024;
const CASES: usize = 1000;

/// Where a server keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    /// How figures over it are named.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// A server that is not running, on an empty database.
    ///
    /// # Errors
    /// There is no PostgreSQL.
    pub(crate) fn server(self, bench: &Bench, folder: &Path) -> Result<Server> {
        match self {
            Self::Sqlite => Ok(Server::on_sqlite(&bench.program, folder)),
            Self::Postgres => Ok(Server::on_postgres(&bench.program, &bench.postgres()?.database()?.url, folder)),
        }
    }
}

/// A server with a thousand cases, and its people signed in.
pub(crate) struct Office {
    pub(crate) process: Process,
    pub(crate) sessions: Vec<Session>,
    pub(crate) cases: Vec<CaseId>,
}

impl Office {
    /// Makes a database in `store` and serves it.
    ///
    /// # Errors
    /// The program refuses.
    pub(crate) fn open(bench: &Bench, store: Store, name: &str) -> Result<Self> {
        let folder = bench.folder(&format!("{}-{name}", store.name()))?;
        let server = store.server(bench, &folder)?;
        Self::fill(bench, &server, &folder)?;
        Self::open_again(&server)
    }

    /// Makes the database of `server`.
    ///
    /// # Errors
    /// The program refuses.
    pub(crate) fn fill(bench: &Bench, server: &Server, folder: &Path) -> Result<()> {
        server.add_tenant(TENANT)?;
        server.import(TENANT, &bench.map, &cases::first(&bench.cases, CASES, folder)?)
    }

    /// Serves a database that was made before.
    ///
    /// # Errors
    /// The program refuses.
    pub(crate) fn open_again(server: &Server) -> Result<Self> {
        let process = server.start()?;
        let sessions = sign_everybody_in(&process.address, TENANT)?;
        let cases = cases_of(&process.address, &sessions[0])?;
        Ok(Self { process, sessions, cases })
    }

    /// Signs everybody in again, for figures that take longer than a token lives.
    ///
    /// # Errors
    /// The server refuses.
    pub(crate) fn sign_in_again(&mut self) -> Result<()> {
        self.sessions = sign_everybody_in(&self.process.address, TENANT)?;
        Ok(())
    }

    /// `count` requests with a command of a new key each.
    pub(crate) fn commands(&self, count: usize) -> Requests {
        let mut requests = Requests::default();
        for place in 0..count {
            let (session, sent) = self.note(place, TEXT_BYTES);
            requests.push(&sent.request(session));
        }
        requests
    }

    /// `count` commands in batches of `size`.
    pub(crate) fn batches(&self, count: usize, size: usize, text_bytes: usize) -> Requests {
        let mut requests = Requests::default();
        for first in (0..count).step_by(size) {
            let session = &self.sessions[(first / size) % self.sessions.len()];
            let all: Vec<Sent> = (first..first + size)
                .map(|place| Sent::note(session, self.cases[place % self.cases.len()], &text(place, text_bytes)))
                .collect();
            requests.push(&batch(session, &all));
        }
        requests
    }

    /// `count` commands in batches of 100, each with a text of 1 KB.
    pub(crate) fn full_batches(&self, count: usize) -> Requests {
        self.batches(count, wire::BATCH_COMMANDS_MAX, TEXT_BYTES)
    }

    fn note(&self, place: usize, text_bytes: usize) -> (&Session, Sent) {
        let session = &self.sessions[place % self.sessions.len()];
        let case = self.cases[place % self.cases.len()];
        (session, Sent::note(session, case, &text(place, text_bytes)))
    }

    /// Sends `requests`, all of which must be answered with 2xx.
    ///
    /// # Errors
    /// One is answered otherwise.
    pub(crate) fn send(&self, requests: Requests, connections: usize) -> Result<Round> {
        good(drive(&[&self.process.address], &Arc::new(requests), connections)?)
    }
}

/// The round, if every answer was 2xx.
///
/// # Errors
/// One was not.
pub(crate) fn good(round: Round) -> Result<Round> {
    ensure!(round.good() == round.requests, "not all were answered with 2xx: {:?}", round.by_status);
    Ok(round)
}

/// How many requests of the speed of `round` take `seconds`.
pub(crate) fn as_many(round: &Round, seconds: f64) -> usize {
    let many = (round.per_second() * seconds).clamp(100.0, 1e6);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 100 and a million")]
    let many = many as usize;
    many.next_multiple_of(100)
}

/// The speeds of `rounds`.
pub(crate) fn speeds(rounds: &[Round]) -> Vec<f64> {
    rounds.iter().map(Round::per_second).collect()
}

/// Processor time that `process` used while `work` ran, by `commands`, in microseconds each.
///
/// # Errors
/// Those of `work`.
pub(crate) fn processor_us<T>(
    process: &Process,
    commands: usize,
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, f64)> {
    let before = process.processor_time()?;
    let done = work()?;
    let used = process.processor_time()?.saturating_sub(before);
    Ok((done, used.as_secs_f64() * 1e6 / count(commands)))
}

/// A text of about this length that no other equals.
pub(crate) fn text(place: usize, bytes: usize) -> String {
    const SENTENCE: &str = "Visited the site; the neighbour said \"since Tuesday\", and the meter showed 61 dB.\n";
    let mut text = format!("Note {place}. ");
    while text.len() < bytes {
        text.push_str(&SENTENCE[..SENTENCE.len().min(bytes - text.len())]);
    }
    text
}
