//! One group, one transaction: load, decide, write.

use std::sync::Arc;

use domain::{Operation, TenantId, Timestamp};

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
    let takes_away = group.iter().any(|attempt| attempt.command.payload.operation() == Operation::NoteRedact);
    let work = db.groups.run(move |desk| {
        let mut ground = load::ground(desk, tenant, &group, now)?;
        let (answers, writes) = fold(&mut ground, &group, now);
        write::writes(&desk.connection, tenant, &writes)?;
        #[cfg(feature = "failpoints")]
        crate::failpoint::hit("before-commit")?;
        Ok(Executed { answers, head: writes.head })
    });
    let executed = work.await?;
    if takes_away {
        db.writer.forget().await;
    }
    Ok(executed)
}
