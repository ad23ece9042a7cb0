//! The audit: one row per attempt, append only, each with a hash over the one before it.

use domain::TenantId;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use crate::execution::chain::ChainCheck;
use crate::execution::{AuditEntry, Writes};
use crate::storage::postgres::execute::unknown_tenant;
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::load::chain;
use crate::storage::postgres::row::{get, id, integer, integer_option, stored, time};
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::{LOCK_TENANT, Postgres, write};
use crate::storage::{AuditFilter, AuditRow, StorageError};

/// Rows of the chain that are read at once.
const PAGE: i64 = 1000;

pub(super) async fn add(db: &Postgres, tenant: TenantId, entry: AuditEntry) -> Result<(), StorageError> {
    let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
    let added = run(&db.pool, opening, move |opened| {
        let entry = entry.clone();
        Box::pin(append(opened.connection, tenant, entry))
    });
    added.await
}

/// Puts `entry` at the end, in a transaction that is under way; it holds the tenant from here on, if it did not yet.
pub(super) async fn append(connection: &mut PgConnection, tenant: TenantId, entry: AuditEntry) -> Result<(), Fault> {
    let ends = sqlx::query(LOCK_TENANT).fetch_optional(&mut *connection).await?.ok_or_else(unknown_tenant)?;
    let mut chain = chain(&ends)?;
    let writes = Writes { audit: vec![chain.link(entry)], ..Writes::default() };
    write::writes(connection, tenant, &writes).await
}

/// Where the chain of the tenant that this transaction is about is broken, in words.
pub(super) async fn breaks(connection: &mut PgConnection, tenant: TenantId) -> Result<Vec<String>, Fault> {
    let mut check = ChainCheck::default();
    loop {
        let query = sqlx::query(include_str!("audit/page.sql")).bind(tenant.0).bind(stored(check.seq())).bind(PAGE);
        let rows = query.fetch_all(&mut *connection).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            check.see(&audit_row(row)?);
        }
    }
    let query = sqlx::query("select audit_seq, audit_hash from tenant_head where tenant_id = $1").bind(tenant.0);
    let ends = query.fetch_optional(connection).await?.ok_or_else(unknown_tenant)?;
    Ok(check.finish(&chain(&ends)?))
}

pub(super) async fn list(db: &Postgres, tenant: TenantId, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageError> {
    let listed = run(&db.pool, Opening::read(Scope::Tenant(tenant)).unlimited(), move |opened| {
        let AuditFilter { command, target } = filter.clone();
        let query = sqlx::query(include_str!("audit/all.sql")).bind(tenant.0).bind(command).bind(target);
        Box::pin(async move {
            let rows = query.fetch_all(opened.connection).await?;
            Ok(rows.iter().map(audit_row).collect::<Result<_, _>>()?)
        })
    });
    listed.await
}

fn audit_row(row: &PgRow) -> Result<AuditRow, StorageError> {
    Ok(AuditRow {
        audit_id: get::<i64>(row, "seq")?.to_string(),
        hash: get(row, "hash")?,
        command_id: get(row, "command_id")?,
        idempotency_key: get(row, "idempotency_key")?,
        actor_id: get(row, "actor_id")?,
        tenant_id: id::<TenantId>(row, "tenant_id")?.to_string(),
        entity_type: get(row, "entity_type")?,
        entity_id: get(row, "entity_id")?,
        operation: get(row, "operation")?,
        previous_revision: integer_option(row, "previous_revision")?,
        next_revision: integer_option(row, "next_revision")?,
        result: get(row, "result")?,
        code: get(row, "code")?,
        authority: get(row, "authority")?,
        session_version: integer(row, "session_version")?,
        issued_under: integer(row, "issued_under")?,
        request_id: get(row, "request_id")?,
        occurred_at: time(row, "occurred_at")?,
    })
}
