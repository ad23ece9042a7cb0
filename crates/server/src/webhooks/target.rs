//! Where an endpoint is: an HTTP address or a mailbox, read from what an administrator typed.

use std::net::IpAddr;

use lettre::Address;
use url::{ParseError, Url};

use crate::webhooks::address::is_public;

const URL_BYTES_MAX: usize = 2000;

/// Where deliveries go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Posted to this URL.
    Http(Url),
    /// Mailed to this mailbox.
    Mail(Address),
}

/// Why a text is not a target, in words for who typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TargetError {
    #[error("the URL is longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    #[error("the URL has spaces, line breaks or other characters that must be percent-encoded")]
    Characters,
    #[error("this is not a URL: give https://… or mailto:…")]
    NotUrl,
    #[error("the URL must begin with https:// (or http:// with --allow-private) or mailto:")]
    Scheme,
    #[error("plain http:// is for development: use https://, or say --allow-private")]
    Plain,
    #[error("the URL must not carry a user name or password: deliveries are signed instead")]
    Credentials,
    #[error("the URL must not have a fragment (#…): it would never be sent")]
    Fragment,
    #[error("the URL's port must be 1 to 65535")]
    Port,
    #[error("the URL names a host that is not on the public internet; --allow-private allows it for development")]
    Private,
    #[error("mailto: takes one plain address, such as mailto:clerk@example.org")]
    Mailbox,
}

impl Target {
    /// Reads what an administrator typed.
    pub fn read(text: &str, allow_private: bool) -> Result<Self, TargetError> {
        if text.len() > URL_BYTES_MAX {
            return Err(TargetError::TooLong);
        }
        // The parser would drop or mend these, so that another URL is called than was read by a person.
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>')) {
            return Err(TargetError::Characters);
        }
        if let Some((scheme, mailbox)) = text.split_once(':')
            && scheme.eq_ignore_ascii_case("mailto")
        {
            return mailbox_of(mailbox).map(Self::Mail);
        }
        let url = Url::parse(text)
            .map_err(|error| if error == ParseError::InvalidPort { TargetError::Port } else { TargetError::NotUrl })?;
        check(text, &url, allow_private)?;
        Ok(Self::Http(url))
    }

    /// How it is stored and shown.
    pub fn url(&self) -> String {
        match self {
            Self::Http(url) => url.as_str().to_owned(),
            Self::Mail(address) => format!("mailto:{address}"),
        }
    }
}

/// Where `url` leads, without what only its receiver may know: a path may be a secret, a mailbox is a person.
pub fn place_of(url: &str) -> String {
    match Target::read(url, true) {
        Ok(Target::Http(url)) => url.origin().ascii_serialization(),
        Ok(Target::Mail(address)) => format!("mailto:@{}", address.domain()),
        Err(_) => String::new(),
    }
}

fn check(text: &str, url: &Url, allow_private: bool) -> Result<(), TargetError> {
    match url.scheme() {
        "https" => {}
        "http" if allow_private => {}
        "http" => return Err(TargetError::Plain),
        _ => return Err(TargetError::Scheme),
    }
    // `https:host` and `https:///host` would be mended as well.
    let after_scheme = text.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    if after_scheme.is_empty() || after_scheme.starts_with('/') {
        return Err(TargetError::NotUrl);
    }
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(TargetError::Credentials);
    }
    if url.fragment().is_some() {
        return Err(TargetError::Fragment);
    }
    if url.port() == Some(0) {
        return Err(TargetError::Port);
    }
    if !allow_private && is_local(url) {
        return Err(TargetError::Private);
    }
    Ok(())
}

/// Whether the URL's host is not public by its looks. A name that looks public is resolved and checked at each attempt.
fn is_local(url: &Url) -> bool {
    if let Some(address) = literal(url) {
        return !is_public(address);
    }
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let last = host.rsplit('.').next().unwrap_or_default();
    !host.contains('.') || matches!(last, "localhost" | "local" | "internal")
}

