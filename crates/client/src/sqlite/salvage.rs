//! Reading back what can be read of a damaged store, into a new one, held for a person.

use std::collections::BTreeMap;
use std::path::Path;

use engine::delivery::{Delivery, Hold, LastError, OutboxRow, RECOVERED};
use futures_util::TryStreamExt;
use sqlx::{Connection, FromRow, SqliteConnection};

use super::open::{Damage, Identity, OpenError, check_identity, close, remember_damage, take_over};
use super::outbox::{self, Columns};
use super::{connection, error, replace};

/// The gap between the rows read from the front and those read from the back is tried row by row up to this size.
const GAP_MAX: i64 = 100_000;

/// What was read back.
#[derive(Default)]
struct Salvaged {
    rows: BTreeMap<i64, OutboxRow>,
    /// How many rows were ever made, if anything told: none is ever deleted.
    ever: Option<i64>,
    counters: Counters,
}

/// What must not fall from one store to its successor.
#[derive(Default, FromRow)]
struct Counters {
    owner_epoch: i64,
    cases_version: i64,
    outbox_version: i64,
}

/// Replaces the damaged store at `path` with a new one that holds what could be read back.
pub(super) async fn replace(path: &Path, identity: &Identity) -> Result<(), OpenError> {
    let salvaged = read_back(path, identity).await?;
    put_in_place(path, identity, salvaged).await
}

/// Makes a new store for one of which nothing is left.
pub(super) async fn replace_nothing(path: &Path, identity: &Identity) -> Result<(), OpenError> {
    put_in_place(path, identity, Salvaged::default()).await
}

async fn put_in_place(path: &Path, identity: &Identity, salvaged: Salvaged) -> Result<(), OpenError> {
    let of_io = |error: std::io::Error| OpenError::Store(error::of_io(&error));
    replace::clear(path).map_err(of_io)?;
    let mut db = connection::writing(&replace::beside(path)).await.map_err(error::of)?;
    let damage = begin(&mut db, identity, salvaged).await;
    // Closing puts everything into the main file: nothing but it is moved.
    close(db).await;
    let damage = damage?;
    let aside = replace::replace(path).map_err(of_io)?;
    tracing::error!(
        recovered = damage.recovered,
        lost = ?damage.lost,
        file = %aside.display(),
        "the damaged store was moved aside"
    );
    Ok(())
}

async fn begin(db: &mut SqliteConnection, identity: &Identity, salvaged: Salvaged) -> Result<Damage, OpenError> {
    take_over(db, identity).await?;
    fill(db, salvaged).await
}

/// Everything that still can be read. Only another account's store is an error: it is not ours to move.
async fn read_back(path: &Path, identity: &Identity) -> Result<Salvaged, OpenError> {
    let Ok(mut db) = connection::reading(path).await else { return Ok(Salvaged::default()) };
    let salvaged = read_from(&mut db, identity).await;
    close(db).await;
    salvaged
}

async fn read_from(db: &mut SqliteConnection, identity: &Identity) -> Result<Salvaged, OpenError> {
    if let Err(error @ (OpenError::OtherAccount | OpenError::OtherProgram)) = check_identity(db, identity).await {
        return Err(error);
    }
    let mut salvaged = Salvaged::default();
    let counters = "select owner_epoch, cases_version, outbox_version from meta";
    if let Ok(counters) = sqlx::query_as(counters).fetch_one(&mut *db).await {
        salvaged.counters = counters;
    }
    let is_whole = read_rows(db, identity, &mut salvaged).await;
    let last_read = salvaged.rows.keys().next_back().copied().unwrap_or(0);
    let ever = "select seq from sqlite_sequence where name = 'outbox'";
    salvaged.ever = match sqlx::query_scalar::<_, i64>(ever).fetch_optional(db).await {
        Ok(Some(ever)) => Some(ever.max(last_read)),
        // Without an entry no row was ever made, or the entry is lost.
        Ok(None) | Err(_) => is_whole.then_some(last_read),
    };
    Ok(salvaged)
}

