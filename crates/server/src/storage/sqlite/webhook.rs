//! Endpoints and deliveries in SQLite. Claiming and settling many at once are one transaction each, since every
//! commit here waits for the disk and for the commands that are written meanwhile.

use async_trait::async_trait;
use domain::{TenantId, Timestamp};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::command::answer::json;
use crate::storage::sqlite::row::{damaged, get, integer, integer_option, parsed, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, audit};
use crate::storage::webhook::{
    Claim, Claimed, DeliveryDepth, DeliveryFilter, DeliveryRow, DeliveryState, Due, EndpointChange, EndpointId,
    EndpointRow, Lease, NewEndpoint, NewSecret, Settled, WebhookStorage, WhichEndpoint,
};
use crate::storage::{AdminError, StorageError, deeds};
use crate::webhooks::schedule::{Next, TRIED_MS};

#[async_trait]
impl WebhookStorage for Sqlite {
    async fn add_endpoint(&self, tenant: TenantId, endpoint: NewEndpoint, now: Timestamp) -> Result<(), AdminError> {
        let url = endpoint.url.clone();
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("webhook/add_endpoint.sql")).bind(tenant.to_string());
                let sink = if endpoint.secret.is_some() { "http" } else { "mail" };
                let deed = deeds::endpoint("webhook.add", endpoint.id, &endpoint.url, now);
                let query = query.bind(endpoint.id.to_string()).bind(sink).bind(endpoint.url).bind(endpoint.secret);
                let query = query.bind(json(&endpoint.events)).bind(endpoint.allow_private).bind(now.0);
                if query.execute(&mut *connection).await.map_err(fault)?.rows_affected() == 0 {
                    return Ok(false);
                }
                audit::append(connection, tenant, deed).await?;
                Ok(true)
            })
        });
        if work.await? { Ok(()) } else { Err(AdminError::Exists(format!("the endpoint {url}"))) }
    }

    async fn endpoints(&self, tenant: TenantId) -> Result<Vec<EndpointRow>, StorageError> {
        let query = sqlx::query(include_str!("webhook/endpoints.sql")).bind(tenant.to_string());
        query.fetch_all(&self.readers).await.map_err(fault)?.iter().map(endpoint_row).collect()
    }

    async fn change_endpoint(
        &self,
        tenant: TenantId,
        which: WhichEndpoint,
        change: EndpointChange,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let work = self.writer.run(move |connection| Box::pin(change_inside(connection, tenant, which, change, now)));
        work.await
    }

    async fn rotate_secret(
        &self,
        tenant: TenantId,
        endpoint: EndpointId,
        new: NewSecret,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("webhook/rotate.sql")).bind(tenant.to_string());
                let query = query.bind(endpoint.to_string()).bind(now.0).bind(new.former_until.map(|until| until.0));
                let row = query.bind(new.secret).fetch_optional(&mut *connection).await.map_err(fault)?;
                let Some(row) = row else { return Ok(false) };
                let deed = deeds::endpoint("webhook.rotate", endpoint, get(&row, "url")?, now);
                audit::append(connection, tenant, deed).await?;
                Ok(true)
            })
        });
        work.await
    }

    async fn deliveries(&self, tenant: TenantId, filter: DeliveryFilter) -> Result<Vec<DeliveryRow>, StorageError> {
        let query = sqlx::query(include_str!("webhook/deliveries.sql")).bind(tenant.to_string());
        let query = query.bind(filter.state.map(DeliveryState::name)).bind(i64::from(filter.limit));
        query.fetch_all(&self.readers).await.map_err(fault)?.iter().map(delivery_row).collect()
    }

    async fn resend(
        &self,
        tenant: TenantId,
        webhook_id: &str,
        endpoint: Option<EndpointId>,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let webhook_id = webhook_id.to_owned();
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("webhook/resend.sql")).bind(tenant.to_string()).bind(webhook_id);
                let query =
                    query.bind(now.0).bind(now.0.saturating_add(TRIED_MS)).bind(endpoint.map(|id| id.to_string()));
                Ok(query.execute(connection).await.map_err(fault)?.rows_affected())
            })
        });
        work.await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<Due>, StorageError> {
        let query = sqlx::query(include_str!("webhook/due.sql")).bind(now.0);
        let rows = query.fetch_all(&self.readers).await.map_err(fault)?;
        let due = |row: &SqliteRow| {
            Ok(Due {
                tenant: parsed(row, "tenant_id")?,
                endpoint: parsed(row, "endpoint_id")?,
                is_mail: get::<&str>(row, "sink")? == "mail",
            })
        };
        rows.iter().map(due).collect()
    }

    async fn claim(&self, claims: Vec<Claim>, lease: Lease) -> Result<Vec<Claimed>, StorageError> {
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                let mut claimed = Vec::new();
                for claim in claims {
                    claim_inside(connection, claim, lease, &mut claimed).await?;
                }
                Ok(claimed)
            })
        });
        work.await
    }

    async fn settle(&self, settled: Vec<Settled>) -> Result<(), StorageError> {
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                for settled in settled {
                    settle_inside(connection, settled).await?;
                }
                Ok(())
            })
        });
        work.await
    }

    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64, StorageError> {
        let work = self.writer.run(move |connection| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("webhook/forget.sql")).bind(before.0);
                Ok(query.execute(connection).await.map_err(fault)?.rows_affected())
            })
        });
        work.await
    }

    async fn delivery_depth(&self) -> Result<DeliveryDepth, StorageError> {
        let row = sqlx::query(include_str!("webhook/depth.sql")).fetch_one(&self.readers).await.map_err(fault)?;
        Ok(DeliveryDepth { waiting: integer(&row, "waiting")?, dead: integer(&row, "dead")? })
    }
}

