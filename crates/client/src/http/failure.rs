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
        return match tls_error(error) {
            Some(tls) if is_about_time(tls) => Failure::Clock(cause),
            Some(rustls::Error::InvalidMessage(_)) => Failure::NotTls(cause),
            Some(_) => Failure::Tls(cause),
            None => Failure::NotConnected(cause),
        };
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

/// The certificate is not valid now. With no connection the server's time cannot be had, and a server whose certificate
/// ran out is rarer than a computer whose clock is off.
fn is_about_time(error: &rustls::Error) -> bool {
    use rustls::CertificateError as E;
    let rustls::Error::InvalidCertificate(error) = error else { return false };
    matches!(error, E::Expired | E::ExpiredContext { .. } | E::NotValidYet | E::NotValidYetContext { .. })
}

/// The TLS library's error behind one of the HTTP library.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(current) = cause {
        if let Some(found) = current.downcast_ref() {
            return Some(found);
        }
        // An I/O error shows the source of what it wraps, not what it wraps.
        let wrapped = current.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| current.source());
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use rustls::CertificateError as E;
    use rustls::pki_types::UnixTime;

    use super::*;

    /// An error of another library around one of TLS, as the HTTP library wraps it.
    #[derive(Debug, thiserror::Error)]
    #[error("the connection failed")]
    struct Wrapped(#[source] io::Error);

    #[test]
    fn a_certificate_that_is_not_valid_now_is_told_apart() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let not_now = [
            E::Expired,
            E::NotValidYet,
            E::ExpiredContext { time: at(2), not_after: at(1) },
            E::NotValidYetContext { time: at(1), not_before: at(2) },
        ];
        for error in not_now {
            assert!(is_about_time(&rustls::Error::InvalidCertificate(error.clone())), "{error:?}");
        }
        for error in [E::UnknownIssuer, E::NotValidForName, E::Revoked] {
            assert!(!is_about_time(&rustls::Error::InvalidCertificate(error.clone())), "{error:?}");
        }
        assert!(!is_about_time(&rustls::Error::DecryptError));
    }

    #[test]
    fn the_tls_error_is_found_inside_what_wraps_it() {
        let tls = rustls::Error::InvalidCertificate(E::Expired);
        let wrapped = Wrapped(io::Error::other(tls.clone()));
        assert_eq!(tls_error(&wrapped), Some(&tls));
        assert_eq!(tls_error(&Wrapped(io::Error::other("refused"))), None);
    }
}
