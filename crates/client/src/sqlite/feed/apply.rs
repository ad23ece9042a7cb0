//! One page of the feed: base, rows it settles, rows it contains, and the list over it.

use std::collections::BTreeSet;

use domain::{CaseId, CommandId, EntityId};
use engine::delivery::OutboxRow;
use engine::ports::{Applied, Base, FeedPage, StoreError};
use engine::projection::is_contained;
use sqlx::SqliteConnection;

use super::{items, place};
use crate::sqlite::text::json;
use crate::sqlite::{case, error, outbox, session};

/// Applies a page; nothing is changed if the session is another one by now.
pub(crate) async fn apply(db: &mut SqliteConnection, feed: &FeedPage) -> Result<Applied, StoreError> {
    if session::session(db).await?.version != feed.session_version {
        return Ok(Applied { applied: false, settled: Vec::new(), versions: session::versions(db).await? });
    }
    let round = place::enter_round(db, feed.starts_over).await?;
    let mut changed = items::put(db, &feed.page.items, round).await?;
    let settled = settle(db, feed).await?;
    let settled_cases = settled.iter().filter(|row| row.is_about_case());
    let mut touched: BTreeSet<EntityId> = settled_cases.map(|row| row.target).collect();
    let mut projected = 0;
    if !feed.page.has_more {
        if place::is_round_open(db).await? {
            items::drop_older(db, round, &mut changed).await?;
        }
        for row in contained(db, feed.page.head).await? {
            outbox::project(db, &row, feed.now).await?;
            touched.extend(row.is_about_case().then_some(row.target));
            projected += 1;
        }
    }
    touched.extend(&changed.cases);
    draw(db, &touched.into_iter().collect::<Vec<_>>()).await?;
    for member in &changed.members {
        case::rename_assignee(db, *member).await?;
    }
    place::advance(db, feed).await?;
    let is_row_changed = !settled.is_empty() || projected > 0;
    let versions = session::raise(db, changed.anything || is_row_changed, is_row_changed).await?;
    Ok(Applied { applied: true, settled: settled.iter().map(|row| row.command_id).collect(), versions })
}

/// Rows in doubt whose command the page or the base shows are received.
async fn settle(db: &mut SqliteConnection, feed: &FeedPage) -> Result<Vec<OutboxRow>, StoreError> {
    let shown: Vec<(CommandId, u64)> = (feed.page.items.iter().filter(|item| !item.deleted))
        .filter_map(|item| Some((item.command_id?, item.seq)))
        .collect();
    let found: Vec<(String, i64)> = sqlx::query_as(include_str!("shown_in_doubt.sql"))
        .bind(json(&shown))
        .fetch_all(&mut *db)
        .await
        .map_err(error::of)?;
    let mut settled = Vec::with_capacity(found.len());
    for (command, position) in found {
        let Ok(command) = command.parse() else { continue };
        let Some(row) = outbox::by_command(db, command).await? else { continue };
        settled.push(outbox::settle(db, &row, position.unsigned_abs(), feed.now).await?);
    }
    Ok(settled)
}

/// Received rows that the complete base contains.
async fn contained(db: &mut SqliteConnection, head: u64) -> Result<Vec<OutboxRow>, StoreError> {
    let rows: Vec<outbox::Columns> =
        sqlx::query_as(include_str!("to_project.sql")).fetch_all(db).await.map_err(error::of)?;
    let mut contained = Vec::new();
    for row in rows {
        let row = OutboxRow::try_from(row)?;
        if is_contained(&row, head) {
            contained.push(row);
        }
    }
    Ok(contained)
}

/// Draws the touched cases again, with the pending rows over the new base.
async fn draw(db: &mut SqliteConnection, touched: &[EntityId]) -> Result<(), StoreError> {
    let mut cases = case::base_cases(db, touched).await?;
    let lanes = outbox::lanes(db, touched).await?;
    let bases: Vec<(EntityId, Base)> =
        touched.iter().map(|id| (*id, Base { case: cases.remove(id), ..Base::default() })).collect();
    let drawn = bases.iter().map(|(id, base)| (CaseId(id.0), base, lanes.get(id).map_or(&[][..], Vec::as_slice)));
    case::draw_all(db, drawn).await
}
