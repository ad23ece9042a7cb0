//! One group, one transaction: load, decide, write.

use std::sync::Arc;

use domain::{TenantId, Timestamp};

use crate::command::Attempt;
use crate::execution::fold;
use crate::storage::sqlite::{Sqlite, load, write};
use crate::storage::{Executed, StorageError};

pub(super) async fn execute(
    db: &Sqlite,
    tenant: TenantId,
    group: Arc<[Attempt]>,
    now: Timestamp,
) -> Result<Executed, StorageError> {
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let mut ground = load::ground(connection, tenant, &group, now).await?;
            let (answers, writes) = fold(&mut ground, &group, now);
            write::writes(connection, tenant, &writes).await?;
            #[cfg(feature = "failpoints")]
            crate::failpoint::hit("before-commit")?;
            Ok(Executed { answers, head: writes.head })
        })
    });
    work.await
}