/// The IP address that stands in the URL itself, if one does: no name is resolved for it.
pub fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn mailbox_of(text: &str) -> Result<Address, TargetError> {
    let is_plain = text.len() <= 254
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !br#"%?&,;:()[]<>"\/"#.contains(&byte))
        && text.matches('@').count() == 1;
    let address = if is_plain { text.parse().ok() } else { None };
    address.ok_or(TargetError::Mailbox)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_https_and_plain_mailboxes_are_taken() {
        for (text, stored) in [
            ("https://example.org/hook", "https://example.org/hook"),
            ("HTTPS://Example.ORG:8443/a?b=c&d=%0A", "https://example.org:8443/a?b=c&d=%0A"),
            ("https://example.org:443", "https://example.org/"),
            ("https://1.1.1.1/", "https://1.1.1.1/"),
            ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
            ("https://müller.example.org/", "https://xn--mller-kva.example.org/"),
            ("mailto:clerk@example.org", "mailto:clerk@example.org"),
            ("MAILTO:a.b+c@example.org", "mailto:a.b+c@example.org"),
        ] {
            assert_eq!(Target::read(text, false).map(|target| target.url()), Ok(stored.to_owned()), "{text}");
            assert!(Target::read(stored, false).is_ok(), "what is stored is read again");
        }
    }

    #[test]
    fn development_may_be_plain_and_private() {
        for text in
            ["http://127.0.0.1:9000/", "http://localhost/", "https://10.0.0.1/", "http://[::1]:1/", "http://db/"]
        {
            assert!(Target::read(text, true).is_ok(), "{text}");
            assert!(Target::read(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        use TargetError as E;
        let long = format!("https://example.org/{}", "a".repeat(URL_BYTES_MAX));
        for (text, error) in [
            ("", E::NotUrl),
            ("example.org/hook", E::NotUrl),
            ("https://", E::NotUrl),
            ("https:example.org", E::NotUrl),
            ("https:///example.org", E::NotUrl),
            ("http://example.org/", E::Plain),
            ("ftp://example.org/", E::Scheme),
            ("file:///etc/passwd", E::Scheme),
            ("https://user@example.org/", E::Credentials),
            ("https://user:pass@example.org/", E::Credentials),
            ("https://@example.org/", E::Credentials),
            ("https://example.org/#part", E::Fragment),
            ("https://example.org/#", E::Fragment),
            ("https://example.org:0/", E::Port),
            ("https://example.org:65536/", E::Port),
            ("https://example.org:x/", E::Port),
            ("https://example.org/\r\nHost: evil", E::Characters),
            ("https://example.org/a b", E::Characters),
            (" https://example.org/", E::Characters),
            ("https://example.org\t/", E::Characters),
            ("https:\\\\example.org\\", E::Characters),
            (&long, E::TooLong),
            ("https://127.0.0.1/", E::Private),
            ("https://2130706433/", E::Private),
            ("https://0x7f.1/", E::Private),
            ("https://127.1/", E::Private),
            ("https://[::ffff:10.0.0.1]/", E::Private),
            ("https://[::1]/", E::Private),
            ("https://169.254.169.254/latest/meta-data", E::Private),
            ("https://localhost/", E::Private),
            ("https://a.LOCALHOST./", E::Private),
            ("https://printer.local/", E::Private),
            ("https://intranet/", E::Private),
            ("mailto:", E::Mailbox),
            ("mailto:clerk", E::Mailbox),
            ("mailto:a@example.org,b@example.org", E::Mailbox),
            ("mailto:a@example.org?cc=b@example.org", E::Mailbox),
            ("mailto:a%0d%0aBcc:b@example.org", E::Mailbox),
            ("mailto:<a@example.org>", E::Characters),
            ("mailto:\"a b\"@example.org", E::Characters),
            ("mailto:a@example.org\r\nBcc: b@example.org", E::Characters),
        ] {
            assert_eq!(Target::read(text, false), Err(error), "{text:?}");
        }
    }
}
