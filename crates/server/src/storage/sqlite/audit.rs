//! The audit: one row per attempt, append only, each with a hash over the one before it.

use domain::TenantId;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::execution::chain::ChainCheck;
use crate::execution::{AuditEntry, Chain, Linked};
use crate::storage::sqlite::Sqlite;
use crate::storage::sqlite::row::{get, integer, integer_option, stored, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::{AuditFilter, AuditRow, StorageError};

/// Rows of the chain that are read at once.
const PAGE: i64 = 1000;

pub(super) async fn add(db: &Sqlite, tenant: TenantId, entry: AuditEntry) -> Result<(), StorageError> {
    db.writer.run(move |connection| Box::pin(append(connection, tenant, entry))).await
}

/// Puts `entry` at the end, in a transaction that is under way.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    entry: AuditEntry,
) -> Result<(), StorageError> {
    let query = sqlx::query(include_str!("audit/end.sql")).bind(tenant.to_string());
    let row = query.fetch_one(&mut *connection).await.map_err(fault)?;
    let mut chain = end(&row)?;
    insert(connection, &tenant.to_string(), &chain.link(entry)).await
}

async fn insert(
    connection: &mut SqliteConnection,
    tenant: &str,
    Linked { seq, hash, entry }: &Linked,
) -> Result<(), StorageError> {
    let query = sqlx::query(include_str!("write/audit.sql")).bind(tenant).bind(stored(*seq)).bind(hash);
    let query = query.bind(&entry.command_id).bind(&entry.key).bind(&entry.actor_id).bind(&entry.entity_type);
    let query = query.bind(&entry.entity_id).bind(&entry.operation).bind(entry.previous_revision);
    let query = query.bind(entry.next_revision).bind(entry.result.as_ref()).bind(entry.code.as_deref());
    let query = query.bind(entry.authority.as_deref()).bind(entry.session_version).bind(entry.issued_under);
    let query = query.bind(&entry.request_id).bind(entry.occurred_at.0);
    query.execute(&mut *connection).await.map_err(fault)?;
    let query = sqlx::query(include_str!("write/head.sql")).bind(tenant).bind(None::<i64>);
    query.bind(stored(*seq)).bind(hash).execute(connection).await.map_err(fault).map(|_| ())
}

fn end(row: &SqliteRow) -> Result<Chain, StorageError> {
    Ok(Chain { seq: integer(row, "audit_seq")?, hash: get(row, "audit_hash")? })
}

/// Where the chain of each tenant is broken, in words.
pub(super) async fn breaks(connection: &mut SqliteConnection) -> Result<Vec<String>, StorageError> {
    let tenants = sqlx::query(include_str!("audit/ends.sql")).fetch_all(&mut *connection).await.map_err(fault)?;
    let mut breaks = Vec::new();
    for row in tenants {
        let (tenant, slug): (String, String) = (get(&row, "tenant_id")?, get(&row, "slug")?);
        let mut check = ChainCheck::default();
        loop {
            let rows = page(connection, &tenant, check.seq()).await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                check.see(row);
            }
        }
        let found = check.finish(&end(&row)?);
        breaks.extend(found.into_iter().map(|fault| format!("tenant {slug}: {fault}")));
    }
    Ok(breaks)
}

/// Links the entries that were written before there was a chain.
pub(super) async fn link(connection: &mut SqliteConnection) -> Result<(), StorageError> {
    let tenants = sqlx::query(include_str!("audit/unlinked.sql")).fetch_all(&mut *connection).await.map_err(fault)?;
    for row in tenants {
        let tenant: String = get(&row, "tenant_id")?;
        let mut chain = Chain::default();
        loop {
            let rows = page(connection, &tenant, chain.seq).await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let linked = chain.link(row.into());
                let query = sqlx::query(include_str!("audit/set_hash.sql")).bind(&tenant);
                let query = query.bind(stored(linked.seq)).bind(linked.hash);
                query.execute(&mut *connection).await.map_err(fault)?;
            }
        }
        let query = sqlx::query(include_str!("write/head.sql")).bind(&tenant).bind(None::<i64>);
        let query = query.bind(stored(chain.seq)).bind(&chain.hash);
        query.execute(&mut *connection).await.map_err(fault)?;
    }
    Ok(())
}

async fn page(connection: &mut SqliteConnection, tenant: &str, after: u64) -> Result<Vec<AuditRow>, StorageError> {
    let query = sqlx::query(include_str!("audit/page.sql")).bind(tenant).bind(stored(after)).bind(PAGE);
    query.fetch_all(connection).await.map_err(fault)?.iter().map(audit_row).collect()
}

pub(super) async fn list(db: &Sqlite, tenant: TenantId, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageError> {
    let query = sqlx::query(include_str!("audit/all.sql")).bind(tenant.to_string());
    let query = query.bind(filter.command).bind(filter.target);
    let rows = query.fetch_all(&db.readers).await.map_err(fault)?;
    rows.iter().map(audit_row).collect()
}

fn audit_row(row: &SqliteRow) -> Result<AuditRow, StorageError> {
    Ok(AuditRow {
        audit_id: get::<i64>(row, "seq")?.to_string(),
        hash: get(row, "hash")?,
        command_id: get(row, "command_id")?,
        idempotency_key: get(row, "idempotency_key")?,
        actor_id: get(row, "actor_id")?,
        tenant_id: get(row, "tenant_id")?,
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
