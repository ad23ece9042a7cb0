//! The audit: one row per attempt, append only.

use domain::TenantId;
use sqlx::sqlite::SqliteRow;

use crate::execution::AuditEntry;
use crate::storage::sqlite::row::{get, integer, integer_option, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, write};
use crate::storage::{AuditFilter, AuditRow, StorageError};

pub(super) async fn add(db: &Sqlite, tenant: TenantId, entry: AuditEntry) -> Result<(), StorageError> {
    let work = db
        .writer
        .run(move |connection| Box::pin(async move { write::audit(connection, &tenant.to_string(), &[entry]).await }));
    work.await
}

pub(super) async fn list(db: &Sqlite, tenant: TenantId, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageError> {
    let query = if filter.command.is_some() || filter.target.is_some() {
        let query = sqlx::query(include_str!("audit/chosen.sql")).bind(tenant.to_string());
        query.bind(filter.command).bind(filter.target)
    } else {
        sqlx::query(include_str!("audit/all.sql")).bind(tenant.to_string())
    };
    let rows = query.fetch_all(&db.readers).await.map_err(fault)?;
    rows.iter().map(audit_row).collect()
}

fn audit_row(row: &SqliteRow) -> Result<AuditRow, StorageError> {
    Ok(AuditRow {
        audit_id: get(row, "audit_id")?,
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
