//! What carrying events out asks for: one short transaction for each tenant, since each sees one alone.

use std::collections::BTreeMap;

use domain::{TenantId, Timestamp};
use sqlx::PgConnection;

use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::{get, id, integer};
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::webhook::rows;
use crate::storage::postgres::{LOCK_TENANT, Postgres, audit, directory};
use crate::storage::webhook::{Claim, Claimed, DeliveryDepth, DeliveryState, Due, Lease, Settled};
use crate::storage::{StorageError, deeds};
use crate::webhooks::schedule::Next;

pub(super) async fn due(db: &Postgres, now: Timestamp) -> Result<Vec<Due>, StorageError> {
    let tenants = run(&db.pool, Opening::read(Scope::Deliveries), move |opened| {
        Box::pin(async move {
            let query = sqlx::query(include_str!("tenants_due.sql")).bind(now.0);
            let rows = query.fetch_all(opened.connection).await?;
            Ok(rows.iter().map(|row| id(row, "tenant_id")).collect::<Result<Vec<TenantId>, _>>()?)
        })
    });
    let mut due = Vec::new();
    for tenant in tenants.await? {
        due.extend(due_of(db, tenant, now).await?);
    }
    Ok(due)
}

/// What is due of a tenant; if nothing is, it is put down when to look again.
async fn due_of(db: &Postgres, tenant: TenantId, now: Timestamp) -> Result<Vec<Due>, StorageError> {
    let due = run(&db.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
        Box::pin(async move {
            let connection = opened.connection;
            let query = sqlx::query(include_str!("due.sql")).bind(tenant.0).bind(now.0);
            let found = query.fetch_all(&mut *connection).await?;
            if found.is_empty() {
                let lock = sqlx::query(include_str!("lock_due.sql")).bind(tenant.0);
                lock.execute(&mut *connection).await?;
                sqlx::query(include_str!("look_ahead.sql")).bind(tenant.0).execute(connection).await?;
            }
            Ok(found.iter().map(|row| rows::due(tenant, row)).collect::<Result<_, _>>()?)
        })
    });
    due.await
}

/// What is claimed for one tenant is not given up because it cannot be for another.
pub(super) async fn claim(db: &Postgres, claims: Vec<Claim>, lease: Lease) -> Result<Vec<Claimed>, StorageError> {
    let (mut claimed, mut failed) = (Vec::new(), None);
    for (tenant, claims) in by_tenant(claims, |claim| claim.tenant) {
        match claim_of(db, tenant, claims, lease).await {
            Ok(found) => claimed.extend(found),
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if claimed.is_empty() => Err(error),
        Some(error) => {
            tracing::warn!(%error, "some deliveries wait for the database");
            Ok(claimed)
        }
        None => Ok(claimed),
    }
}

async fn claim_of(
    db: &Postgres,
    tenant: TenantId,
    claims: Vec<Claim>,
    lease: Lease,
) -> Result<Vec<Claimed>, StorageError> {
    let claimed = run(&db.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
        let claims = claims.clone();
        Box::pin(async move {
            let mut claimed = Vec::new();
            for claim in claims {
                claim_inside(opened.connection, claim, lease, &mut claimed).await?;
            }
            Ok(claimed)
        })
    });
    claimed.await
}

async fn claim_inside(
    connection: &mut PgConnection,
    claim: Claim,
    lease: Lease,
    claimed: &mut Vec<Claimed>,
) -> Result<(), Fault> {
    let query = sqlx::query(include_str!("endpoint.sql")).bind(claim.tenant.0).bind(claim.endpoint.0);
    let Some(at) = query.fetch_optional(&mut *connection).await? else { return Ok(()) };
    if rows::is_former_over(&lease, &at)? {
        let query = sqlx::query(include_str!("end_former.sql")).bind(claim.tenant.0).bind(claim.endpoint.0);
        query.bind(lease.now.0).execute(&mut *connection).await?;
    }
    let query = sqlx::query(include_str!("claim.sql")).bind(claim.tenant.0).bind(claim.endpoint.0).bind(lease.now.0);
    let query = query.bind(i64::from(claim.limit)).bind(lease.token).bind(lease.until.0);
    for row in query.fetch_all(connection).await? {
        claimed.push(rows::claimed(&claim, &lease, &at, &row)?);
    }
    Ok(())
}

