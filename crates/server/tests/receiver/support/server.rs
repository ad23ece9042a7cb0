//! The real router behind the real accept loop, in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::{Role, Timestamp};
use onceover_server::app::App;
use onceover_server::clock::Clock;
use onceover_server::config::Config;
use onceover_server::http::listen::{self, Limits};
use onceover_server::keeping::{self, Ages};
use onceover_server::key_file::ServerKey;
use onceover_server::password;
use onceover_server::storage::{AuditFilter, AuditRow, NewUser, Storage, UserChange};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::command::Sent;
use super::database::{Kind, Place};
use super::http::{Reply, send};

/// Every test person's password.
pub(crate) const PASSWORD: &str = "correct horse";

/// A node, with its database of the kind `K`.
pub(crate) struct Server<K> {
    pub(crate) app: Arc<App>,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) address: String,
    clock: Arc<AtomicI64>,
    stop: watch::Sender<bool>,
    pub(crate) place: Arc<Place<K>>,
}

/// Somebody who has signed in.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) refresh_token: String,
    pub(crate) session: Value,
}

impl<K: Kind> Server<K> {
    /// A server with an empty database, at a fixed time.
    pub(crate) async fn start() -> Self {
        Self::start_with(Config::default()).await
    }

    /// The same, set so.
    pub(crate) async fn start_with(config: Config) -> Self {
        Self::start_in(Arc::new(Place::new()), config).await
    }

    /// Another node on the same database.
    pub(crate) async fn another(&self) -> Self {
        Self::start_in(Arc::clone(&self.place), Config::default()).await
    }

    /// A server on a backup of another moment, with the same key.
    pub(crate) async fn restored(&self, backup: Place<K>) -> Self {
        std::fs::copy(self.place.file("server.db.key"), backup.file("server.db.key")).unwrap();
        Self::start_in(Arc::new(backup), Config::default()).await
    }

    /// A server on what was moved to another kind of database, with the same key and at the same time.
    pub(crate) async fn moved<L: Kind>(&self, place: Place<L>) -> Server<L> {
        std::fs::copy(self.place.file("server.db.key"), place.file("server.db.key")).unwrap();
        let moved = Server::start_in(Arc::new(place), Config::default()).await;
        moved.clock.store(self.now().0, Ordering::SeqCst);
        moved
    }

    /// A backup of this moment.
    pub(crate) async fn backup(&self) -> Place<K> {
        self.place.copy(self.storage.as_ref()).await
    }

