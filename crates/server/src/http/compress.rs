//! Answers compressed as clients ask for it: all but event streams, whose events must leave at once.
//!
//! Only what is compressed on its way differs: what is stored, and what a repeat gets, is the same text.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

/// Below this an answer fits into one packet anyway.
const BYTES_MIN: u64 = 1024;

/// The layer that compresses. What the client accepts must have been decided by [`decided`] before.
pub fn layer() -> CompressionLayer<impl Predicate> {
    let worth_it = SizeAbove::new(BYTES_MIN).and(NotForContentType::SSE);
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(worth_it)
}

/// Decides what the client gets and leaves only that in the request. Whoever accepts nothing we have, not even plain
/// text, gets plain text: by the time the layer finds that out, the command has been executed, and its answer counts.
pub async fn decided(mut request: Request, next: Next) -> Response {
    let coding = choose(request.headers());
    request.headers_mut().remove(ACCEPT_ENCODING);
    if let Some(coding) = coding {
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
    }
    next.run(request).await
}

/// The best of ours that the client prefers most, `None` for plain text.
fn choose(headers: &HeaderMap) -> Option<&'static str> {
    let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    let accepted: Vec<(String, f32)> = lines.flat_map(|line| line.split(',')).map(coding_of).collect();
    let weight = |name: &str| {
        let of = |wanted: &str| accepted.iter().find(|(coding, _)| coding == wanted).map(|(_, weight)| *weight);
        of(name).or_else(|| of("*")).unwrap_or(0.0)
    };
    let (zstd, gzip) = (weight("zstd"), weight("gzip").max(weight("x-gzip")));
    if zstd > 0.0 && zstd >= gzip {
        Some("zstd")
    } else if gzip > 0.0 {
        Some("gzip")
    } else {
        None
    }
}

/// `gzip;q=0.5` as its name and weight; a weight that cannot be read is none.
fn coding_of(text: &str) -> (String, f32) {
    let (name, parameters) = text.split_once(';').unwrap_or((text, "q=1"));
    let weight = parameters.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
    (name.trim().to_ascii_lowercase(), weight.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses_among_what_we_have() {
        let chosen = |line: &str| {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(line).unwrap())]);
            choose(&headers)
        };
        assert_eq!(choose(&HeaderMap::new()), None);
        for (line, coding) in [
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("GZIP", Some("gzip")),
            ("x-gzip", Some("gzip")),
            ("zstd;q=0.2, gzip;q=0.8", Some("gzip")),
            ("zstd; q=0, gzip", Some("gzip")),
            ("*", Some("zstd")),
            ("*;q=0", None),
            ("identity", None),
            ("br", None),
            ("identity;q=0, br", None),
            ("gzip;q=x", None),
            ("", None),
        ] {
            assert_eq!(chosen(line), coding, "{line}");
        }
    }
}
