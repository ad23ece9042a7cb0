//! Every code that a problem may have is provoked here, or named with the reason why no client can.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::Role;
use onceover_server::config::{Config, Whole};
use onceover_server::storage::UserChange;
use serde_json::{Value, json};
use wire::Code;

use super::super::Server;
use crate::support::http::send;
use crate::support::{Person, Reply, Sent, a_case, command, id, with_expected};

/// What no client can bring about, and where it is shown instead.
const UNREACHABLE: [(Code, &str); 1] = [(
    Code::OutcomeUnknown,
    "needs the connection to the database to be lost inside COMMIT: storage::postgres::tests cuts it there",
)];

/// The codes that were said, in the form of all problems.
#[derive(Default)]
struct Said(BTreeSet<&'static str>);

impl Said {
    #[track_caller]
    fn by(&mut self, reply: &Reply, code: Code) {
        let (status, ..) = code.meaning();
        reply.assert_problem(status, code.name());
        self.0.insert(code.name());
    }
}

/// A server with small limits, an officer and a supervisor, and the officer's open case.
struct Office {
    server: Server,
    ana: Person,
    sue: Person,
    case: Sent,
}

impl Office {
    async fn open() -> Self {
        let config = Config { event_streams: Whole(1), head_bytes: Whole(4096), ..Config::default() };
        let server = Server::start_with(config).await;
        let ana = server.person("acme", "ana", Role::Officer).await;
        let sue = server.person("acme", "sue", Role::Supervisor).await;
        let case = a_case("t");
        assert_eq!(ana.send(&case).await.status, 201);
        Self { server, ana, sue, case }
    }

    fn tag(&self, tag: &str) -> Sent {
        command("tag.add", &self.case.target(), json!({ "tag": tag }))
    }

    fn edit(&self, from: &str, to: &str) -> Sent {
        command("case.edit", &self.case.target(), json!({"changes":{"title":{"from":from,"to":to}}}))
    }
}

#[tokio::test]
async fn every_problem_is_provoked_or_named() {
    let (mut said, office) = (Said::default(), Office::open().await);
    http(&office, &mut said).await;
    keys(&office, &mut said).await;
    envelopes(&office, &mut said).await;
    rules(&office, &mut said).await;
    dependencies(&office, &mut said).await;
    cursors(&office, &mut said).await;
    sessions(&office, &mut said).await;
    rights(&office, &mut said).await;
    faults(&office, &mut said).await;
    age(&office, &mut said).await;
    let named: BTreeSet<&str> = UNREACHABLE.iter().map(|(code, _)| code.name()).collect();
    assert!(said.0.is_disjoint(&named), "it can be provoked: {named:?}");
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(&said.0 | &named, all);
}

async fn http(office: &Office, said: &mut Said) {
    let ana = &office.ana;
    said.by(&ana.get("/v1/nothing").await, Code::NotFound);
    said.by(&ana.get("/v1/commands").await, Code::MethodNotAllowed);
    let plain = ana.request("POST", "/v1/commands", &[("content-type", "text/plain")], b"{}").await;
    said.by(&plain, Code::UnsupportedMediaType);
    said.by(&ana.request("POST", "/v1/commands", &[], &vec![b' '; (1 << 20) + 1]).await, Code::PayloadTooLarge);
    let long = "x".repeat(5000);
    said.by(&ana.request("GET", "/v1/session", &[("x-long", &long)], b"").await, Code::RequestHeadTooLarge);
    let mut stream = crate::support::stream::Stream::open(ana).await;
    stream.soon().await;
    let another = ana.get("/v1/events").await;
    said.by(&another, Code::RateLimited);
    assert!(another.header("retry-after").is_some());
}

async fn keys(office: &Office, said: &mut Said) {
    let (ana, tag) = (&office.ana, office.tag("keys"));
    said.by(&ana.post("/v1/commands", &tag.body).await, Code::IdempotencyKeyMissing);
    said.by(&ana.send(&Sent { key: office.case.key.clone(), ..tag.clone() }).await, Code::IdempotencyKeyInvalid);
    assert_eq!(ana.send(&tag).await.status, 200);
    let reused = tag.clone().with("payload", json!({ "tag": "other" }));
    said.by(&ana.send(&reused).await, Code::IdempotencyKeyReused);
    let busy = office.tag("busy");
    let running = office.server.app.gatherer.in_hand().hold(office.server.tenant("acme").await, &busy.key);
    said.by(&ana.send(&busy).await, Code::OperationInProgress);
    drop(running);
    assert_eq!(ana.send(&busy).await.status, 200, "it was not recorded");
}

async fn envelopes(office: &Office, said: &mut Said) {
    let (ana, tag) = (&office.ana, office.tag("envelopes"));
    said.by(&ana.send(&tag.clone().with("extra", json!(1))).await, Code::MalformedRequest);
    said.by(&ana.send(&tag.clone().with("payload", json!({}))).await, Code::ValidationFailed);
    let mut changed = tag.clone();
    changed.body["schema_version"] = json!(9);
    said.by(&ana.send(&changed).await, Code::UnsupportedVersion);
    let mut changed = tag.clone();
    changed.body["payload"] = json!({ "tag": "mangled" });
    said.by(&ana.send(&changed).await, Code::PayloadHashMismatch);
    assert_eq!(ana.send(&tag).await.status, 200, "nothing of this was recorded");
}

/// What is final is recorded: a repeat gets the same bytes.
async fn is_final(person: &Person, sent: &Sent, first: &Reply) {
    let again = person.send(sent).await;
    assert_eq!((again.status, &again.body, again.is_replayed()), (first.status, &first.body, true));
}

async fn rules(office: &Office, said: &mut Said) {
    let ana = &office.ana;
    let to = json!({ "to": "resolved", "reason_code": "x" });
    let illegal = with_expected("case.transition", &office.case.target(), to.clone(), json!({ "revision": 1 }));
    let stale = with_expected("case.transition", &office.case.target(), to, json!({ "revision": 7 }));
    let (gone, never) = (a_case("gone"), office.tag("never"));
    assert_eq!(office.sue.send(&gone).await.status, 201);
    let archive = with_expected("case.archive", &gone.target(), json!({ "reason": "x" }), json!({ "revision": 1 }));
    assert_eq!(office.sue.send(&archive).await.status, 200);
    let late = command("tag.add", &gone.target(), json!({ "tag": "x" }));
    let seal = format!("/v1/operations/{}/seal?key={}", never.id(), never.key);
    assert_eq!(ana.post(&seal, &json!({})).await.status, 200);
    for (sent, code) in [
        (illegal, Code::DomainRejected),
        (stale, Code::RevisionConflict),
        (late, Code::TargetDeleted),
        (never, Code::OperationSealed),
    ] {
        let reply = ana.send(&sent).await;
        said.by(&reply, code);
        is_final(ana, &sent, &reply).await;
    }
}

async fn dependencies(office: &Office, said: &mut Said) {
    let (ana, case) = (&office.ana, office.case.target());
    let after = |id: String| with_expected("tag.add", &case, json!({ "tag": "x" }), json!({ "after": id }));
    said.by(&ana.send(&command("tag.add", &id(), json!({ "tag": "x" }))).await, Code::TargetNotFound);
    said.by(&ana.send(&after(id())).await, Code::DependencyMissing);
    let failed = office.edit("never so", "x");
    assert_eq!(ana.send(&failed).await.status, 412);
    let behind = after(failed.id());
    let reply = ana.send(&behind).await;
    said.by(&reply, Code::DependencyFailed);
    is_final(ana, &behind, &reply).await;
}

async fn cursors(office: &Office, said: &mut Said) {
    let ana = &office.ana;
    let cursor = ana.get("/v1/changes").await.json()["cursor"].as_str().unwrap().to_owned();
    said.by(&ana.get(&format!("/v1/changes?cursor={}x", &cursor[1..])).await, Code::CursorInvalid);
    office.server.storage.new_epoch(office.server.now()).await.unwrap();
    let ana = office.server.sign_in("acme", "ana").await;
    said.by(&ana.get(&format!("/v1/changes?cursor={cursor}")).await, Code::CursorExpired);
}

async fn sessions(office: &Office, said: &mut Said) {
    let server = &office.server;
    said.by(&server.try_sign_in("acme", "ana", "wrong").await, Code::InvalidCredentials);
    said.by(&send(&server.address, "GET", "/v1/session", &[], b"").await.unwrap(), Code::Unauthenticated);
    let bob = server.person("acme", "bob", Role::Officer).await;
    server.turn_clock(Duration::from_mins(11));
    said.by(&bob.send(&office.tag("late")).await, Code::TokenExpired);
    let bob = server.sign_in("acme", "bob").await;
    server.change("acme", "bob", UserChange::Revoke).await;
    said.by(&bob.send(&office.tag("revoked")).await, Code::SessionRevoked);
}

async fn rights(office: &Office, said: &mut Said) {
    let server = &office.server;
    let (ana, sue) = (server.sign_in("acme", "ana").await, server.sign_in("acme", "sue").await);
    let archive = json!({ "reason": "x" });
    let archive = with_expected("case.archive", &office.case.target(), archive, json!({ "revision": 1 }));
    said.by(&ana.send(&archive).await, Code::Forbidden);
    let letter = json!({ "notice_id": id(), "kind": "order", "recipient": "R", "body": "B" });
    let mut notice = with_expected("notice.issue", &office.case.target(), letter, json!({ "revision": 1 }));
    notice.body["issued_at"] = json!("2026-11-20T10:00:00.000Z");
    said.by(&sue.send(&notice).await, Code::ConfirmationRequired);
    let edit = office.edit("t", "u");
    assert_eq!(ana.send(&edit).await.status, 200);
    server.change("acme", "ana", UserChange::Role(Role::Viewer)).await;
    let reply = ana.send(&edit).await;
    said.by(&reply, Code::ReplayForbidden);
    assert!(reply.json().get("result").is_none() && reply.json()["effect"] == "committed");
    server.change("acme", "ana", UserChange::Role(Role::Officer)).await;
}

/// What may have been forgotten was made long ago.
async fn age(office: &Office, said: &mut Said) {
    let server = &office.server;
    let unseen = a_case("old");
    server.turn_clock(Duration::from_hours(24 * 10_000));
    server.purge().await;
    said.by(&server.sign_in("acme", "ana").await.send(&unseen).await, Code::OperationWindowExpired);
}

/// The database is held by somebody else, and then holds what nobody can read.
async fn faults(office: &Office, said: &mut Said) {
    let server = &office.server;
    let ana = server.sign_in("acme", "ana").await;
    let fresh = a_case("t");
    let held = server.place.hold("acme").await;
    let reply = ana.send(&fresh).await;
    drop(held);
    said.by(&reply, Code::TemporarilyUnavailable);
    assert!(reply.header("retry-after").is_some());
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while ana.send(&fresh).await.status != 201 {
        assert!(tokio::time::Instant::now() < deadline);
    }
    server.place.sql("update entity set body = '{}' where entity_type = 'case'").await;
    let reply = ana.send(&command("tag.add", &fresh.target(), json!({ "tag": "x" }))).await;
    said.by(&reply, Code::InternalError);
    let text: Value = reply.json();
    assert!(!text["detail"].as_str().unwrap().contains("body"), "causes are for the log: {text}");
}
