//! The feed (CONTRACT 6).

use std::sync::Arc;

use axum::extract::State;
use http::Uri;
use wire::{ChangesPage, Code, FeedItem, Problem};

use crate::app::App;
use crate::command::Answer;
use crate::command::read::invalid;
use crate::cursor;
use crate::http::answer::{Refused, ok};
use crate::http::signed::Signed;
use crate::routes::query;
use crate::storage::FeedRow;

/// Items of one page.
pub const LIMIT_MAX: u32 = 1000;
const LIMIT_DEFAULT: u32 = 200;
/// Bodies of one page, together: what a slow link carries within one attempt. A single longer one goes alone.
const PAGE_BYTES_MAX: usize = 1 << 20;

/// `GET /v1/changes?cursor=&limit=`
pub async fn changes(State(app): State<Arc<App>>, Signed(session): Signed, uri: Uri) -> Result<Answer, Refused> {
    let parameters = query::read(&uri, &["cursor", "limit"])?;
    let limit = limit(parameters.get("limit").map(String::as_str))?;
    let tenant = session.tenant.id;
    let after = match parameters.get("cursor").filter(|cursor| !cursor.is_empty()) {
        Some(text) => cursor::read(&app.key, tenant, &app.storage.feed_epoch().await?, text)?,
        None => 0,
    };
    let slice = app.storage.changes_since(tenant, session.actor, after, limit, PAGE_BYTES_MAX).await?;
    if after > slice.head {
        return Err(Problem::new(Code::CursorExpired, "The cursor is beyond the newest change.").into());
    }
    let last = slice.rows.last().map_or(after, |row| row.seq);
    let position = if slice.has_more { last } else { slice.head };
    Ok(ok(
        200,
        &ChangesPage {
            cursor: cursor::write(&app.key, tenant, &slice.epoch, position),
            epoch: slice.epoch,
            items: slice.rows.into_iter().map(item).collect(),
            has_more: slice.has_more,
            head: slice.head,
        },
    ))
}

fn limit(text: Option<&str>) -> Result<u32, Problem> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(LIMIT_DEFAULT) };
    text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).ok_or_else(|| {
        let detail = format!("must be 1 to {LIMIT_MAX}");
        invalid(vec![domain::payload::MemberError { pointer: "/limit".to_owned(), detail }])
    })
}

fn item(row: FeedRow) -> FeedItem {
    FeedItem {
        seq: row.seq,
        kind: row.kind,
        id: row.id,
        revision: row.revision,
        deleted: row.deleted,
        command_id: row.command_id,
        at: row.at,
        entity: row.entity,
    }
}
