//! Two servers that differ by one tenant, and what their answers are apart from the names that each made up itself.

use std::collections::HashMap;

use domain::Role;
use onceover_server::config::{Config, Whole};
use onceover_server::storage::AuditFilter;
use serde_json::{Value, json};

use super::asks::{Ask, Asks};
use crate::support::stream::Stream;
use crate::support::{Person, Reply, Sent, a_case, command, with_expected};

/// The people who ask, all of one tenant.
pub(super) const PEOPLE: [(&str, Role); 5] = [
    ("bob", Role::Officer),
    ("sue", Role::Supervisor),
    ("vic", Role::Viewer),
    ("adm", Role::Admin),
    // Signs in and out.
    ("rex", Role::Officer),
];
/// Of [`PEOPLE`], the one whose session does not last.
pub(super) const REX: usize = 4;

/// No limit of this is about how fast the tests are.
pub(super) fn unhurried() -> Config {
    Config { requests_per_s: Whole(0), sign_ins_per_s: Whole(0), ..Config::default() }
}

/// One server with the people who ask.
pub(super) struct World {
    pub(super) server: super::Server,
    people: Vec<Person>,
    cursors: Vec<String>,
    names: HashMap<String, usize>,
}

/// An answer without what cannot be the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Canonical {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl World {
    pub(super) async fn with(server: super::Server) -> Self {
        let mut people = Vec::new();
        for (name, role) in PEOPLE {
            people.push(server.person("bees", name, role).await);
        }
        Self { server, people, cursors: Vec::new(), names: HashMap::new() }
    }

    /// Asks in this world's own names.
    pub(super) async fn ask(&mut self, ask: &Ask) -> Reply {
        let path = self.named(&ask.path);
        let person = &self.people[ask.who];
        let mut headers = vec![("x-request-id", "the-same")];
        // One that is refused is an answer like others.
        if path == "/v1/events" && person.get("/v1/session").await.status == 200 {
            let mut stream = Stream::open(person).await;
            let (name, data) = stream.next().await.unwrap_or(("end".to_owned(), Value::Null));
            return Reply { status: 200, headers: Vec::new(), body: format!("{name} {data}") };
        }
        let mut body = self.named(&ask.body);
        let sent = ask.sent.as_ref().map(|sent| self.hashed(sent));
        if let Some(sent) = &sent {
            headers.push(("idempotency-key", sent.key.as_str()));
            body = sent.body.to_string();
        }
        if !ask.batch.is_empty() {
            let items: Vec<Value> = ask.batch.iter().map(|sent| self.hashed(sent).item()).collect();
            body = json!({ "commands": items }).to_string();
        }
        headers.extend(ask.header);
        let reply = person.request(ask.method, &path, &headers, body.as_bytes()).await;
        self.keep(ask, &reply);
        reply
    }

    /// The command with this world's names in it, hashed with them.
    fn hashed(&self, sent: &Sent) -> Sent {
        let body: Value = serde_json::from_str(&self.named(&sent.body.to_string())).unwrap();
        let expected = body["expected"].clone();
        Sent { key: self.named(&sent.key), body }.with("expected", expected)
    }

    /// `text` with this world's names for what it made up itself.
    fn named(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !text.contains('@') {
            return text;
        }
        for (n, person) in self.people.iter().enumerate() {
            text = text.replace(&format!("@actor{n}@"), &person.actor_id());
            text = text.replace(&format!("@refresh{n}@"), &person.refresh_token);
            text = text.replace(&format!("@access{n}@"), &person.token);
        }
        let last = self.cursors.len().max(1);
        for n in 0..8 {
            let cursor = self.cursors.get((n * 7) % last).map_or("", String::as_str);
            text = text.replace(&format!("@cursor{n}@"), cursor);
        }
        text
    }

    /// What later requests name.
    fn keep(&mut self, ask: &Ask, reply: &Reply) {
        if let ("/v1/changes", 200) = (ask.route, reply.status) {
            self.cursors.push(reply.json()["cursor"].as_str().unwrap().to_owned());
        }
        if ask.route.starts_with("/v1/sessions") && matches!(reply.status, 200 | 201) {
            let person = Person::of(&self.server.address, reply);
            if person.actor_id() == self.people[REX].actor_id() {
                self.people[REX] = person;
            }
        }
    }

    /// `reply` with a number for each long name that only this world has.
    pub(super) fn canonical(&mut self, asks: &Asks<'_>, reply: &Reply) -> Canonical {
        let headers = reply.headers.iter().filter(|(name, _)| name != "date").cloned();
        let headers = headers.map(|(name, value)| (name, self.renamed(asks, &value))).collect();
        Canonical { status: reply.status, headers, body: self.renamed(asks, &reply.body) }
    }

    fn renamed(&mut self, asks: &Asks<'_>, text: &str) -> String {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_name) {
            let length = rest[start..].find(|letter| !is_name(letter)).unwrap_or(rest.len() - start);
            let (before, name) = (&rest[..start], &rest[start..start + length]);
            renamed.push_str(before);
            if name.len() < 32 || asks.names(name) {
                renamed.push_str(name);
            } else {
                let next = self.names.len();
                let number = self.names.entry(name.to_owned()).or_insert(next);
                renamed.extend(["#", &number.to_string()]);
            }
            rest = &rest[start + length..];
        }
        renamed.push_str(rest);
        renamed
    }

    /// What the audit has of those who asked.
    pub(super) async fn audit(&mut self, asks: &Asks<'_>) -> Vec<String> {
        let tenant = self.server.storage.tenant_of("bees").await.unwrap().unwrap();
        let filter = AuditFilter { command: None, target: None };
        let rows = self.server.storage.audit(tenant, filter).await.unwrap();
        let rows = rows.iter().map(|row| format!("{} {} {} {:?}", row.command_id, row.operation, row.result, row.code));
        rows.map(|row| self.renamed(asks, &row)).collect()
    }
}

