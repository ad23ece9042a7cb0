//! Endpoints and deliveries. This schema has no tables for them yet: none can be added, so nothing is ever due.

use async_trait::async_trait;
use domain::{TenantId, Timestamp};

use crate::storage::postgres::Postgres;
use crate::storage::webhook::{
    Claim, Claimed, DeliveryDepth, DeliveryFilter, DeliveryRow, Due, EndpointChange, EndpointRow, Lease, NewEndpoint,
    Settled, WhichEndpoint,
};
use crate::storage::{AdminError, StorageError, WebhookStorage};

#[async_trait]
impl WebhookStorage for Postgres {
    async fn add_endpoint(&self, _: TenantId, _: NewEndpoint, _: Timestamp) -> Result<(), AdminError> {
        let cannot = "webhooks need a database of SQLite as yet";
        Err(AdminError::Storage(StorageError::Unsupported(cannot.to_owned())))
    }
    async fn endpoints(&self, _: TenantId) -> Result<Vec<EndpointRow>, StorageError> {
        Ok(Vec::new())
    }
    async fn change_endpoint(
        &self,
        _: TenantId,
        _: WhichEndpoint,
        _: EndpointChange,
        _: Timestamp,
    ) -> Result<bool, StorageError> {
        Ok(false)
    }
    async fn deliveries(&self, _: TenantId, _: DeliveryFilter) -> Result<Vec<DeliveryRow>, StorageError> {
        Ok(Vec::new())
    }
    async fn resend(&self, _: TenantId, _: &str, _: Timestamp) -> Result<u64, StorageError> {
        Ok(0)
    }
    async fn due(&self, _: Timestamp) -> Result<Vec<Due>, StorageError> {
        Ok(Vec::new())
    }
    async fn claim(&self, _: Vec<Claim>, _: Lease) -> Result<Vec<Claimed>, StorageError> {
        Ok(Vec::new())
    }
    async fn settle(&self, _: Vec<Settled>) -> Result<(), StorageError> {
        Ok(())
    }
    async fn forget_deliveries(&self, _: Timestamp) -> Result<u64, StorageError> {
        Ok(0)
    }
    async fn delivery_depth(&self) -> Result<DeliveryDepth, StorageError> {
        Ok(DeliveryDepth::default())
    }
}
