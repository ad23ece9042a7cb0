//! Looks for sessions. Every request does, so those that come together are asked for together: while one question is
//! on its way the next one fills up, and each is still answered by a look that was begun after it was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::TenantId;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::storage::postgres::pool::Pool;
use crate::storage::postgres::session::session_row;
use crate::storage::postgres::transaction::{Opening, Scope, run_here};
use crate::storage::{SessionRow, StorageError};

type Found = Result<Option<SessionRow>, StorageError>;
type Waiting = Vec<(Uuid, oneshot::Sender<Found>)>;

/// Who waits for which session. A tenant is in here exactly while a task looks for it.
#[derive(Debug, Default)]
pub(crate) struct Finds(Mutex<HashMap<TenantId, Waiting>>);

/// The session with its actor as of now.
pub(in crate::storage::postgres) async fn find(
    finds: &Arc<Finds>,
    pool: &Arc<Pool>,
    tenant: TenantId,
    session: Uuid,
) -> Found {
    let (reply, found) = oneshot::channel();
    if finds.add(tenant, session, reply) {
        let (finds, pool) = (Arc::clone(finds), Arc::clone(pool));
        tokio::spawn(async move {
            while let Some(waiting) = finds.next(tenant) {
                answer(&pool, tenant, waiting).await;
            }
        });
    }
    found.await.unwrap_or_else(|_| Err(StorageError::Broken("a look for a session did not end".to_owned())))
}

impl Finds {
    /// Whether somebody has to begin to look.
    fn add(&self, tenant: TenantId, session: Uuid, reply: oneshot::Sender<Found>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !all.contains_key(&tenant);
        all.entry(tenant).or_default().push((session, reply));
        is_first
    }

    /// Everybody who waits; `None` once nobody does, and then nobody looks.
    fn next(&self, tenant: TenantId) -> Option<Waiting> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = all.get_mut(&tenant).map(std::mem::take).unwrap_or_default();
        if waiting.is_empty() {
            all.remove(&tenant);
            return None;
        }
        Some(waiting)
    }
}

async fn answer(pool: &Pool, tenant: TenantId, waiting: Waiting) {
    let mut sessions: Vec<Uuid> = waiting.iter().map(|(session, _)| *session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let found = run_here(pool, Opening::read(Scope::Tenant(tenant)), |opened| {
        let query = sqlx::query(include_str!("get.sql")).bind(tenant.0).bind(sessions.clone());
        Box::pin(async move {
            let rows = query.fetch_all(opened.connection).await?;
            let rows = rows.iter().map(|row| session_row(row).map(|row| (row.session, row)));
            Ok(rows.collect::<Result<HashMap<Uuid, SessionRow>, _>>()?)
        })
    });
    let found = found.await.map_err(StorageError::from);
    for (session, reply) in waiting {
        let row = found.as_ref().map(|rows| rows.get(&session).cloned()).map_err(Clone::clone);
        // Whoever has gone away needs no answer.
        let _ = reply.send(row);
    }
}
