//! Endpoints and deliveries in PostgreSQL. Nothing sees two tenants at once, so whoever carries events out first looks
//! at `webhook_due`, which tells of each tenant only when to look at it.

mod carry;
mod rows;

use async_trait::async_trait;
use domain::{TenantId, Timestamp};
use uuid::Uuid;

use crate::storage::postgres::row::get;
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::{LOCK_TENANT, Postgres, audit};
use crate::storage::webhook::{
    Claim, Claimed, DeliveryDepth, DeliveryFilter, DeliveryRow, DeliveryState, Due, EndpointChange, EndpointId,
    EndpointRow, Lease, NewEndpoint, NewSecret, Settled, WebhookStorage, WhichEndpoint,
};
use crate::storage::{AdminError, StorageError, deeds};
use crate::webhooks::schedule::TRIED_MS;

#[async_trait]
impl WebhookStorage for Postgres {
    async fn add_endpoint(&self, tenant: TenantId, endpoint: NewEndpoint, now: Timestamp) -> Result<(), AdminError> {
        let url = endpoint.url.clone();
        // Locked in the order in which commands do.
        let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
        let added = run(&self.pool, opening, move |opened| {
            let endpoint = endpoint.clone();
            Box::pin(async move {
                let begin = sqlx::query(include_str!("webhook/begin_due.sql")).bind(tenant.0);
                begin.execute(&mut *opened.connection).await?;
                let query = sqlx::query(include_str!("webhook/add_endpoint.sql")).bind(tenant.0).bind(endpoint.id.0);
                let sink = if endpoint.secret.is_some() { "http" } else { "mail" };
                let deed = deeds::endpoint("webhook.add", endpoint.id, &endpoint.url, now);
                let query = query.bind(sink).bind(endpoint.url).bind(endpoint.secret).bind(endpoint.events);
                let query = query.bind(endpoint.allow_private).bind(now.0);
                if query.execute(&mut *opened.connection).await?.rows_affected() == 0 {
                    return Ok(false);
                }
                audit::append(opened.connection, tenant, deed).await?;
                Ok(true)
            })
        });
        if added.await? { Ok(()) } else { Err(AdminError::Exists(format!("the endpoint {url}"))) }
    }

    async fn endpoints(&self, tenant: TenantId) -> Result<Vec<EndpointRow>, StorageError> {
        let endpoints = run(&self.pool, Opening::read(Scope::Tenant(tenant)), move |opened| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("webhook/endpoints.sql")).bind(tenant.0);
                let rows = query.fetch_all(opened.connection).await?;
                Ok(rows.iter().map(rows::endpoint).collect::<Result<_, _>>()?)
            })
        });
        endpoints.await
    }

    async fn change_endpoint(
        &self,
        tenant: TenantId,
        which: WhichEndpoint,
        change: EndpointChange,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let (id, url) = match which {
            WhichEndpoint::Id(id) => (Some(id.0), None),
            WhichEndpoint::Url(url) => (None, Some(url)),
        };
        // With the tenant locked no command adds a delivery meanwhile.
        let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
        let changed = run(&self.pool, opening, move |opened| {
            let find = sqlx::query(include_str!("webhook/find_endpoint.sql")).bind(tenant.0).bind(id).bind(url.clone());
            Box::pin(async move {
                let Some(row) = find.fetch_optional(&mut *opened.connection).await? else { return Ok(false) };
                let (endpoint, url): (Uuid, &str) = (get(&row, "endpoint_id")?, get(&row, "url")?);
                let sql = match change {
                    EndpointChange::Remove => include_str!("webhook/remove_endpoint.sql"),
                    EndpointChange::Enable => include_str!("webhook/enable_endpoint.sql"),
                };
                let query = sqlx::query(sql).bind(tenant.0).bind(endpoint).bind(now.0);
                query.execute(&mut *opened.connection).await?;
                let deed = deeds::endpoint(change.operation(), EndpointId(endpoint), url, now);
                audit::append(opened.connection, tenant, deed).await?;
                Ok(true)
            })
        });
        changed.await
    }

    async fn rotate_secret(
        &self,
        tenant: TenantId,
        endpoint: EndpointId,
        new: NewSecret,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
        let rotated = run(&self.pool, opening, move |opened| {
            let query = sqlx::query(include_str!("webhook/rotate.sql")).bind(tenant.0).bind(endpoint.0).bind(now.0);
            let query = query.bind(new.former_until.map(|until| until.0)).bind(new.secret.clone());
            Box::pin(async move {
                let Some(row) = query.fetch_optional(&mut *opened.connection).await? else { return Ok(false) };
                let deed = deeds::endpoint("webhook.rotate", endpoint, get(&row, "url")?, now);
                audit::append(opened.connection, tenant, deed).await?;
                Ok(true)
            })
        });
        rotated.await
    }

    async fn deliveries(&self, tenant: TenantId, filter: DeliveryFilter) -> Result<Vec<DeliveryRow>, StorageError> {
        let deliveries = run(&self.pool, Opening::read(Scope::Tenant(tenant)), move |opened| {
            let query = sqlx::query(include_str!("webhook/deliveries.sql")).bind(tenant.0);
            let query = query.bind(filter.state.map(DeliveryState::name)).bind(i64::from(filter.limit));
            Box::pin(async move {
                let rows = query.fetch_all(opened.connection).await?;
                Ok(rows.iter().map(rows::delivery).collect::<Result<_, _>>()?)
            })
        });
        deliveries.await
    }

    async fn resend(
        &self,
        tenant: TenantId,
        webhook_id: &str,
        endpoint: Option<EndpointId>,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let webhook_id = webhook_id.to_owned();
        let resent = run(&self.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
            let query = sqlx::query(include_str!("webhook/resend.sql")).bind(tenant.0).bind(webhook_id.clone());
            let query = query.bind(now.0).bind(now.0.saturating_add(TRIED_MS)).bind(endpoint.map(|id| id.0));
            Box::pin(async move {
                let resent = query.execute(&mut *opened.connection).await?.rows_affected();
                carry::sooner(opened.connection, tenant, now).await?;
                Ok(resent)
            })
        });
        resent.await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<Due>, StorageError> {
        carry::due(self, now).await
    }
    async fn claim(&self, claims: Vec<Claim>, lease: Lease) -> Result<Vec<Claimed>, StorageError> {
        carry::claim(self, claims, lease).await
    }
    async fn settle(&self, settled: Vec<Settled>) -> Result<(), StorageError> {
        carry::settle(self, settled).await
    }
    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64, StorageError> {
        carry::forget(self, before).await
    }
    async fn delivery_depth(&self) -> Result<DeliveryDepth, StorageError> {
        carry::depth(self).await
    }
}
