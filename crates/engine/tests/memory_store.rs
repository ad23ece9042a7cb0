//! The in-memory store passes the suite that every store must pass.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use async_trait::async_trait;
use onceover_engine::ports::Store;
use onceover_engine::testing::build::{ACTOR, TENANT};
use onceover_engine::testing::conformance::Profile;
use onceover_engine::testing::{Disk, MemoryStore};

struct InMemory(Arc<Disk>);

#[async_trait]
impl Profile for InMemory {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::open(&self.0, TENANT, ACTOR))
    }
}

onceover_engine::store_conformance!(|| async { InMemory(Disk::new()) });
