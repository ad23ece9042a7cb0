//! A server in the test's own process: the idempotent receiver over the domain's own decision, with faults on request.
//!
//! It is not the real server; it keeps the contract's promises in the plainest way, so that what a test shows about
//! the engine does not depend on the server's own cleverness.

mod execute;
mod fault;
mod feed;
mod session;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::{ActorId, Case, CaseId, CommandId, Entity, EntityId, EntityKind, Revision, Role};
use futures_util::StreamExt;
use secrecy::{ExposeSecret, SecretString};
use wire::{ChangesPage, FeedItem, Problem};

pub use self::fault::Fault;
pub use self::session::tenant;
use super::dice::Dice;
use super::world::ManualClock;
use crate::ports::{Answer, Clock, Failure, Method, Request, Transport, WakeStream};

/// A server with one tenant.
pub struct ModelServer {
    state: Mutex<State>,
    clock: Arc<ManualClock>,
}

/// A request as it arrived, or would have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "plain")]
pub struct Logged {
    pub method: Method,
    pub path: String,
    pub key: Option<String>,
    /// Whose token it carried.
    pub actor: Option<ActorId>,
}

#[derive(Default)]
struct State {
    actors: BTreeMap<ActorId, Actor>,
    access: BTreeMap<String, session::Token>,
    refresh: BTreeMap<String, session::Token>,
    tokens: u32,
    cases: BTreeMap<CaseId, Case>,
    children: BTreeMap<(EntityKind, EntityId), Entity>,
    records: BTreeMap<String, Record>,
    feed: Vec<FeedItem>,
    seq: u64,
    /// How often it was put back to an earlier time.
    epoch: u32,
    effects: Vec<(ActorId, CommandId, String)>,
    log: Vec<Logged>,
    faults: VecDeque<Fault>,
    always: Option<Fault>,
    chaos: Option<(Dice, usize)>,
    late: Vec<Request>,
    gate_is_shut: bool,
    feed_is_down: bool,
    under_way: BTreeMap<String, u32>,
    most_under_way: u32,
}

struct Actor {
    username: String,
    role: Role,
    version: u32,
}

/// What a server can be put back to.
pub struct Backup(State);

/// What is kept under a key.
#[derive(Clone)]
struct Record {
    actor: ActorId,
    command: CommandId,
    target: EntityId,
    hash: String,
    outcome: Result<(u16, Vec<u8>, Revision), Problem>,
}

