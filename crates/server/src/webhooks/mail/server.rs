//! The mail server that messages are handed to, from the administrator's settings.

use std::fmt;
use std::net::IpAddr;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::TlsParameters;
use lettre::transport::smtp::extension::ClientId;
use url::{Host, Url};

/// The settings `smtp_url`, `smtp_from` and `smtp_password`.
#[derive(Clone, Default)]
pub struct MailConfig {
    /// `smtps://[user@]host[:465]`, or `smtp://[user@]host[:587]` for STARTTLS.
    pub url: Option<String>,
    /// `onceover@example.org`, or with a name before it in angle brackets.
    pub from: Option<String>,
    /// Of the user in the URL.
    pub password: Option<String>,
}

impl fmt::Debug for MailConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailConfig").field("url", &self.url).field("from", &self.from).finish_non_exhaustive()
    }
}

/// What is wrong with the settings, in words for who wrote them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MailServerError {
    #[error("smtp_url and smtp_from go together")]
    Incomplete,
    #[error("smtp_url must be smtps://[user@]host[:port], or smtp://[user@]host[:port] for STARTTLS")]
    Url,
    #[error("smtp_url must not hold a password: set ONCEOVER_SMTP_PASSWORD or smtp_password in the configuration file")]
    PasswordInUrl,
    #[error("smtp_password needs a user in smtp_url, and the other way round")]
    Login,
    #[error("smtp_from must be an address such as onceover@example.org")]
    From,
    #[error("?tls=none is for a mail server on this machine only")]
    Plain,
    #[error("this machine has no certificates to check the mail server's with")]
    Certificates,
}

/// Where messages are handed over.
#[derive(Clone)]
pub struct MailServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Security,
    pub(super) credentials: Option<Credentials>,
    pub(super) from: Mailbox,
    pub(super) hello: ClientId,
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailServer").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

/// How the connection is secured.
#[derive(Clone)]
pub(super) enum Security {
    /// From its beginning.
    Immediate(TlsParameters),
    /// By STARTTLS, or not used.
    Upgraded(TlsParameters),
    /// Not at all: it does not leave the machine.
    None,
}

impl MailServer {
    /// The server of `config`; `None` if mail is not set up.
    pub fn of(config: &MailConfig) -> Result<Option<Self>, MailServerError> {
        let (url, from) = match (&config.url, &config.from) {
            (None, None) => return Ok(None),
            (Some(url), Some(from)) => (url, from),
            _ => return Err(MailServerError::Incomplete),
        };
        let url = Url::parse(url).map_err(|_| MailServerError::Url)?;
        if url.password().is_some() {
            return Err(MailServerError::PasswordInUrl);
        }
        let host = host_of(&url).ok_or(MailServerError::Url)?;
        let has_more = !matches!(url.path(), "" | "/") || url.fragment().is_some() || url.port() == Some(0);
        if has_more {
            return Err(MailServerError::Url);
        }
        let from: Mailbox = from.parse().map_err(|_| MailServerError::From)?;
        let (tls, port) = security(&url, &host)?;
        let port = url.port().unwrap_or(port);
        Ok(Some(Self { host, port, tls, credentials: credentials(&url, config)?, from, hello: ClientId::default() }))
    }
}

/// The host, as it is connected to.
fn host_of(url: &Url) -> Option<String> {
    // Hosts of unknown schemes are kept as they were written; here they are names and addresses as anywhere.
    let text = url.host_str()?;
    match Host::parse(text).ok()? {
        Host::Domain(name) => Some(name),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

fn security(url: &Url, host: &str) -> Result<(Security, u16), MailServerError> {
    let parameters = || TlsParameters::new(host.to_owned()).map_err(|_| MailServerError::Certificates);
    let is_here = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    match (url.scheme(), url.query()) {
        ("smtps", None) => Ok((Security::Immediate(parameters()?), 465)),
        ("smtp", None) => Ok((Security::Upgraded(parameters()?), 587)),
        ("smtp", Some("tls=none")) if is_here => Ok((Security::None, 25)),
        ("smtp", Some("tls=none")) => Err(MailServerError::Plain),
        _ => Err(MailServerError::Url),
    }
}

fn credentials(url: &Url, config: &MailConfig) -> Result<Option<Credentials>, MailServerError> {
    match (url.username(), &config.password) {
        ("", None) => Ok(None),
        ("", Some(_)) | (_, None) => Err(MailServerError::Login),
        (user, Some(password)) => {
            let user = decoded(user).ok_or(MailServerError::Url)?;
            Ok(Some(Credentials::new(user, password.clone())))
        }
    }
}

/// A user name may be an address, whose `@` is `%40` in a URL.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let decoded = if byte == b'%' {
            let (high, low) = (rest.next()?, rest.next()?);
            let digits = [high, low];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        };
        bytes.push(decoded);
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, password: Option<&str>) -> Result<Option<MailServer>, MailServerError> {
        let from = Some("Onceover <onceover@example.org>".to_owned());
        MailServer::of(&MailConfig { url: Some(url.to_owned()), from, password: password.map(str::to_owned) })
    }

    #[test]
    fn a_server_has_a_host_and_secures_the_way_there() {
        let plain = of("smtp://127.0.0.1:2525?tls=none", None).unwrap().unwrap();
        assert_eq!((plain.host.as_str(), plain.port), ("127.0.0.1", 2525));
        assert!(matches!(plain.tls, Security::None) && plain.credentials.is_none());
        let local = of("smtp://[::1]?tls=none", None).unwrap().unwrap();
        assert_eq!((local.host.as_str(), local.port), ("::1", 25));
        assert!(MailServer::of(&MailConfig::default()).unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        use MailServerError as E;
        for (url, password, error) in [
            ("mail.example.org", None, E::Url),
            ("https://mail.example.org", None, E::Url),
            ("smtp://", None, E::Url),
            ("smtp://localhost:0?tls=none", None, E::Url),
            ("smtp://localhost/path?tls=none", None, E::Url),
            ("smtp://localhost?tls=opportunistic", None, E::Url),
            ("smtps://u:secret@mail.example.org", None, E::PasswordInUrl),
            ("smtp://u@localhost?tls=none", None, E::Login),
            ("smtp://localhost?tls=none", Some("secret"), E::Login),
            ("smtp://mail.example.org?tls=none", None, E::Plain),
            ("smtp://10.0.0.1?tls=none", None, E::Plain),
        ] {
            assert_eq!(of(url, password).map(|_| ()), Err(error), "{url}");
        }
        let from = |text: &str| MailConfig {
            url: Some("smtp://localhost?tls=none".to_owned()),
            from: Some(text.to_owned()),
            password: None,
        };
        assert!(MailServer::of(&from("nobody")).is_err());
        assert!(MailServer::of(&from("a@example.org\r\nBcc: b@example.org")).is_err());
        let half = MailConfig { url: None, ..from("a@example.org") };
        assert_eq!(MailServer::of(&half).map(|_| ()), Err(E::Incomplete));
        assert!(!format!("{:?}", MailConfig { password: Some("secret".to_owned()), ..half }).contains("secret"));
    }

    #[test]
    fn a_user_name_may_be_an_address() {
        let server = of("smtp://ana%40example.org@localhost?tls=none", Some("secret")).unwrap().unwrap();
        assert_eq!(server.credentials, Some(Credentials::new("ana@example.org".to_owned(), "secret".to_owned())));
        assert_eq!(decoded("a%4"), None);
        assert_eq!(decoded("a%0d"), None);
    }
}
