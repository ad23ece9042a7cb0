//! Reads the rows of endpoints and deliveries.

use domain::{TenantId, Timestamp};
use sqlx::postgres::PgRow;

use crate::storage::StorageError;
use crate::storage::postgres::row::{get, id, integer, integer_option, time};
use crate::storage::webhook::{Claim, Claimed, DeliveryRow, Due, EndpointRow, Lease};

fn time_option(row: &PgRow, column: &'static str) -> Result<Option<Timestamp>, StorageError> {
    Ok(get::<Option<i64>>(row, column)?.map(Timestamp))
}

pub(super) fn endpoint(row: &PgRow) -> Result<EndpointRow, StorageError> {
    Ok(EndpointRow {
        endpoint_id: id(row, "endpoint_id")?,
        url: get(row, "url")?,
        events: get(row, "events")?,
        allow_private: get(row, "allow_private")?,
        created_at: time(row, "created_at")?,
        disabled_at: time_option(row, "disabled_at")?,
        former_secret_until: time_option(row, "former_until")?,
        waiting: integer(row, "waiting")?,
        dead: integer(row, "dead")?,
    })
}

pub(super) fn delivery(row: &PgRow) -> Result<DeliveryRow, StorageError> {
    Ok(DeliveryRow {
        webhook_id: get(row, "webhook_id")?,
        endpoint_id: id(row, "endpoint_id")?,
        url: get(row, "url")?,
        event: get(row, "event")?,
        state: get(row, "state")?,
        attempt: integer(row, "attempt")?,
        created_at: time(row, "created_at")?,
        attempted_at: time_option(row, "attempted_at")?,
        due_at: time_option(row, "due_at")?,
        settled_at: time_option(row, "settled_at")?,
        failure: get(row, "failure")?,
        status: integer_option(row, "status")?,
        note: get(row, "note")?,
    })
}

pub(super) fn due(tenant: TenantId, row: &PgRow) -> Result<Due, StorageError> {
    Ok(Due { tenant, endpoint: id(row, "endpoint_id")?, is_mail: get::<&str>(row, "sink")? == "mail" })
}

/// Whether the endpoint's former secret signed long enough.
pub(super) fn is_former_over(lease: &Lease, at: &PgRow) -> Result<bool, StorageError> {
    Ok(time_option(at, "former_until")?.is_some_and(|until| until <= lease.now))
}

/// A claimed row, with the row of its endpoint.
pub(super) fn claimed(claim: &Claim, lease: &Lease, at: &PgRow, row: &PgRow) -> Result<Claimed, StorageError> {
    Ok(Claimed {
        tenant: claim.tenant,
        webhook_id: get(row, "webhook_id")?,
        endpoint: claim.endpoint,
        lease_token: lease.token,
        url: get(at, "url")?,
        secret: get(at, "secret")?,
        former_secret: if is_former_over(lease, at)? { None } else { get(at, "former_secret")? },
        allow_private: get(at, "allow_private")?,
        body: get(row, "body")?,
        created_at: time(row, "created_at")?,
        attempt: integer(row, "attempt")?,
        give_up_at: time(row, "give_up_at")?,
    })
}