async fn change_inside(
    connection: &mut SqliteConnection,
    of: TenantId,
    which: WhichEndpoint,
    change: EndpointChange,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let (id, url) = match which {
        WhichEndpoint::Id(id) => (Some(id.to_string()), None),
        WhichEndpoint::Url(url) => (None, Some(url)),
    };
    let tenant = of.to_string();
    let query = sqlx::query(include_str!("webhook/find_endpoint.sql")).bind(&tenant).bind(id).bind(url);
    let Some(row) = query.fetch_optional(&mut *connection).await.map_err(fault)? else { return Ok(false) };
    let (endpoint, url): (String, String) = (get(&row, "endpoint_id")?, get(&row, "url")?);
    let statements: &[&'static str] = match change {
        EndpointChange::Remove => &[include_str!("webhook/remove_endpoint.sql"), include_str!("webhook/cancel.sql")],
        EndpointChange::Enable => &[include_str!("webhook/enable_endpoint.sql")],
    };
    for sql in statements {
        let query = sqlx::query(*sql).bind(&tenant).bind(&endpoint).bind(now.0);
        query.execute(&mut *connection).await.map_err(fault)?;
    }
    let deed = deeds::endpoint(change.operation(), parsed(&row, "endpoint_id")?, &url, now);
    audit::append(connection, of, deed).await?;
    Ok(true)
}

async fn claim_inside(
    connection: &mut SqliteConnection,
    claim: Claim,
    lease: Lease,
    claimed: &mut Vec<Claimed>,
) -> Result<(), StorageError> {
    let (tenant, endpoint) = (claim.tenant.to_string(), claim.endpoint.to_string());
    let query = sqlx::query(include_str!("webhook/endpoint.sql")).bind(&tenant).bind(&endpoint);
    let Some(at) = query.fetch_optional(&mut *connection).await.map_err(fault)? else { return Ok(()) };
    let is_former_over = get::<Option<i64>>(&at, "former_until")?.is_some_and(|until| until <= lease.now.0);
    if is_former_over {
        let query = sqlx::query(include_str!("webhook/end_former.sql")).bind(&tenant).bind(&endpoint);
        query.bind(lease.now.0).execute(&mut *connection).await.map_err(fault)?;
    }
    let query = sqlx::query(include_str!("webhook/claim.sql")).bind(&tenant).bind(&endpoint).bind(lease.now.0);
    let query = query.bind(i64::from(claim.limit)).bind(lease.token.to_string()).bind(lease.until.0);
    for row in query.fetch_all(connection).await.map_err(fault)? {
        claimed.push(Claimed {
            tenant: claim.tenant,
            webhook_id: get(&row, "webhook_id")?,
            endpoint: claim.endpoint,
            lease_token: lease.token,
            url: get(&at, "url")?,
            secret: get(&at, "secret")?,
            former_secret: if is_former_over { None } else { get(&at, "former_secret")? },
            allow_private: get::<i64>(&at, "allow_private")? != 0,
            body: get(&row, "body")?,
            created_at: time(&row, "created_at")?,
            attempt: integer(&row, "attempt")?,
            give_up_at: time(&row, "give_up_at")?,
        });
    }
    Ok(())
}