pub(super) async fn settle(db: &Postgres, settled: Vec<Settled>) -> Result<(), StorageError> {
    for (tenant, settled) in by_tenant(settled, |settled| settled.tenant) {
        let opening = Opening::write(Scope::Tenant(tenant));
        // With the tenant locked no command adds a delivery to an endpoint that is being disabled.
        let disables = settled.iter().any(|settled| settled.next == Next::Gone);
        let opening = if disables { opening.first(LOCK_TENANT) } else { opening };
        let written = run(&db.pool, opening, move |opened| {
            let settled = settled.clone();
            Box::pin(async move {
                let mut soonest = None;
                for settled in settled {
                    if let Next::Retry(due_at) = settled.next {
                        soonest = Some(soonest.map_or(due_at, |soonest: Timestamp| soonest.min(due_at)));
                    }
                    settle_inside(opened.connection, settled).await?;
                }
                match soonest {
                    Some(due_at) => sooner(opened.connection, tenant, due_at).await,
                    None => Ok(()),
                }
            })
        });
        written.await?;
    }
    Ok(())
}

async fn settle_inside(connection: &mut PgConnection, settled: Settled) -> Result<(), Fault> {
    let (state, due_at) = match settled.next {
        Next::Delivered => (DeliveryState::Delivered, None),
        Next::Retry(due_at) => (DeliveryState::Waiting, Some(due_at.0)),
        Next::Dead | Next::Gone => (DeliveryState::Dead, None),
    };
    let (tenant, endpoint) = (settled.tenant.0, settled.endpoint.0);
    let query = sqlx::query(include_str!("settle.sql")).bind(tenant).bind(settled.webhook_id).bind(endpoint);
    let query = query.bind(settled.lease_token).bind(state.name()).bind(due_at).bind(settled.at.0);
    let query = query.bind(settled.failure).bind(settled.status.map(i64::from)).bind(settled.note);
    let is_ours = query.execute(&mut *connection).await?.rows_affected() > 0;
    if settled.next == Next::Gone && is_ours {
        let query = sqlx::query(include_str!("disable_endpoint.sql")).bind(tenant).bind(endpoint);
        let query = query.bind(settled.at.0).bind(settled.failure);
        if let Some(row) = query.fetch_optional(&mut *connection).await? {
            let deed = deeds::endpoint_gone(settled.endpoint, get(&row, "url")?, settled.at);
            audit::append(connection, settled.tenant, deed).await?;
        }
    }
    Ok(())
}

/// Something of the tenant is due at `at`, or is already before.
pub(super) async fn sooner(connection: &mut PgConnection, tenant: TenantId, at: Timestamp) -> Result<(), Fault> {
    sqlx::query(include_str!("sooner.sql")).bind(tenant.0).bind(at.0).execute(connection).await?;
    Ok(())
}

pub(super) async fn forget(db: &Postgres, before: Timestamp) -> Result<u64, StorageError> {
    let mut forgotten = 0;
    for tenant in with_endpoints(db).await? {
        let forget = run(&db.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
            Box::pin(async move {
                let query = sqlx::query(include_str!("forget.sql")).bind(tenant.0).bind(before.0);
                Ok(query.execute(opened.connection).await?.rows_affected())
            })
        });
        forgotten += forget.await?;
    }
    Ok(forgotten)
}

/// The tenants that have, or had, endpoints.
async fn with_endpoints(db: &Postgres) -> Result<Vec<TenantId>, StorageError> {
    let tenants = run(&db.pool, Opening::read(Scope::Deliveries), move |opened| {
        Box::pin(async move { tenants(opened.connection).await })
    });
    tenants.await
}

async fn tenants(connection: &mut PgConnection) -> Result<Vec<TenantId>, Fault> {
    let rows = sqlx::query("select tenant_id from webhook_due").fetch_all(connection).await?;
    Ok(rows.iter().map(|row| id(row, "tenant_id")).collect::<Result<_, _>>()?)
}

pub(super) async fn depth(db: &Postgres) -> Result<DeliveryDepth, StorageError> {
    let depth = run(&db.pool, Opening::read(Scope::Deliveries), move |opened| {
        Box::pin(async move {
            let mut depth = DeliveryDepth::default();
            for tenant in tenants(opened.connection).await? {
                directory::enter(opened.connection, tenant).await?;
                let query = sqlx::query(include_str!("depth.sql")).bind(tenant.0);
                let row = query.fetch_one(&mut *opened.connection).await?;
                depth.waiting += integer::<u64>(&row, "waiting")?;
                depth.dead += integer::<u64>(&row, "dead")?;
            }
            Ok(depth)
        })
    });
    depth.await
}

fn by_tenant<T>(items: Vec<T>, tenant: impl Fn(&T) -> TenantId) -> BTreeMap<TenantId, Vec<T>> {
    let mut by_tenant = BTreeMap::<_, Vec<T>>::new();
    for item in items {
        by_tenant.entry(tenant(&item)).or_default().push(item);
    }
    by_tenant
}