impl ModelServer {
    /// A server with [`super::build::ACTOR`] and [`super::build::COLLEAGUE`], both officers.
    pub fn new(clock: &Arc<ManualClock>) -> Arc<Self> {
        let server = Arc::new(Self { state: Mutex::new(State::default()), clock: Arc::clone(clock) });
        for (actor, name) in [(super::build::ACTOR, "ana"), (super::build::COLLEAGUE, "bo")] {
            let actor_state = Actor { username: name.to_owned(), role: Role::Officer, version: 1 };
            server.lock().actors.insert(actor, actor_state);
        }
        server
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next commands meet these faults, one each.
    pub fn will(&self, faults: impl IntoIterator<Item = Fault>) {
        self.lock().faults.extend(faults);
    }

    /// Every request meets this fault until told otherwise.
    pub fn always(&self, fault: Option<Fault>) {
        self.lock().always = fault;
    }

    /// Each request meets a random fault `percent` times in a hundred; 0 ends it.
    pub fn chaos(&self, seed: u64, percent: usize) {
        self.lock().chaos = (percent > 0).then(|| (Dice::new(seed), percent));
    }

    /// Commands wait at a gate until it is opened.
    pub fn shut_gate(&self, is_shut: bool) {
        self.lock().gate_is_shut = is_shut;
    }

    /// The feed answers that it is busy until told otherwise.
    pub fn break_feed(&self, is_down: bool) {
        self.lock().feed_is_down = is_down;
    }

    /// Every effect: who, which command, with which hash; in order.
    pub fn effects(&self) -> Vec<(ActorId, CommandId, String)> {
        self.lock().effects.clone()
    }

    /// Requests since the last call.
    pub fn take_log(&self) -> Vec<Logged> {
        std::mem::take(&mut self.lock().log)
    }

    /// The most requests with one key that were ever under way at once.
    pub fn most_under_way(&self) -> u32 {
        self.lock().most_under_way
    }

    /// A case as the server holds it.
    pub fn case(&self, case: CaseId) -> Option<Case> {
        self.lock().cases.get(&case).cloned()
    }

    /// Somebody else changes or opens a case.
    pub fn put_case(&self, case: &Case) {
        let mut state = self.lock();
        let at = self.clock.now();
        state.cases.insert(case.id, case.clone());
        let entity = serde_json::to_value(case).unwrap();
        state.publish("case", case.id.into(), case.revision, None, at, entity);
    }

    /// Somebody else makes something that belongs to a case.
    pub fn put(&self, entity: Entity) {
        let mut state = self.lock();
        let at = self.clock.now();
        let body = serde_json::from_str(&entity.to_json().unwrap()).unwrap();
        let key = (entity.kind(), entity.id());
        state.publish(key.0.name(), key.1, entity.revision(), None, at, body);
        state.children.insert(key, entity);
    }

    /// Something that belongs to a case, as the server holds it.
    pub fn child(&self, kind: EntityKind, id: EntityId) -> Option<Entity> {
        self.lock().children.get(&(kind, id)).cloned()
    }

    /// The role of an actor from now on.
    pub fn set_role(&self, actor: ActorId, role: Role) {
        self.lock().actors.get_mut(&actor).unwrap().role = role;
    }

    /// What the server holds now.
    pub fn backup(&self) -> Backup {
        let state = self.lock();
        Backup(State {
            cases: state.cases.clone(),
            children: state.children.clone(),
            records: state.records.clone(),
            feed: state.feed.clone(),
            seq: state.seq,
            effects: state.effects.clone(),
            ..State::default()
        })
    }

    /// Puts the server back to what it held then, under a new epoch. Sessions go on.
    pub fn restore(&self, backup: Backup) {
        let mut state = self.lock();
        let State { cases, children, records, feed, seq, effects, .. } = backup.0;
        state.epoch += 1;
        (state.cases, state.children, state.records) = (cases, children, records);
        (state.feed, state.seq, state.effects) = (feed, seq, effects);
    }

    /// The feed from its beginning.
    pub fn feed(&self) -> ChangesPage {
        self.lock().changes(None, 1_000_000, None)
    }

    async fn at_gate(&self) {
        while self.lock().gate_is_shut {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl Transport for ModelServer {
    async fn call(&self, request: Request) -> Result<Answer, Failure> {
        let is_command = request.path == "/v1/commands";
        let key = request.key.clone().unwrap_or_default();
        let fault = {
            let mut state = self.lock();
            let actor = request.access.as_ref().and_then(|token| state.access.get(token.expose_secret()));
            let actor = actor.map(|token| token.actor);
            let (method, path, key) = (request.method, request.path.clone(), request.key.clone());
            state.log.push(Logged { method, path, key, actor });
            state.arrive_late(self.clock.now());
            state.next_fault(is_command)
        };
        let _flight = Flight::of(self, is_command.then_some(key));
        tokio::task::yield_now().await;
        if is_command {
            self.at_gate().await;
        }
        let answer = self.meet(&fault, request);
        tokio::task::yield_now().await;
        answer
    }

    async fn wake_ups(&self, _access: SecretString) -> Result<WakeStream, Failure> {
        Ok(futures_util::stream::pending().boxed())
    }
}

/// Counts what is under way by key.
struct Flight<'a>(&'a ModelServer, Option<String>);

impl<'a> Flight<'a> {
    fn of(server: &'a ModelServer, key: Option<String>) -> Self {
        if let Some(key) = &key {
            let mut state = server.lock();
            let count = state.under_way.entry(key.clone()).or_default();
            *count += 1;
            let count = *count;
            state.most_under_way = state.most_under_way.max(count);
        }
        Self(server, key)
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let Some(key) = &self.1 else { return };
        if let Some(count) = self.0.lock().under_way.get_mut(key) {
            *count -= 1;
        }
    }
}