    async fn start_in(place: Arc<Place<K>>, config: Config) -> Self {
        let storage = place.open().await;
        let key = ServerKey::at(&place.file("server.db.key")).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopping) = watch::channel(false);
        let now: Timestamp = "2026-11-30T10:00:00Z".parse().unwrap();
        let clock = Arc::new(AtomicI64::new(now.0));
        let hand = Arc::clone(&clock);
        let turned = Clock::of(move || Timestamp(hand.load(Ordering::SeqCst)));
        let limits = Limits::from(&config);
        let app = App::new(Arc::clone(&storage), key, turned, config, stopping.clone());
        tokio::spawn(Arc::clone(&app.wakes).watch_storage(Arc::clone(&storage)));
        tokio::spawn(listen::serve(listener, app.routers(), limits, stopping));
        Self { app, storage, address, clock, stop, place }
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.clock.load(Ordering::SeqCst))
    }

    pub(crate) fn turn_clock(&self, by: Duration) {
        self.clock.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// This server's clock, which [`Server::turn_clock`] turns.
    pub(crate) fn clock(&self) -> Clock {
        let hand = Arc::clone(&self.clock);
        Clock::of(move || Timestamp(hand.load(Ordering::SeqCst)))
    }

    pub(crate) fn drain(&self) {
        self.stop.send_replace(true);
    }

    /// Adds a tenant and a person, and signs the person in.
    pub(crate) async fn person(&self, tenant: &str, username: &str, role: Role) -> Person {
        if self.storage.tenant_of(tenant).await.unwrap().is_none() {
            self.storage.add_tenant(tenant, tenant, self.now()).await.unwrap();
        }
        let user = NewUser {
            slug: tenant.to_owned(),
            username: username.to_owned(),
            display_name: username.to_owned(),
            role,
            password_hash: password::hash(PASSWORD).unwrap(),
            disabled: false,
        };
        self.storage.add_user(user, self.now()).await.unwrap();
        self.sign_in(tenant, username).await
    }

    pub(crate) async fn sign_in(&self, tenant: &str, username: &str) -> Person {
        let reply = self.try_sign_in(tenant, username, PASSWORD).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        Person::of(&self.address, &reply)
    }

    pub(crate) async fn try_sign_in(&self, tenant: &str, username: &str, password: &str) -> Reply {
        let body = json!({
            "tenant": tenant, "username": username, "password": password, "device_id": "d1", "device_name": "Desk",
        });
        self.post("/v1/sessions", &body).await
    }

    pub(crate) async fn refresh(&self, refresh_token: &str, device_id: &str) -> Reply {
        self.post("/v1/sessions/refresh", &json!({ "refresh_token": refresh_token, "device_id": device_id })).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        send(&self.address, "POST", path, &[], body.to_string().as_bytes()).await.unwrap()
    }

    pub(crate) async fn change(&self, tenant: &str, username: &str, change: UserChange) {
        self.storage.change_user(tenant, username, change, self.now()).await.unwrap();
    }

    pub(crate) async fn audit_of(&self, tenant: &str, command: &str) -> Vec<AuditRow> {
        let tenant = self.storage.tenant_of(tenant).await.unwrap().unwrap();
        let filter = AuditFilter { command: Some(command.to_owned()), target: None };
        self.storage.audit(tenant, filter).await.unwrap()
    }

    /// Takes away what has had its time, by this server's clock.
    pub(crate) async fn purge(&self) {
        let ages = Ages::from(&Config::default());
        keeping::purge(self.storage.as_ref(), ages, self.now()).await.unwrap();
    }

    /// Fails unless everything stored is whole.
    pub(crate) async fn assert_whole(&self) {
        assert_eq!(self.storage.check().await.unwrap().faults, Vec::<String>::new());
    }
}

impl Person {
    pub(crate) fn of(address: &str, reply: &Reply) -> Self {
        let session = reply.json();
        let text = |name: &str| session[name].as_str().unwrap().to_owned();
        Self { address: address.to_owned(), token: text("access_token"), refresh_token: text("refresh_token"), session }
    }

    /// The same person at another node.
    pub(crate) fn at<K>(&self, server: &Server<K>) -> Self {
        Self { address: server.address.clone(), ..self.clone() }
    }

    /// Waits until a look-up says that `sent`, which is on its way, is being executed.
    pub(crate) async fn until_processing(&self, sent: &Sent) {
        let path = format!("/v1/operations/{}?key={}", sent.id(), sent.key);
        let deadline = tokio::time::Instant::now() + Duration::from_secs(4);
        while self.get(&path).await.json()["state"] != "processing" {
            assert!(tokio::time::Instant::now() < deadline);
        }
    }

    pub(crate) fn actor_id(&self) -> String {
        self.session["actor"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.try_request(method, path, headers, body).await.unwrap()
    }

    pub(crate) async fn try_request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Option<Reply> {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        send(&self.address, method, path, &all, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], b"").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, &[], body.to_string().as_bytes()).await
    }

    pub(crate) async fn send(&self, command: &Sent) -> Reply {
        self.try_send(command).await.unwrap()
    }

    pub(crate) async fn try_send(&self, command: &Sent) -> Option<Reply> {
        let headers = [("idempotency-key", command.key.as_str())];
        self.try_request("POST", "/v1/commands", &headers, command.body.to_string().as_bytes()).await
    }

    pub(crate) async fn batch(&self, commands: &[&Sent]) -> Reply {
        let items: Vec<Value> = commands.iter().map(|command| command.item()).collect();
        self.post("/v1/commands/batch", &json!({ "commands": items })).await
    }

    /// The whole feed, page by page.
    pub(crate) async fn feed(&self) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("/v1/changes?limit=100&cursor={cursor}")).await.json();
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            page["cursor"].as_str().unwrap().clone_into(&mut cursor);
            if page["has_more"] != true {
                return items;
            }
        }
    }

    /// The entity of this type and id as the feed shows it.
    pub(crate) async fn entity(&self, kind: &str, id: &str) -> Option<Value> {
        let feed = self.feed().await;
        feed.into_iter().find(|item| item["type"] == kind && item["id"] == id).map(|item| item["entity"].clone())
    }
}
