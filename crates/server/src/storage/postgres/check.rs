//! Whether what is stored is whole and can grow.

use std::path::Path;

use sqlx::PgConnection;

use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::get;
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::{Postgres, audit, directory};
use crate::storage::{CheckReport, StorageError};

/// Each tells what is wrong with what its name says.
const FAULTS: [&str; 4] = [
    include_str!("check/feed.sql"),
    include_str!("check/commands.sql"),
    include_str!("check/people.sql"),
    include_str!("check/deliveries.sql"),
];

/// One moment of the whole database, so that a running server cannot commit between two looks; and one tenant after
/// the other, since nothing sees two at once.
pub(super) async fn check(db: &Postgres) -> Result<CheckReport, StorageError> {
    run(&db.pool, Opening::read(Scope::Directory).unlimited(), |opened| Box::pin(report(opened.connection))).await
}

/// What is found in a transaction that is under way and looks across tenants.
pub(super) async fn report(connection: &mut PgConnection) -> Result<CheckReport, Fault> {
    sqlx::raw_sql(include_str!("check/plan_freely.sql")).execute(&mut *connection).await?;
    let mut report = CheckReport::default();
    let tenants = directory::tenants(connection).await?;
    let number = u64::try_from(tenants.len()).unwrap_or(u64::MAX);
    report.counts.push(("tenants".to_owned(), number));
    for (tenant, slug) in tenants {
        directory::enter(connection, tenant).await?;
        for sql in FAULTS {
            for row in sqlx::query(sql).bind(tenant.0).fetch_all(&mut *connection).await? {
                report.faults.push(format!("tenant {slug}: {}", get::<&str>(&row, "fault")?));
            }
        }
        let warnings = sqlx::query(include_str!("check/warnings.sql")).bind(tenant.0);
        for row in warnings.fetch_all(&mut *connection).await? {
            report.warnings.push(format!("tenant {slug}: {}", get::<&str>(&row, "warning")?));
        }
        let breaks = audit::breaks(connection, tenant).await?;
        report.faults.extend(breaks.into_iter().map(|fault| format!("tenant {slug}: {fault}")));
        let counts = sqlx::query(include_str!("check/counts.sql")).bind(tenant.0);
        for row in counts.fetch_all(&mut *connection).await? {
            count(&mut report, get(&row, "what")?, get(&row, "number")?);
        }
    }
    Ok(report)
}

fn count(report: &mut CheckReport, what: &str, number: i64) {
    let number = u64::try_from(number).unwrap_or(0);
    match report.counts.iter_mut().find(|(known, _)| known == what) {
        Some((_, sum)) => *sum += number,
        None => report.counts.push((what.to_owned(), number)),
    }
}

/// The row is locked by the update, so of two nodes that start together the second one sees the first one's key.
pub(super) async fn agrees_on_key(db: &Postgres, fingerprint: &str) -> Result<bool, StorageError> {
    let fingerprint = fingerprint.to_owned();
    let agrees = run(&db.pool, Opening::write(Scope::Nobody), move |opened| {
        let query = sqlx::query(include_str!("check/agree_on_key.sql")).bind(fingerprint.clone());
        Box::pin(async move {
            let row = query.fetch_optional(opened.connection).await?;
            Ok(row.map(|row| get(&row, "agrees")).transpose()?.unwrap_or(false))
        })
    });
    agrees.await
}

pub(super) async fn try_write(db: &Postgres) -> Result<(), StorageError> {
    // The row is written anew though nothing in it changes.
    let opening = Opening::write(Scope::Nobody).first("update server set purge_horizon = purge_horizon");
    run(&db.pool, opening, |_| Box::pin(async { Ok(()) })).await
}

/// The database's own tools do that better, and know how to do it while it grows.
pub(super) fn backup(_: &Path) -> StorageError {
    StorageError::Unsupported(
        "PostgreSQL is backed up by its own tools: use pg_dump, as a role that row-level security does not hold \
         (pg_dump --format=custom), or a base backup; after a restore run `onceover-server new-epoch`"
            .to_owned(),
    )
}
