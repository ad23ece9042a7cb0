//! The items of a page in the base.

use std::collections::BTreeSet;

use domain::{CommandId, Entity, EntityId, Revision};
use engine::ports::StoreError;
use serde::Serialize;
use sqlx::SqliteConnection;
use wire::{FeedEntity, FeedItem};

use crate::sqlite::error;
use crate::sqlite::text::json;

/// What putting items into the base changed.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// Whether anything did.
    pub(super) anything: bool,
    /// Cases that came, moved on or went.
    pub(super) cases: BTreeSet<EntityId>,
    /// Members whose entity changed.
    pub(super) members: BTreeSet<EntityId>,
}

impl Changed {
    fn note(&mut self, kind: &str, id: EntityId) {
        self.anything = true;
        match kind {
            "case" => drop(self.cases.insert(id)),
            "member" => drop(self.members.insert(id)),
            _ => {}
        }
    }

    fn note_all(&mut self, changed: Vec<(String, String)>) {
        for (kind, id) in changed {
            if let Ok(id) = id.parse() {
                self.note(&kind, id);
            }
        }
    }
}

/// The columns of one entity.
#[derive(Serialize)]
struct Row<'a> {
    kind: &'a str,
    id: EntityId,
    case_id: Option<domain::CaseId>,
    seq: u64,
    revision: Revision,
    command_id: Option<CommandId>,
    body: String,
}

/// Puts `items` into the base. Only what is new or different counts as changed.
pub(super) async fn put(db: &mut SqliteConnection, items: &[FeedItem], round: i64) -> Result<Changed, StoreError> {
    let mut changed = Changed::default();
    let mut rows = Vec::with_capacity(items.len());
    let mut deleted = Vec::new();
    for item in items {
        let entity = item.read().map_err(|error| StoreError::Illegal(format!("an item of the feed: {error}")))?;
        match entity {
            Some(entity) => rows.push(row(item, &entity)),
            None if item.deleted => deleted.push((&item.kind, item.id)),
            // A type of a later version: nothing here shows it.
            None => {}
        }
    }
    if !rows.is_empty() {
        let rows = json(&rows);
        changed.note_all(moved(db, include_str!("different.sql"), &rows).await?);
        sqlx::query(include_str!("put.sql")).bind(rows).bind(round).execute(&mut *db).await.map_err(error::of)?;
    }
    if !deleted.is_empty() {
        changed.note_all(moved(db, include_str!("delete.sql"), &json(&deleted)).await?);
    }
    Ok(changed)
}

fn row<'a>(item: &'a FeedItem, entity: &FeedEntity) -> Row<'a> {
    let case_id = match entity {
        FeedEntity::Entity(Entity::Case(_)) | FeedEntity::Member(_) => None,
        FeedEntity::Entity(entity) => Some(entity.case_id()),
    };
    Row {
        kind: &item.kind,
        id: item.id,
        case_id,
        seq: item.seq,
        revision: item.revision,
        command_id: item.command_id,
        body: json(&item.entity),
    }
}

async fn moved(db: &mut SqliteConnection, sql: &'static str, rows: &str) -> Result<Vec<(String, String)>, StoreError> {
    sqlx::query_as(sql).bind(rows).fetch_all(db).await.map_err(error::of)
}

/// Drops what did not come again in this round.
pub(super) async fn drop_older(db: &mut SqliteConnection, round: i64, changed: &mut Changed) -> Result<(), StoreError> {
    let sql = "delete from base_entity where sync_round < ?1 returning type, id";
    let dropped = sqlx::query_as(sql).bind(round).fetch_all(db).await.map_err(error::of)?;
    changed.note_all(dropped);
    Ok(())
}
