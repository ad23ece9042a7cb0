//! How one attempt ended: what the schedule needs, and what the operator may want to read.

use crate::webhooks::schedule::Ended;

const NOTE_CHARS_MAX: usize = 200;

/// Why an attempt ended without success. Stored and shown by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The receiver answered with another status than 2xx.
    Status,
    /// It answered with a redirect, which is never followed.
    Redirect,
    /// It answered 410: it wants nothing any more.
    Gone,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Unreachable,
    /// The host's name has no address.
    NoAddress,
    /// All its addresses are outside the public internet.
    PrivateAddress,
    /// The stored secret does not open: the server key is another one.
    Secret,
    /// The stored target cannot be read.
    Target,
    /// The mail server does not take this message, and never will.
    MailRefused,
    /// The mail server does not take it now.
    MailDeferred,
    /// The mail server does not let this server in.
    MailLogin,
}

impl Failure {
    /// Its name in the database and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Redirect => "redirect",
            Self::Gone => "gone",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::NoAddress => "no-address",
            Self::PrivateAddress => "private-address",
            Self::Secret => "secret",
            Self::Target => "target",
            Self::MailRefused => "mail-refused",
            Self::MailDeferred => "mail-deferred",
            Self::MailLogin => "mail-login",
        }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// For the schedule.
    pub ended: Ended,
    /// Why not with success.
    pub failure: Option<Failure>,
    /// What the receiver answered.
    pub status: Option<u16>,
    /// The beginning of what it said besides.
    pub note: Option<String>,
}

impl Outcome {
    /// It went well.
    pub fn delivered(status: u16) -> Self {
        Self { ended: Ended::Delivered, failure: None, status: Some(status), note: None }
    }

    /// It did not, and may later.
    pub fn failed(failure: Failure) -> Self {
        Self { ended: Ended::Failed { pause_ms: None }, failure: Some(failure), status: None, note: None }
    }
}

/// The beginning of what a receiver said, on one line and safe to print on a terminal.
pub fn note(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line: String = words.join(" ").chars().filter(|c| !is_hidden(*c)).take(NOTE_CHARS_MAX).collect();
    (!line.is_empty()).then_some(line)
}

/// Characters that show nothing, or turn the direction of what follows.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_short_printable_line() {
        assert_eq!(note(""), None);
        assert_eq!(note("\r\n \t"), None);
        assert_eq!(note("no\r\nsuch\u{1b}[31m \u{202e}hook"), Some("no such [31m hook".to_owned()));
        assert_eq!(note(&"é".repeat(5000)), Some("é".repeat(NOTE_CHARS_MAX)));
    }
}
