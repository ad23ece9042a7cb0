//! What the actor was told, and to which case anything belongs.

use domain::{CaseId, Entity, EntityId, EntityKind, Notification};
use engine::delivery::OutboxRow;
use engine::ports::{Ambient, Base, StoreError};
use engine::present::{Told, newest_first, notification};
use engine::projection::shown_case;
use engine::view::NotificationView;
use sqlx::SqliteConnection;

use super::base::{base_cases, entity};
use crate::sqlite::{error, outbox};

/// What the actor was told, newest first, with pending reads applied.
pub(crate) async fn notifications(
    db: &mut SqliteConnection,
    ambient: Ambient,
) -> Result<Vec<NotificationView>, StoreError> {
    let told = all(db).await?;
    let mut ids: Vec<EntityId> = told.iter().map(|one| one.case_id.into()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut cases = base_cases(db, &ids).await?;
    let case_lanes = outbox::lanes(db, &ids).await?;
    for id in &ids {
        let lane = case_lanes.get(id).map_or(&[][..], Vec::as_slice);
        let base = Base { case: cases.remove(id), ..Base::default() };
        cases.extend(shown_case(&base, lane).map(|case| (*id, case)));
    }
    let targets: Vec<EntityId> = told.iter().map(|one| one.id.into()).collect();
    let mut lanes = outbox::lanes(db, &targets).await?;
    let view = |one: Notification| {
        let lane = lanes.remove(&one.id.into()).unwrap_or_default();
        let case = cases.get(&one.case_id.into()).cloned();
        notification(Told { notification: one, case, lane }, &ambient)
    };
    let mut views: Vec<NotificationView> = told.into_iter().map(view).collect();
    newest_first(&mut views, |view| (view.notification.created_at, view.notification.id));
    Ok(views)
}

async fn all(db: &mut SqliteConnection) -> Result<Vec<Notification>, StoreError> {
    let bodies: Vec<String> = sqlx::query_scalar("select body from base_entity where type = 'notification'")
        .fetch_all(db)
        .await
        .map_err(error::of)?;
    let read = |body: &String| {
        serde_json::from_str(body)
            .map_err(|error| StoreError::Damaged(format!("a notification is not readable: {error}")))
    };
    bodies.iter().map(read).collect()
}

/// The case that an entity belongs to, as the server says or as a pending change makes it.
pub(crate) async fn case_of(
    db: &mut SqliteConnection,
    kind: EntityKind,
    id: EntityId,
) -> Result<Option<CaseId>, StoreError> {
    if let Some(held) = entity(db, kind, id).await? {
        return Ok(Some(Entity::case_id(&held)));
    }
    Ok(outbox::makers(db, kind, id).await?.first().map(OutboxRow::case_id))
}
