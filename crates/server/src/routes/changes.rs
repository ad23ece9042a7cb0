//! The feed (CONTRACT 6).

use std::sync::Arc;

use axum::extract::State;
use http::Uri;
use wire::{ChangesPage, Code, Problem};

use crate::app::App;
use crate::command::Answer;
use crate::command::read::invalid;
use crate::cursor::{self, Place};
use crate::http::answer::{Refused, ok};
use crate::http::signed::Signed;
use crate::routes::query;

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
    let epoch = app.storage.feed_epoch().await?;
    let cursor = parameters.get("cursor").filter(|cursor| !cursor.is_empty());
    let place = cursor.map(|text| cursor::read(&app.key, tenant, &epoch, text)).transpose()?;
    let after = place.map_or(0, |place| place.position);
    let slice = app.storage.changes_since(tenant, session.actor, after, limit, PAGE_BYTES_MAX).await?;
    if cursor.is_some() && slice.epoch != epoch {
        return Err(expired("The feed was restarted at this moment."));
    }
    let place = place.unwrap_or(Place { position: 0, began: slice.head });
    if after > slice.head {
        return Err(expired("The cursor is beyond the newest change."));
    }
    if place.has_missed(slice.floor) {
        return Err(expired("What this cursor would have to tell is not kept so long."));
    }
    let last = slice.rows.last().map_or(after, |row| row.seq);
    let position = if slice.has_more { last } else { slice.head };
    Ok(ok(
        200,
        &ChangesPage {
            cursor: cursor::write(&app.key, tenant, &slice.epoch, Place { position, ..place }),
            epoch: slice.epoch,
            items: slice.rows,
            has_more: slice.has_more,
            head: slice.head,
        },
    ))
}

fn expired(detail: &str) -> Refused {
    Problem::new(Code::CursorExpired, detail).into()
}

fn limit(text: Option<&str>) -> Result<u32, Problem> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(LIMIT_DEFAULT) };
    text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).ok_or_else(|| {
        let detail = format!("must be 1 to {LIMIT_MAX}");
        invalid(vec![domain::payload::MemberError { pointer: "/limit".to_owned(), detail }])
    })
}
