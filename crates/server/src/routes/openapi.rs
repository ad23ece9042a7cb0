//! The interface's own description.

use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::openapi;

/// `GET /openapi.json`
pub async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], openapi::text()).into_response()
}
