//! Requests to every route, made at random from a seed, which name what is another tenant's as well as one's own.

use std::collections::HashSet;

use domain::Operation;
use onceover_server::app::App;
use serde_json::{Value, json};

use super::worlds::{REX, Strangers};
use crate::support::server::PASSWORD;
use crate::support::{Sent, command, id};

/// One request. What stands between `@` is named by each world itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Ask {
    /// As in the table of routes.
    pub(super) route: &'static str,
    pub(super) who: usize,
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) header: Option<(&'static str, &'static str)>,
    pub(super) body: String,
    pub(super) sent: Option<Sent>,
    pub(super) batch: Vec<Sent>,
}

/// The next request, and every name that was in one.
pub(super) struct Asks<'s> {
    random: u64,
    strangers: &'s Strangers,
    cases: Vec<String>,
    children: Vec<String>,
    sent: Vec<Sent>,
    names: HashSet<String>,
}

impl<'s> Asks<'s> {
    pub(super) fn about(seed: u64, strangers: &'s Strangers) -> Self {
        let mut asks = Self {
            random: seed,
            strangers,
            cases: Vec::new(),
            children: Vec::new(),
            sent: Vec::new(),
            names: HashSet::new(),
        };
        let commands = strangers.commands.iter().flat_map(|sent| [sent.key.clone(), sent.body.to_string()]);
        let all: Vec<String> = commands.chain(strangers.ids.clone()).chain(strangers.cursors.clone()).collect();
        for text in &all {
            asks.learn(text);
        }
        asks
    }

