//! What the server last said.

use std::collections::BTreeMap;

use domain::payload::Child;
use domain::{Activity, Case, CaseId, Entity, EntityId, EntityKind, Payload};
use engine::ports::{Base, StoreError};
use engine::view::Member;
use serde::de::DeserializeOwned;
use sqlx::SqliteConnection;
use wire::feed::MemberEntity;

use crate::sqlite::error;
use crate::sqlite::text::json;

fn read<T: DeserializeOwned>(body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| StoreError::Damaged(format!("an entity is not readable: {error}")))
}

/// The case alone: enough to accept and to draw.
pub(crate) async fn base_case(db: &mut SqliteConnection, id: CaseId) -> Result<Option<Case>, StoreError> {
    let body: Option<String> = sqlx::query_scalar("select body from base_entity where type = 'case' and id = ?1")
        .bind(id.to_string())
        .fetch_optional(db)
        .await
        .map_err(error::of)?;
    body.as_deref().map(read).transpose()
}

/// Several cases.
pub(crate) async fn base_cases(
    db: &mut SqliteConnection,
    ids: &[EntityId],
) -> Result<BTreeMap<EntityId, Case>, StoreError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let bodies: Vec<String> =
        sqlx::query_scalar(include_str!("base_cases.sql")).bind(json(&ids)).fetch_all(db).await.map_err(error::of)?;
    let mut cases = BTreeMap::new();
    for body in bodies {
        let case: Case = read(&body)?;
        cases.insert(case.id.into(), case);
    }
    Ok(cases)
}

/// The timelines of several cases.
pub(crate) async fn timelines(
    db: &mut SqliteConnection,
    ids: &[EntityId],
) -> Result<BTreeMap<EntityId, Vec<Activity>>, StoreError> {
    let mut timelines: BTreeMap<EntityId, Vec<Activity>> = BTreeMap::new();
    if ids.is_empty() {
        return Ok(timelines);
    }
    let bodies: Vec<String> =
        sqlx::query_scalar(include_str!("timelines.sql")).bind(json(&ids)).fetch_all(db).await.map_err(error::of)?;
    for body in bodies {
        let activity: Activity = read(&body)?;
        timelines.entry(activity.case_id.into()).or_default().push(activity);
    }
    Ok(timelines)
}

/// One entity of any type.
pub(crate) async fn entity(
    db: &mut SqliteConnection,
    kind: EntityKind,
    id: EntityId,
) -> Result<Option<Entity>, StoreError> {
    let body: Option<String> = sqlx::query_scalar("select body from base_entity where type = ?1 and id = ?2")
        .bind(kind.name())
        .bind(id.to_string())
        .fetch_optional(db)
        .await
        .map_err(error::of)?;
    body.as_deref().map(|body| read_entity(kind, body)).transpose()
}

fn read_entity(kind: EntityKind, body: &str) -> Result<Entity, StoreError> {
    Entity::read(kind, body).map_err(|error| StoreError::Damaged(format!("an entity is not readable: {error}")))
}

/// What accepting `payload` on `target` stands on: the case, and what the payload changes beside it.
pub(crate) async fn ground(db: &mut SqliteConnection, payload: &Payload, target: EntityId) -> Result<Base, StoreError> {
    let kind = payload.operation().policy().target;
    if kind != EntityKind::Case {
        return base_of(db, kind, target).await;
    }
    let mut base = Base { case: base_case(db, CaseId(target.0)).await?, ..Base::default() };
    if let Some(Child::Existing(kind, id)) = payload.child() {
        let held = entity(db, kind, id).await?;
        base.children.extend(held.filter(|held| EntityId::from(held.case_id()) == target));
    }
    Ok(base)
}

/// What the server last said of a target of this type.
pub(crate) async fn base_of(db: &mut SqliteConnection, kind: EntityKind, target: EntityId) -> Result<Base, StoreError> {
    if kind == EntityKind::Case {
        return base(db, CaseId(target.0)).await;
    }
    let Some(held) = entity(db, kind, target).await? else { return Ok(Base::default()) };
    let case = base_case(db, held.case_id()).await?;
    Ok(Base { case, children: vec![held], ..Base::default() })
}

/// The case with what belongs to it and its timeline, in the order of their feed positions.
pub(crate) async fn base(db: &mut SqliteConnection, id: CaseId) -> Result<Base, StoreError> {
    let children: Vec<(String, String)> = sqlx::query_as(include_str!("children.sql"))
        .bind(id.to_string())
        .fetch_all(&mut *db)
        .await
        .map_err(error::of)?;
    let mut base = Base { case: base_case(db, id).await?, ..Base::default() };
    for (kind, body) in children {
        let Some(kind) = EntityKind::named(&kind) else { continue };
        match read_entity(kind, &body)? {
            Entity::Activity(activity) => base.timeline.push(activity),
            child => base.children.push(child),
        }
    }
    Ok(base)
}

/// The people of the organization, by display name.
pub(crate) async fn members(db: &mut SqliteConnection) -> Result<Vec<Member>, StoreError> {
    let bodies: Vec<String> = sqlx::query_scalar("select body from base_entity where type = 'member'")
        .fetch_all(db)
        .await
        .map_err(error::of)?;
    let mut members = Vec::with_capacity(bodies.len());
    for body in bodies {
        let member: MemberEntity = read(&body)?;
        members.push(Member {
            id: member.id,
            username: member.username,
            display_name: member.display_name,
            role: member.role,
            disabled: member.disabled,
        });
    }
    members.sort_by(|a, b| a.display_name.cmp(&b.display_name).then(a.id.cmp(&b.id)));
    Ok(members)
}
