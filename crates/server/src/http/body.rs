//! Reads request bodies: bounded in size (and by the connection in time), then strictly as I-JSON.

use axum::body::Body;
use futures_util::StreamExt as _;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;
use serde_json::Value;
use wire::{Code, Problem};

use crate::command::read::malformed;
use crate::http::paced::Late;

/// What is read and thrown away of a body that is too large, so that its sender hears so.
const DISCARDED_MAX: usize = 16 << 20;
/// How many characters a text of a session request may have: names and tokens are far shorter.
const TEXT_MAX: usize = 1000;

/// Reads the whole body, at most `bytes_max`.
///
/// # Errors
/// 415, 413, 400 if it is not coded as HTTP says or ends too early, or 503 if it does not arrive in time: nothing was
/// done then.
pub async fn read(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Vec<u8>, Problem> {
    is_plain_json(headers)?;
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let is_too_large = |length: usize| length > bytes_max;
    let too_large = || Problem::new(Code::PayloadTooLarge, format!("A body here may have {bytes_max} bytes."));
    let is_announced = announced.is_some_and(is_too_large);
    // A client that has sent nothing yet is told at once; one that has more to send than is thrown away, too.
    if is_announced && (headers.contains_key(EXPECT) || announced > Some(DISCARDED_MAX)) {
        return Err(too_large());
    }
    let mut received = if is_announced { bytes_max + 1 } else { 0 };
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| broken(&error))?;
        received += chunk.len();
        if received > DISCARDED_MAX {
            break;
        }
        if is_too_large(received) {
            bytes.clear();
        } else {
            bytes.extend_from_slice(&chunk);
        }
    }
    if is_too_large(received) {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Why a body did not come to its end: slowly, or not as its headers say.
fn broken(error: &axum::Error) -> Problem {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<Late>() {
            return Problem::new(Code::TemporarilyUnavailable, "The request's body did not arrive in time.");
        }
        cause = error.source();
    }
    malformed("", "is not coded as its headers say, or ends too early")
}

/// Whether the headers say that the body is JSON as it stands. Saying nothing is fine.
fn is_plain_json(headers: &HeaderMap) -> Result<(), Problem> {
    let refuse = |detail: &str| Err(Problem::new(Code::UnsupportedMediaType, detail));
    let says = |name: HeaderName| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
    if says(CONTENT_ENCODING).any(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return refuse("A body may not be compressed here.");
    }
    let is_json = |kind: &str| {
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        kind == "application/json" || kind.starts_with("application/") && kind.ends_with("+json")
    };
    if says(CONTENT_TYPE).all(is_json) { Ok(()) } else { refuse("A body here is application/json.") }
}

/// Reads `bytes` as I-JSON.
pub fn json(bytes: &[u8]) -> Result<Value, Problem> {
    wire::json::read_strict(bytes).map_err(|error| malformed("", &format!("is not I-JSON: {error}")))
}

/// Reads the body as a plain type of ours with text members only: wrong types and unknown members are
/// malformed, missing and empty ones invalid.
pub async fn plain<T: DeserializeOwned>(headers: &HeaderMap, body: Body, names: &[&str]) -> Result<T, Problem> {
    let value = json(&read(headers, body, wire::BODY_BYTES_MAX).await?)?;
    let Value::Object(map) = &value else { return Err(malformed("", "must be an object")) };
    if let Some(name) = map.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(malformed(&format!("/{name}"), "is not a member of this request"));
    }
    let mut errors = Vec::new();
    for name in names {
        let detail = match map.get(*name) {
            Some(Value::String(text)) if text.contains('\0') => "contains a NUL character",
            Some(Value::String(text)) if text.chars().count() > TEXT_MAX => "is too long",
            Some(Value::String(text)) if !text.is_empty() => continue,
            None | Some(Value::Null | Value::String(_)) => "is missing",
            Some(_) => return Err(malformed(&format!("/{name}"), "must be a text")),
        };
        errors.push(domain::payload::MemberError { pointer: format!("/{name}"), detail: detail.to_owned() });
    }
    if !errors.is_empty() {
        return Err(crate::command::read::invalid(errors));
    }
    serde_json::from_value(value).map_err(|error| malformed("", &error.to_string()))
}
