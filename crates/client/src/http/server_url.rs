//! A server's address as people type it, in one canonical form: accounts are told apart by it.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// The address of a server: `https://host[:port][/path]`, or `http://` for this computer itself. No trailing slash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerUrl {
    canonical: String,
    loopback: bool,
}

/// Why a text is not a server's address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    /// It is no address at all.
    #[error("\"{0}\" is not a server address; it looks like https://cases.example.org")]
    NotAnAddress(String),
    /// Only `https` (and `http` to this computer itself) is spoken.
    #[error("{0}:// is not supported; the address starts with https://")]
    Scheme(String),
    /// Passwords and case texts would be readable on the way.
    #[error("http:// is allowed only for this computer itself; use https://{0}")]
    PlainHttp(String),
    /// It names a user, a query or a fragment.
    #[error("the server address may hold only a host, a port and a path")]
    TooMuch,
}

impl ServerUrl {
    /// Reads what a person typed. Without a scheme it is `https`.
    pub fn parse(text: &str) -> Result<Self, ServerUrlError> {
        let text = text.trim();
        let not_an_address = || ServerUrlError::NotAnAddress(text.to_owned());
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let url = Url::parse(&with_scheme).map_err(|_| not_an_address())?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(not_an_address)?;
        let loopback = is_loopback(host);
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            "http" => return Err(ServerUrlError::PlainHttp(host.to_owned())),
            other => return Err(ServerUrlError::Scheme(other.to_owned())),
        }
        let names_user = !url.username().is_empty() || url.password().is_some();
        if names_user || url.query().is_some() || url.fragment().is_some() {
            return Err(ServerUrlError::TooMuch);
        }
        Ok(Self { canonical: url.as_str().trim_end_matches('/').to_owned(), loopback })
    }

    /// The canonical form.
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// Whether it is this computer itself.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Whether nothing is encrypted on the way, which only a loopback address allows.
    pub(super) fn is_plain(&self) -> bool {
        self.canonical.starts_with("http://")
    }

    /// The address of `path`, which starts with `/`.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.canonical)
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || bare.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
        || bare.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_has_one_address() {
        for (typed, canonical) in [
            ("cases.example.org", "https://cases.example.org"),
            (" https://Cases.Example.org/ ", "https://cases.example.org"),
            ("https://cases.example.org:443/onceover//", "https://cases.example.org/onceover"),
            ("cases.example.org:8443", "https://cases.example.org:8443"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(ServerUrl::parse(typed).unwrap().as_str(), canonical, "{typed}");
        }
        let server = ServerUrl::parse("https://h/base/").unwrap();
        assert_eq!(server.at("/v1/changes?limit=2"), "https://h/base/v1/changes?limit=2");
    }

    #[test]
    fn what_is_no_safe_address_is_refused() {
        for bad in ["", "   ", "https://", "ht tp://x", "http:///x"] {
            assert!(
                matches!(ServerUrl::parse(bad), Err(ServerUrlError::NotAnAddress(_) | ServerUrlError::PlainHttp(_))),
                "{bad}"
            );
        }
        assert_eq!(ServerUrl::parse("http://10.0.0.1"), Err(ServerUrlError::PlainHttp("10.0.0.1".to_owned())));
        assert!(ServerUrl::parse("http://localhost.evil.org").unwrap_err().to_string().contains("https://"));
        assert_eq!(ServerUrl::parse("ftp://x"), Err(ServerUrlError::Scheme("ftp".to_owned())));
        for bad in ["https://me:secret@h", "https://h?x=1", "https://h/#top"] {
            assert_eq!(ServerUrl::parse(bad), Err(ServerUrlError::TooMuch), "{bad}");
        }
    }
}
