//! The engine's suite over a file.

use std::sync::Arc;

use async_trait::async_trait;
use engine::ports::Store;
use engine::testing::build::{ACTOR, TENANT};
use engine::testing::conformance::Profile;
use onceover_client::sqlite::{Access, Identity, SqliteStore};

use crate::support::Place;

#[async_trait]
impl Profile for Place {
    async fn open(&self) -> Arc<dyn Store> {
        let identity = Identity { tenant_id: TENANT, actor_id: ACTOR, app_version: "1.2.3".to_owned() };
        Arc::new(SqliteStore::open(&self.path(), identity, Access::Own).await.unwrap().store)
    }
}

engine::store_conformance!(async || Place::new());
