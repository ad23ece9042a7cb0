//! Making an intent durable.

use engine::delivery::OutboxRow;
use engine::ports::{Draft, Owner, StoreError};
use sqlx::SqliteConnection;

use super::{read, write};
use crate::sqlite::case;

/// The row of `draft`, and whether it was there before. Everything that can refuse comes before the first write.
pub(crate) async fn accept(
    db: &mut SqliteConnection,
    owner: Owner,
    draft: &Draft,
) -> Result<(OutboxRow, bool), StoreError> {
    if let Some(row) = read::by_intent(db, draft.intent_id).await? {
        return Ok((row, true));
    }
    let mut lane = read::lane(db, draft.target).await?;
    let base = case::ground(db, &draft.payload, draft.target).await?;
    let row = engine::accept::prepare(draft, &owner, &lane, &base)?;
    let seq = write::insert(db, &row, None).await?;
    let row = row.stored_at(seq);
    lane.push(row.clone());
    if row.is_about_case() {
        case::draw(db, row.case_id(), &base, &lane).await?;
    }
    Ok((row, false))
}
