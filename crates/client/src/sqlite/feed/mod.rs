//! Putting the feed into the base, and what follows for the rows of the outbox: one commit a page.

mod apply;
mod items;
mod place;

pub(super) use apply::apply;
pub(super) use place::{cursor, entity_count, epoch, forget_cursor, last_pull_at, set_epoch};
