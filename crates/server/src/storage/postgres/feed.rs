//! Reads the feed: what changed, in commit order, and whether anything did.

use domain::{ActorId, Revision, TenantId, Timestamp};
use sqlx::postgres::PgRow;

use crate::storage::postgres::Postgres;
use crate::storage::postgres::execute::unknown_tenant;
use crate::storage::postgres::row::{damaged, get, id, id_option, integer, stored, time};
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::{ChangesSlice, FeedRow, Pulse, StorageError};

pub(super) async fn changes_since(
    db: &Postgres,
    tenant: TenantId,
    actor: ActorId,
    position: u64,
    limit: u32,
    bytes_max: usize,
) -> Result<ChangesSlice, StorageError> {
    // One moment: the head must be of the same one as the rows.
    let opening = Opening::read(Scope::Tenant(tenant)).first(include_str!("feed/head.sql"));
    let slice = run(&db.pool, opening, move |opened| {
        let query = sqlx::query(include_str!("feed/changes.sql")).bind(tenant.0).bind(stored(position));
        let query = query.bind(i64::from(limit)).bind(actor.0);
        let query = query.bind(i64::try_from(bytes_max).unwrap_or(i64::MAX));
        Box::pin(async move {
            let head = opened.row.ok_or_else(unknown_tenant)?;
            let rows = query.fetch_all(opened.connection).await?;
            let has_more = rows.first().map(|row| get(row, "has_more")).transpose()?.unwrap_or(false);
            Ok(ChangesSlice {
                head: integer(&head, "feed_head")?,
                epoch: get(&head, "feed_epoch")?,
                floor: integer(&head, "tombstone_floor")?,
                has_more,
                rows: rows.iter().map(feed_row).collect::<Result<_, _>>()?,
            })
        })
    });
    slice.await
}

fn feed_row(row: &PgRow) -> Result<FeedRow, StorageError> {
    Ok(FeedRow {
        seq: integer(row, "seq")?,
        kind: get(row, "entity_type")?,
        id: id(row, "entity_id")?,
        revision: Revision(integer(row, "revision")?),
        deleted: get(row, "deleted")?,
        command_id: id_option(row, "command_id")?,
        at: time(row, "changed_at")?,
        entity: serde_json::from_str(get(row, "body")?).map_err(|_| damaged("entity.body"))?,
    })
}

pub(super) async fn epoch(db: &Postgres) -> Result<String, StorageError> {
    server(db, |row| get(row, "feed_epoch")).await
}

pub(super) async fn purge_horizon(db: &Postgres) -> Result<Timestamp, StorageError> {
    server(db, |row| time(row, "purge_horizon")).await
}

async fn server<T: Send + 'static>(
    db: &Postgres,
    read: fn(&PgRow) -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    let opening = Opening::read(Scope::Nobody).first("select feed_epoch, purge_horizon from server");
    let missing = || StorageError::Broken("the table server is empty".to_owned());
    let value =
        run(&db.pool, opening, move |opened| Box::pin(async move { Ok(read(&opened.row.ok_or_else(missing)?)?) }));
    value.await
}

/// What other nodes have committed is found by looking, four times a second and node, whatever the number of clients.
///
/// Not by `listen` and `notify`: a notification takes a lock that all commits of the database share, is lost with its
/// connection or with a node that dies before it has sent it, so that looking would be needed beside it, and neither
/// poolers nor the databases that this schema can move to have them. A look that finds nothing costs one short
/// statement over a narrow table and delays no writer.
pub(super) async fn pulse(db: &Postgres, seen: Option<i64>) -> Result<Option<Pulse>, StorageError> {
    let opening = Opening::read(Scope::Heads).first(include_str!("feed/version.sql"));
    let pulse = run(&db.pool, opening, move |opened| {
        Box::pin(async move {
            let row = opened.row.ok_or_else(unknown_tenant)?;
            let (version, ended) = (get(&row, "version")?, integer(&row, "ended")?);
            if seen == Some(version) {
                return Ok(None);
            }
            let query = sqlx::query("select tenant_id, feed_head from tenant_head where feed_head > 0");
            let rows = query.fetch_all(opened.connection).await?;
            let heads = rows.iter().map(|row| Ok((id(row, "tenant_id")?, integer(row, "feed_head")?)));
            Ok(Some(Pulse { version, ended, heads: heads.collect::<Result<_, StorageError>>()? }))
        })
    });
    pulse.await
}
