//! Sessions and rights that were read before and have not changed since. They change rarely and are asked with every
//! command; SQLite says whether anybody else has committed, and the thread of groups itself changes none.

use std::collections::HashMap;

use domain::{ActorId, TenantId};
use rusqlite::Connection;
use uuid::Uuid;

use crate::execution::Standing;
use crate::storage::StorageError;
use crate::storage::sqlite::groups::fault;

/// How many sessions and actors are remembered; then all are forgotten.
const MAX: usize = 20_000;

/// What is known as of one version of the database.
#[derive(Debug, Default)]
pub(super) struct KnownRights {
    version: Option<i64>,
    /// Those that stand.
    pub(super) sessions: HashMap<(TenantId, Uuid), ActorId>,
    pub(super) standings: HashMap<(TenantId, ActorId), Standing>,
}

impl KnownRights {
    /// Forgets what may have changed. To be called inside a transaction that writes, when nobody else can commit.
    pub(super) fn refresh(&mut self, connection: &Connection) -> Result<(), StorageError> {
        let version = connection
            .prepare_cached("pragma data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)));
        let version = Some(version.map_err(fault)?);
        if self.version != version || self.sessions.len() + self.standings.len() > MAX {
            *self = Self { version, ..Self::default() };
        }
        Ok(())
    }
}
