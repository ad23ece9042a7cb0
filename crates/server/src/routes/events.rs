//! Wake-ups as server-sent events: that something changed, that the session has ended, who is at which case; never
//! what changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONNECTION};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use wire::WakeEvent;

use crate::app::App;
use crate::command::answer::json;
use crate::http::answer::Refused;
use crate::http::signed::Signed;
use crate::presence::Following;
use crate::storage::SessionRow;
use crate::streams::Opened;

const APART: Duration = Duration::from_millis(250);
const COMMENT_EVERY: Duration = Duration::from_secs(20);

/// One open stream.
struct Open {
    app: Arc<App>,
    session: SessionRow,
    epoch: String,
    heads: watch::Receiver<u64>,
    ends: watch::Receiver<u64>,
    presence: Following,
    draining: watch::Receiver<bool>,
    next_wake: Instant,
    is_over: bool,
    _opened: Opened,
}

/// `GET /v1/events`
pub async fn events(State(app): State<Arc<App>>, Signed(session): Signed) -> Result<Response, Refused> {
    let tenant = session.tenant.id;
    let opened = app.streams.open(session.session)?;
    let mut heads = app.wakes.follow(tenant);
    let ends = app.wakes.follow_ends();
    let slice = app.storage.changes_since(tenant, session.actor, u64::MAX >> 1, 1, 0).await?;
    app.wakes.announce(tenant, slice.head);
    heads.mark_changed();
    let open = Open {
        heads,
        ends,
        session,
        epoch: slice.epoch,
        presence: app.presence.follow(tenant),
        draining: app.draining.clone(),
        next_wake: Instant::now(),
        is_over: false,
        _opened: opened,
        app,
    };
    let keep_alive = KeepAlive::new().interval(COMMENT_EVERY).text("alive");
    let mut response = Sse::new(stream(open)).keep_alive(keep_alive).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // When the stream is over so is its connection: nothing would ever time it out.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}

fn stream(open: Open) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(open, |mut open| async move {
        let event = open.next().await?;
        Some((Ok(event), open))
    })
}

impl Open {
    async fn next(&mut self) -> Option<Event> {
        if self.is_over || *self.draining.borrow() {
            return None;
        }
        loop {
            let next_wake = self.next_wake;
            tokio::select! {
                biased;
                _ = self.draining.changed() => return None,
                changed = async {
                    // The first wake is ready at once, and so is told before anything else.
                    if next_wake > Instant::now() {
                        sleep_until(next_wake).await;
                    }
                    self.heads.changed().await
                } => {
                    changed.ok()?;
                    self.next_wake = Instant::now() + APART;
                    let wake = WakeEvent { epoch: self.epoch.clone(), head: *self.heads.borrow_and_update() };
                    return Some(Event::default().event("wake").data(json(&wake)));
                }
                ended = self.ends.changed() => {
                    ended.ok()?;
                    let session = self.app.storage.session(self.session.tenant.id, self.session.session).await;
                    // If it cannot be asked now, the next request of this session is.
                    if session.is_ok_and(|session| session.is_none_or(|session| !session.is_valid)) {
                        self.is_over = true;
                        return Some(Event::default().event("session").data(r#"{"state":"revoked"}"#));
                    }
                }
                presence = self.presence.next() => {
                    return Some(Event::default().event("presence").data(json(&presence)));
                }
            }
        }
    }
}