async fn settle_inside(connection: &mut SqliteConnection, settled: Settled) -> Result<(), StorageError> {
    let (tenant, endpoint) = (settled.tenant.to_string(), settled.endpoint.to_string());
    let (state, due_at) = match settled.next {
        Next::Delivered => (DeliveryState::Delivered, None),
        Next::Retry(due_at) => (DeliveryState::Waiting, Some(due_at.0)),
        Next::Dead | Next::Gone => (DeliveryState::Dead, None),
    };
    let query = sqlx::query(include_str!("webhook/settle.sql")).bind(&tenant).bind(settled.webhook_id).bind(&endpoint);
    let query = query.bind(settled.lease_token.to_string()).bind(state.name()).bind(due_at).bind(settled.at.0);
    let query = query.bind(settled.failure).bind(settled.status.map(i64::from)).bind(settled.note);
    let is_ours = query.execute(&mut *connection).await.map_err(fault)?.rows_affected() > 0;
    if settled.next == Next::Gone && is_ours {
        let query = sqlx::query(include_str!("webhook/disable_endpoint.sql")).bind(&tenant).bind(&endpoint);
        let row = query.bind(settled.at.0).fetch_optional(&mut *connection).await.map_err(fault)?;
        let query = sqlx::query(include_str!("webhook/give_up.sql")).bind(&tenant).bind(&endpoint);
        query.bind(settled.at.0).bind(settled.failure).execute(&mut *connection).await.map_err(fault)?;
        if let Some(row) = row {
            let deed = deeds::endpoint_gone(settled.endpoint, get(&row, "url")?, settled.at);
            audit::append(connection, settled.tenant, deed).await?;
        }
    }
    Ok(())
}

fn endpoint_row(row: &SqliteRow) -> Result<EndpointRow, StorageError> {
    let events: &str = get(row, "events")?;
    Ok(EndpointRow {
        endpoint_id: parsed::<EndpointId>(row, "endpoint_id")?,
        url: get(row, "url")?,
        events: serde_json::from_str(events).map_err(|_| damaged("events"))?,
        allow_private: get::<i64>(row, "allow_private")? != 0,
        created_at: time(row, "created_at")?,
        disabled_at: get::<Option<i64>>(row, "disabled_at")?.map(Timestamp),
        former_secret_until: get::<Option<i64>>(row, "former_until")?.map(Timestamp),
        waiting: integer(row, "waiting")?,
        dead: integer(row, "dead")?,
    })
}

fn delivery_row(row: &SqliteRow) -> Result<DeliveryRow, StorageError> {
    let time_option = |column| get::<Option<i64>>(row, column).map(|at| at.map(Timestamp));
    Ok(DeliveryRow {
        webhook_id: get(row, "webhook_id")?,
        endpoint_id: parsed(row, "endpoint_id")?,
        url: get(row, "url")?,
        event: get(row, "event")?,
        state: get(row, "state")?,
        attempt: integer(row, "attempt")?,
        created_at: time(row, "created_at")?,
        attempted_at: time_option("attempted_at")?,
        due_at: time_option("due_at")?,
        settled_at: time_option("settled_at")?,
        failure: get(row, "failure")?,
        status: integer_option(row, "status")?,
        note: get(row, "note")?,
    })
}
