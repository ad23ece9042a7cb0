//! What a failed exchange means for the row that was being sent: can anything have reached the server?

use std::error::Error;

use engine::ports::Failure;

/// The failure behind an error of the HTTP library. Each call makes a connection of its own, so an error while
/// connecting is the only one that proves that no byte of the request left.
pub(super) fn failure_of(error: &reqwest::Error) -> Failure {
    let cause = root_cause(error);
    if error.is_builder() {
        return Failure::NotConnected(cause);
    }
    if error.is_connect() {
        return if is_tls(error) { Failure::Tls(cause) } else { Failure::NotConnected(cause) };
    }
    if error.is_timeout() { Failure::Timeout } else { Failure::Cut(cause) }
}

/// The innermost message: says most, and never holds the address or a header.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    // Only the outermost error of the library names the address.
    if cause.is::<reqwest::Error>() { "the request could not be made".to_owned() } else { cause.to_string() }
}

fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(current) = cause {
        if current.is::<rustls::Error>() {
            return true;
        }
        // An I/O error shows the source of what it wraps, not what it wraps.
        let wrapped = current.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| current.source());
    }
    false
}
