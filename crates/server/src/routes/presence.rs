//! Saying that one is at a case (CONTRACT 6): at most once, kept nowhere.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use domain::CaseId;
use domain::payload::MemberError;
use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderName, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::command::read::invalid;
use crate::http::answer::Refused;
use crate::http::body;
use crate::http::signed::Signed;

#[derive(Deserialize)]
struct Asked {
    case_id: String,
}

/// `POST /v1/presence`: the same answer whatever the id is of.
pub async fn mark(
    State(app): State<Arc<App>>,
    Signed(session): Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1]), Refused> {
    let asked: Asked = body::plain(&headers, body, &["case_id"]).await?;
    let case: CaseId = asked.case_id.parse().map_err(|_| {
        invalid(vec![MemberError { pointer: "/case_id".to_owned(), detail: "must be a lower-case UUID".to_owned() }])
    })?;
    app.presence.mark(session.tenant.id, case, session.actor);
    Ok((StatusCode::NO_CONTENT, [(CACHE_CONTROL, "no-store")]))
}
