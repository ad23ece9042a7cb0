//! What webhook stories do to a server: endpoints added, its carrier started, deliveries waited for.

use std::time::Duration;

use domain::{TenantId, Timestamp};
use onceover_server::execution::events::KINDS;
use onceover_server::key_file::ServerKey;
use onceover_server::sealed;
use onceover_server::storage::webhook::{DeliveryFilter, DeliveryRow, EndpointId, NewEndpoint, NewSecret};
use onceover_server::webhooks::carry::Carrier;
use onceover_server::webhooks::carry::attempt::secret_place;
use onceover_server::webhooks::mail::{MailConfig, MailServer};
use onceover_server::webhooks::secret::Secret;
use tokio::sync::watch;
use uuid::Uuid;

use super::database::Kind;
use super::server::Server;
use super::sink::SECRET;
use super::{Person, a_case};

impl<K: Kind> Server<K> {
    fn key(&self) -> ServerKey {
        ServerKey::at(&self.place.file("server.db.key")).unwrap()
    }

    pub(crate) async fn tenant(&self, slug: &str) -> TenantId {
        self.storage.tenant_of(slug).await.unwrap().unwrap()
    }

    /// Starts this node's carrier, which ends with the value.
    pub(crate) fn carry(&self) -> Carrying {
        self.carry_with(&MailConfig::default())
    }

    pub(crate) fn carry_with(&self, mail: &MailConfig) -> Carrying {
        let mail = MailServer::of(mail).unwrap();
        let carrier = Carrier::new(self.storage.clone(), self.key(), self.clock(), mail);
        let (stop, stopping) = watch::channel(false);
        tokio::spawn(carrier.run(stopping));
        Carrying { stop }
    }

    /// Adds an endpoint that wants every event of the tenant.
    pub(crate) async fn endpoint(&self, slug: &str, url: &str) -> EndpointId {
        self.endpoint_at(slug, url, true).await
    }

    pub(crate) async fn endpoint_at(&self, slug: &str, url: &str, allow_private: bool) -> EndpointId {
        self.add_endpoint(slug, url, &KINDS, allow_private).await
    }

    pub(crate) async fn endpoint_for(&self, slug: &str, url: &str, events: &[&'static str]) -> EndpointId {
        self.add_endpoint(slug, url, events, true).await
    }

    async fn add_endpoint(&self, slug: &str, url: &str, events: &[&'static str], allow_private: bool) -> EndpointId {
        let (tenant, id) = (self.tenant(slug).await, EndpointId(Uuid::now_v7()));
        let secret = Secret::read(SECRET).unwrap();
        let secret = sealed::seal(&self.key(), &secret_place(tenant, id), secret.bytes()).unwrap();
        let secret = (!url.starts_with("mailto:")).then_some(secret);
        let endpoint = NewEndpoint { id, url: url.to_owned(), secret, events: events.to_vec(), allow_private };
        self.storage.add_endpoint(tenant, endpoint, self.now()).await.unwrap();
        id
    }

    /// Gives the endpoint another secret, as `webhook rotate` does; says whether it could.
    pub(crate) async fn rotate(
        &self,
        slug: &str,
        endpoint: EndpointId,
        secret: &str,
        former_until: Option<Timestamp>,
    ) -> bool {
        let (tenant, secret) = (self.tenant(slug).await, Secret::read(secret).unwrap());
        let secret = sealed::seal(&self.key(), &secret_place(tenant, endpoint), secret.bytes()).unwrap();
        let new = NewSecret { secret, former_until };
        self.storage.rotate_secret(tenant, endpoint, new, self.now()).await.unwrap()
    }

    pub(crate) async fn deliveries(&self, slug: &str) -> Vec<DeliveryRow> {
        let filter = DeliveryFilter { state: None, limit: 10_000 };
        self.storage.deliveries(self.tenant(slug).await, filter).await.unwrap()
    }

    /// The deliveries of the tenant, once all are as wanted.
    pub(crate) async fn deliveries_once(&self, slug: &str, all_are: impl Fn(&DeliveryRow) -> bool) -> Vec<DeliveryRow> {
        let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
        loop {
            let rows = self.deliveries(slug).await;
            if !rows.is_empty() && rows.iter().all(&all_are) {
                return rows;
            }
            assert!(tokio::time::Instant::now() < deadline, "{rows:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Person {
    /// Something happens that endpoints are told of; says the event's id.
    pub(crate) async fn event(&self) -> String {
        let create = a_case("t");
        let reply = self.send(&create).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        format!("msg_{}", create.id())
    }
}

/// A carrier at work.
pub(crate) struct Carrying {
    stop: watch::Sender<bool>,
}

impl Drop for Carrying {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}