    /// Whether `name` was in a request, or is the other tenant's: such a name is the same in every world.
    pub(super) fn names(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The first requests make cases, so that there is something to name; the others are anything.
    pub(super) fn next(&mut self, n: usize) -> Ask {
        let paths = App::paths();
        // Every other one is a command; the rest go round all routes.
        let (route, round) = if n < 10 || n.is_multiple_of(2) {
            ("/v1/commands", 0)
        } else {
            (paths[n / 2 % paths.len()], n / 2 / paths.len())
        };
        let who = if n < 10 { 1 } else { self.one(&[0, 1, 1, 1, 2, 3, 3, REX]) };
        let mut ask = self.ask(route, round, n < 10);
        ask.route = route;
        if !route.starts_with("/v1/sessions") {
            ask.who = who;
        }
        let texts = [ask.path.clone(), ask.body.clone()];
        for text in &texts {
            self.learn(text);
        }
        let commands = ask.sent.iter().chain(&ask.batch);
        let texts: Vec<String> = commands.flat_map(|sent| [sent.key.clone(), sent.body.to_string()]).collect();
        for text in &texts {
            self.learn(text);
        }
        ask
    }

    /// Everything that `who` may see.
    pub(super) fn whole_feed(who: usize) -> Ask {
        Ask { route: "/v1/changes", who, method: "GET", path: "/v1/changes?limit=1000".to_owned(), ..Ask::default() }
    }

    fn ask(&mut self, route: &'static str, round: usize, is_first: bool) -> Ask {
        let get = |path: &str| Ask { method: "GET", path: path.to_owned(), ..Ask::default() };
        let post = |path: &str, body: Value| Ask {
            method: "POST",
            path: path.to_owned(),
            body: body.to_string(),
            ..Ask::default()
        };
        match route {
            "/v1/sessions" => Ask { who: REX, ..post(route, sign_in(round)) },
            "/v1/sessions/refresh" => {
                let token = ["", "@refresh4@", "@access4@", "@refresh4@", "x"][round % 5];
                let device = ["d2", "d1", "d1"][round % 3];
                Ask { who: REX, ..post(route, json!({ "refresh_token": token, "device_id": device })) }
            }
            "/v1/sessions/current" => Ask { method: "DELETE", who: REX, ..get(route) },
            "/v1/commands" => Ask { sent: Some(self.command(is_first)), ..post(route, Value::Null) },
            "/v1/commands/batch" => {
                let batch = (0..=self.below(5)).map(|_| self.command(false)).collect();
                Ask { batch, ..post(route, Value::Null) }
            }
            "/v1/operations/lookup" => {
                let keys: Vec<String> = (0..self.below(8)).map(|_| self.key()).collect();
                post(route, json!({ "keys": keys }))
            }
            "/v1/operations/{command_id}" => get(&self.operation("")),
            "/v1/operations/{command_id}/seal" => post(&self.operation("/seal"), Value::Null),
            "/v1/changes" => {
                let own = format!("@cursor{}@", self.below(8));
                let theirs = self.one(&self.strangers.cursors);
                let cursor = [own.clone(), own, String::new(), theirs, "AAAA".to_owned()][self.below(5)].clone();
                get(&format!("{route}?limit={}&cursor={cursor}", 1 + self.below(40)))
            }
            "/v1/presence" => post(route, json!({ "case_id": self.entity() })),
            // For the operator of the server alone, and so for nobody who asks through something.
            "/metrics" => Ask { header: Some(("x-forwarded-for", "192.0.2.1")), ..get(route) },
            "/v1/session" | "/v1/events" | "/v1/config" | "/healthz" | "/readyz" | "/openapi.json" => get(route),
            other => panic!("no request of this test is for {other}"),
        }
    }

    fn command(&mut self, is_first: bool) -> Sent {
        match self.below(8) {
            0 if !self.sent.is_empty() => return self.one(&self.sent.clone()),
            1 if !is_first => return self.one(&self.strangers.commands),
            _ => {}
        }
        let operation = if is_first { Operation::CaseCreate } else { self.one(&Operation::ALL) };
        let is_new = operation == Operation::CaseCreate && self.below(3) > 0;
        let target = if is_new { id() } else { self.entity() };
        if operation == Operation::CaseCreate {
            self.cases.push(target.clone());
        }
        let payload = self.payload(operation, &target);
        let mut sent = command(operation.name(), &target, payload);
        sent.body["target"]["type"] = json!(operation.policy().target.name());
        let after = if self.below(2) == 0 { self.sent.clone() } else { self.strangers.commands.clone() };
        let after = if after.is_empty() { id() } else { self.one(&after).id() };
        let expected = match self.below(8) {
            0 => json!({ "after": after }),
            1..=4 if operation != Operation::CaseCreate => json!({ "revision": 1 + self.below(3) }),
            _ => Value::Null,
        };
        let sent = sent.with("expected", expected);
        self.sent.push(sent.clone());
        sent
    }

    fn payload(&mut self, operation: Operation, target: &str) -> Value {
        let actor = [format!("@actor{}@", self.below(5)), self.one(&self.strangers.ids)][usize::from(self.below(4) == 0)].clone();
        let (new, old) = (self.new_child(), self.child());
        let external = format!("X-{}", self.below(30));
        let title = self.one(&["t", "u", "secret 1"]);
        match operation {
            Operation::CaseCreate => {
                json!({ "title": title, "kind": "other", "priority": "low", "status": "open", "external_id": external })
            }
            Operation::CaseEdit => json!({ "changes": { "title": { "from": "t", "to": title } } }),
            Operation::CaseTransition => {
                json!({ "to": self.one(&["under_review", "closed", "withdrawn"]), "reason_code": "x" })
            }
            Operation::CaseAssign => json!({ "from": null, "to": actor }),
            Operation::TagAdd | Operation::TagRemove => json!({ "tag": self.one(&["secret", "a", "b"]) }),
            Operation::NoteAdd => json!({ "note_id": new, "text": "x" }),
            Operation::NoteRedact => json!({ "note_id": old, "reason": "x" }),
            Operation::TaskAdd => json!({ "task_id": new, "title": "x" }),
            Operation::TaskSetDone => json!({ "task_id": old, "done": true }),
            Operation::TimeLog => json!({ "entry_id": new, "minutes": 5, "worked_on": "2026-11-30" }),
            Operation::InspectionRecord => json!({
                "inspection_id": new, "kind": "x", "inspected_on": "2026-11-30", "outcome": "pass", "findings": [],
            }),
            Operation::NoticeIssue => json!({ "notice_id": new, "kind": "x", "recipient": "x", "body": "x" }),
            Operation::CaseArchive | Operation::CaseRestore => json!({ "reason": "x" }),
            Operation::NotificationRead => {
                json!({ "notification_id": target, "read_at": "2026-11-30T09:00:00.000Z" })
            }
        }
    }

    /// A case of one's own, mostly; or something else, of whomever.
    fn entity(&mut self) -> String {
        match self.below(10) {
            0 => id(),
            1 => self.one(&self.strangers.cases),
            2 => self.one(&self.strangers.ids),
            3 => self.child(),
            _ if self.cases.is_empty() => id(),
            _ => self.one(&self.cases.clone()),
        }
    }

    fn new_child(&mut self) -> String {
        let new = if self.below(4) == 0 { self.one(&self.strangers.ids) } else { id() };
        self.children.push(new.clone());
        new
    }

    /// A note, a task, or the notification that a command may have made.
    fn child(&mut self) -> String {
        match self.below(4) {
            0 => self.one(&self.strangers.ids),
            1 if !self.sent.is_empty() => self.one(&self.sent.clone()).id(),
            _ if self.children.is_empty() => id(),
            _ => self.one(&self.children.clone()),
        }
    }

    fn key(&mut self) -> String {
        match self.below(5) {
            0 => format!("tag.add:{}:{}", id(), id()),
            1 | 2 => self.one(&self.strangers.commands).key,
            _ if self.sent.is_empty() => "case.create:x:y".to_owned(),
            _ => self.one(&self.sent.clone()).key,
        }
    }

    fn operation(&mut self, rest: &str) -> String {
        let key = self.key();
        let command = key.rsplit(':').next().unwrap_or_default().to_owned();
        format!("/v1/operations/{command}{rest}?key={key}")
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// `SplitMix64`.
    fn below(&mut self, limit: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap_or_default()
    }

    fn learn(&mut self, text: &str) {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let names = text.split(|letter| !is_name(letter)).filter(|name| name.len() >= 32);
        self.names.extend(names.map(str::to_owned));
    }
}

/// Whoever has the other tenant's passwords is of the other tenant.
fn sign_in(round: usize) -> Value {
    let (tenant, name, password) = [
        ("acme", "ana", "guessed"),
        ("bees", "rex", PASSWORD),
        ("acme", "al", "guessed"),
        ("bees", "rex", PASSWORD),
        ("bees", "ana", PASSWORD),
        ("acme", "rex", PASSWORD),
        ("bees", "rex", "guessed"),
        ("nowhere", "ana", PASSWORD),
    ][round % 8];
    json!({ "tenant": tenant, "username": name, "password": password, "device_id": "d1", "device_name": "Desk" })
}