/// The other tenant: much of everything, and every name of it.
pub(super) struct Strangers {
    ana: Person,
    al: Person,
    pub(super) commands: Vec<Sent>,
    answers: Vec<Reply>,
    pub(super) cases: Vec<String>,
    pub(super) ids: Vec<String>,
    pub(super) cursors: Vec<String>,
}

impl Strangers {
    pub(super) async fn settle(server: &super::Server) -> Self {
        let ana = server.person("acme", "ana", Role::Admin).await;
        let al = server.person("acme", "al", Role::Officer).await;
        let mut strangers = Self {
            ids: vec![ana.actor_id(), al.actor_id(), ana.session["tenant"]["id"].as_str().unwrap().to_owned()],
            ana,
            al,
            commands: Vec::new(),
            answers: Vec::new(),
            cases: Vec::new(),
            cursors: Vec::new(),
        };
        for n in 0..12 {
            strangers.work(n).await;
        }
        for person in [&strangers.ana, &strangers.al] {
            let page = person.get("/v1/changes?limit=50").await.json();
            strangers.cursors.push(page["cursor"].as_str().unwrap().to_owned());
            for item in person.feed().await {
                strangers.ids.push(item["id"].as_str().unwrap().to_owned());
            }
            assert_eq!(person.post("/v1/presence", &json!({ "case_id": strangers.cases[0] })).await.status, 204);
        }
        strangers
    }

    /// A case with everything that may belong to one.
    async fn work(&mut self, n: usize) {
        let mut create = a_case(&format!("secret {n}"));
        create.body["payload"]["external_id"] = json!(format!("X-{n}"));
        let create = create.with("expected", Value::Null);
        let case = create.target();
        self.cases.push(case.clone());
        let child = || crate::support::id();
        let revision = json!({ "revision": 2 });
        let (note, task) = (child(), child());
        let work = [
            create.clone(),
            command("case.assign", &case, json!({ "from": null, "to": self.al.actor_id() })),
            command("note.add", &case, json!({ "note_id": note, "text": "secret" })),
            command("task.add", &case, json!({ "task_id": task, "title": "secret" })),
            command("time.log", &case, json!({ "entry_id": child(), "minutes": 5, "worked_on": "2026-11-30" })),
            command("tag.add", &case, json!({ "tag": "secret" })),
            with_expected("case.transition", &case, json!({ "to": "closed", "reason_code": "x" }), revision.clone()),
            with_expected("case.archive", &case, json!({ "reason": "secret" }), json!({ "revision": 1 })),
        ];
        for sent in work {
            let answer = self.ana.send(&sent).await;
            assert!(matches!(answer.status, 200 | 201 | 412 | 422), "{}", answer.body);
            self.commands.push(sent);
            self.answers.push(answer);
        }
        if n % 4 == 3 {
            let archive = with_expected("case.archive", &case, json!({ "reason": "secret" }), revision);
            assert_eq!(self.ana.send(&archive).await.status, 200);
        }
        self.ids.extend([note, task]);
    }

    /// Something, while others ask.
    pub(super) async fn act(&self, n: usize) {
        let case = &self.cases[n % self.cases.len()];
        match n % 4 {
            0 => drop(self.al.send(&self.commands[n % self.commands.len()]).await),
            1 => drop(self.al.send(&command("tag.add", case, json!({ "tag": format!("t{n}") }))).await),
            2 => drop(self.ana.post("/v1/presence", &json!({ "case_id": case })).await),
            _ => {}
        }
    }

    /// Fails if what they were answered once is answered otherwise now.
    pub(super) async fn assert_unharmed(&self) {
        for (sent, first) in self.commands.iter().zip(&self.answers) {
            let again = self.ana.send(sent).await;
            assert_eq!((again.status, &again.body, again.is_replayed()), (first.status, &first.body, true));
        }
    }
}
