//! Where reading the feed stands.

use domain::Timestamp;
use engine::ports::{FeedPage, StoreError};
use sqlx::SqliteConnection;

use crate::sqlite::error;

/// The cursor to go on from, and whether the feed was ever read to its end.
pub(crate) async fn cursor(db: &mut SqliteConnection) -> Result<(Option<String>, bool), StoreError> {
    sqlx::query_as("select cursor, feed_complete from meta").fetch_one(db).await.map_err(error::of)
}

/// When the feed was last read to its end.
pub(crate) async fn last_pull_at(db: &mut SqliteConnection) -> Result<Option<Timestamp>, StoreError> {
    let at: Option<i64> = sqlx::query_scalar("select last_pull_at from meta").fetch_one(db).await.map_err(error::of)?;
    Ok(at.map(Timestamp))
}

/// How many entities the base holds.
pub(crate) async fn entity_count(db: &mut SqliteConnection) -> Result<u32, StoreError> {
    sqlx::query_scalar("select count(*) from base_entity").fetch_one(db).await.map_err(error::of)
}

/// The server's epoch under which everything received was last known to be there.
pub(crate) async fn epoch(db: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    sqlx::query_scalar("select feed_epoch from meta").fetch_one(db).await.map_err(error::of)
}

/// Remembers it.
pub(crate) async fn set_epoch(db: &mut SqliteConnection, epoch: String) -> Result<(), StoreError> {
    sqlx::query("update meta set feed_epoch = ?1").bind(epoch).execute(db).await.map_err(error::of)?;
    Ok(())
}

/// Makes the next read start over.
pub(crate) async fn forget_cursor(db: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query("update meta set cursor = null").execute(db).await.map_err(error::of)?;
    Ok(())
}

/// Begins a new round if the page starts over. Returns the round the page belongs to.
pub(super) async fn enter_round(db: &mut SqliteConnection, starts_over: bool) -> Result<i64, StoreError> {
    sqlx::query_scalar(
        "update meta set sync_round = sync_round + ?1, round_open = max(round_open, ?1) returning sync_round",
    )
    .bind(i64::from(starts_over))
    .fetch_one(db)
    .await
    .map_err(error::of)
}

/// Whether a read that started over is still under way.
pub(super) async fn is_round_open(db: &mut SqliteConnection) -> Result<bool, StoreError> {
    sqlx::query_scalar("select round_open from meta").fetch_one(db).await.map_err(error::of)
}

/// Remembers where to go on.
pub(super) async fn advance(db: &mut SqliteConnection, feed: &FeedPage) -> Result<(), StoreError> {
    sqlx::query(include_str!("advance.sql"))
        .bind(&feed.page.cursor)
        .bind(!feed.page.has_more)
        .bind(feed.now.0)
        .execute(db)
        .await
        .map_err(error::of)?;
    Ok(())
}
