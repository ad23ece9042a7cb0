//! A client that reads the whole feed and only counts.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::load::connection::Connection;
use crate::load::request::get;

/// Items of one page.
const LIMIT: usize = 1000;

/// What came of reading the whole feed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FirstSync {
    pub(crate) entities: usize,
    pub(crate) pages: usize,
    pub(crate) bytes: usize,
    pub(crate) seconds: f64,
    /// Where the feed goes on.
    #[serde(skip)]
    pub(crate) cursor: String,
}

/// Reads the feed of `token`'s tenant from its beginning to its end; `on_page` is called after each page.
///
/// # Errors
/// The server does not give a page.
pub(crate) async fn first_sync(address: &str, token: &str, mut on_page: impl FnMut()) -> Result<FirstSync> {
    let mut connection = Connection::open(address).await?;
    let mut has_more = true;
    let mut sync = FirstSync { entities: 0, pages: 0, bytes: 0, seconds: 0.0, cursor: String::new() };
    let began = Instant::now();
    while has_more {
        let request = get(&format!("/v1/changes?limit={LIMIT}&cursor={}", sync.cursor), token);
        let answer = connection.exchange(&request).await?;
        ensure!(answer.status == 200, "the feed answered {}", answer.status);
        sync.entities += occurrences(answer.body, b"{\"seq\":");
        sync.pages += 1;
        sync.bytes += answer.body.len();
        (sync.cursor, has_more) = end_of_page(answer.body)?;
        on_page();
    }
    sync.seconds = began.elapsed().as_secs_f64();
    Ok(sync)
}

/// How often `wanted`, which begins with a brace, stands in `body`. Inside of a JSON text its quotes would be escaped.
fn occurrences(body: &[u8], wanted: &[u8]) -> usize {
    body.iter().enumerate().filter(|(place, byte)| **byte == b'{' && body[*place..].starts_with(wanted)).count()
}

/// The cursor and whether more follows, which stand behind the items.
fn end_of_page(body: &[u8]) -> Result<(String, bool)> {
    let end = &body[body.len().saturating_sub(1000)..];
    let text = String::from_utf8_lossy(end);
    let (_, after) = text.rsplit_once("\"cursor\":\"").context("a page without a cursor")?;
    let (cursor, after) = after.split_once('"').context("a page without a cursor")?;
    Ok((cursor.to_owned(), after.contains("\"has_more\":true")))
}
