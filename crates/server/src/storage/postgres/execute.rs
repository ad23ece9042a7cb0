//! One group, one transaction: lock the tenant, load, decide, write. Four round trips, whatever its size.

use std::sync::Arc;

use domain::{TenantId, Timestamp};

use crate::command::Attempt;
use crate::execution::fold;
use crate::storage::postgres::transaction::{Opened, Opening, Scope, run};
use crate::storage::postgres::{LOCK_TENANT, Postgres, load, write};
use crate::storage::{Executed, StorageError};

pub(super) async fn execute(
    db: &Postgres,
    tenant: TenantId,
    group: Arc<[Attempt]>,
    now: Timestamp,
) -> Result<Executed, StorageError> {
    let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
    let executed = run(&db.pool, opening, move |Opened { connection, row }| {
        let group = Arc::clone(&group);
        Box::pin(async move {
            let ends = row.ok_or_else(unknown_tenant)?;
            let mut ground = load::ground(connection, tenant, &group, &ends, now).await?;
            let (answers, writes) = fold(&mut ground, &group, now);
            write::writes(connection, tenant, &writes).await?;
            #[cfg(feature = "failpoints")]
            crate::failpoint::hit("before-commit")?;
            Ok(Executed { answers, head: writes.head })
        })
    });
    executed.await
}

/// A tenant has its row from the moment it is added.
pub(super) fn unknown_tenant() -> StorageError {
    StorageError::Broken("the tenant has no row in tenant_head".to_owned())
}