/// From the front until it breaks, from the back until it breaks, and the gap between one by one. Returns whether the
/// table is whole.
async fn read_rows(db: &mut SqliteConnection, identity: &Identity, salvaged: &mut Salvaged) -> bool {
    let mut keep = |columns: Columns| {
        let Ok(row) = OutboxRow::try_from(columns) else { return };
        if (row.tenant_id, row.actor_id) == (identity.tenant_id, identity.actor_id) {
            salvaged.rows.insert(row.seq, row);
        }
    };
    let (mut front, mut back) = (0, i64::MAX);
    let mut rows = sqlx::query_as::<_, Columns>("select * from outbox order by seq").fetch(&mut *db);
    let is_whole = loop {
        match rows.try_next().await {
            Ok(Some(columns)) => {
                front = columns.seq();
                keep(columns);
            }
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    drop(rows);
    if is_whole {
        return true;
    }
    let mut rows = sqlx::query_as::<_, Columns>("select * from outbox order by seq desc").fetch(&mut *db);
    while let Ok(Some(columns)) = rows.try_next().await {
        if columns.seq() <= front {
            break;
        }
        back = columns.seq();
        keep(columns);
    }
    drop(rows);
    let gap_end = if back == i64::MAX { front } else { back.min(front + GAP_MAX) };
    for seq in front + 1..gap_end {
        let one = sqlx::query_as::<_, Columns>("select * from outbox where seq = ?1").bind(seq);
        if let Ok(Some(columns)) = one.fetch_optional(&mut *db).await {
            keep(columns);
        }
    }
    false
}

/// Puts what was read back into the new store, in one commit.
async fn fill(db: &mut SqliteConnection, salvaged: Salvaged) -> Result<Damage, OpenError> {
    let mut tx = db.begin_with("begin immediate").await.map_err(error::of)?;
    let (mut kept, mut open) = (0, 0_u32);
    for row in salvaged.rows.into_values() {
        let row = held_for_a_person(row);
        let outcome = outbox::insert(&mut tx, &row, Some(RECOVERED)).await;
        match outcome {
            Ok(_) => {
                kept += 1;
                open += u32::from(row.is_open());
            }
            // A row that contradicts the schema cannot be kept as a row; it stays in the file that is moved aside.
            Err(engine::ports::StoreError::Illegal(why)) => tracing::error!(why, "a row could not be kept"),
            Err(error) => return Err(error.into()),
        }
    }
    let lost = salvaged.ever.map(|ever| u32::try_from(ever - kept).unwrap_or_default());
    let damage = Damage { recovered: open, lost };
    remember_damage(&mut tx, damage).await?;
    sqlx::query(include_str!("session/keep_counters.sql"))
        .bind(salvaged.counters.owner_epoch)
        .bind(salvaged.counters.cases_version)
        .bind(salvaged.counters.outbox_version)
        .execute(&mut *tx)
        .await
        .map_err(error::of)?;
    tx.commit().await.map_err(error::of)?;
    Ok(damage)
}

/// The row as it may stand in a new store: nothing of it is sent or asked about before a person says so.
fn held_for_a_person(mut row: OutboxRow) -> OutboxRow {
    let held = match row.delivery {
        _ if !row.is_open() => return row,
        Delivery::Queued | Delivery::Claimed { .. } | Delivery::RetryableFailed { .. } => {
            Delivery::RetryableFailed { due_at: None, hold: Hold::Person }
        }
        Delivery::Sending { .. } | Delivery::Unknown { .. } => {
            Delivery::Unknown { ask_at: None, hold: Some(Hold::Person) }
        }
        Delivery::Conflict { .. } | Delivery::Rejected { .. } | Delivery::Acked { .. } => return row,
    };
    let message = "read back from a damaged store".to_owned();
    row.last_error = Some(LastError { code: RECOVERED.to_owned(), message, at_ms: row.updated_at.0 });
    row.delivery = held;
    row
}
