//! Writes the message of a mail. Its headers are made of parsed addresses and encoded text only, so that nothing in
//! a title or an address can add one.

use std::time::{Duration, SystemTime};

use domain::Timestamp;
use lettre::Address;
use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};

use crate::execution::events::MailText;

/// The last second of the year 9999, the last that a date can name.
const LAST_S: u64 = 253_402_300_799;

/// A mail to be sent.
#[derive(Debug, Clone)]
pub struct Mail {
    /// The event's id, which becomes the `Message-ID`.
    pub id: String,
    /// When the event happened.
    pub at: Timestamp,
    /// What it says.
    pub text: MailText,
}

/// The mail cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the mail cannot be written")]
pub struct MessageError;

/// A machine wrote it: no out-of-office answers, please (RFC 3834).
#[derive(Debug, Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }
    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }
    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// The message of `mail`.
pub(super) fn written(mail: &Mail, from: &Mailbox, to: &Address) -> Result<Message, MessageError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if mail.id.is_empty() || !mail.id.chars().all(is_plain) {
        return Err(MessageError);
    }
    let seconds = u64::try_from(mail.at.0 / 1000).unwrap_or(0).min(LAST_S);
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to.clone()))
        .subject(one_line(&mail.text.subject))
        .date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .message_id(Some(format!("<{}@{}>", mail.id, from.email.domain())))
        .header(AutoSubmitted)
        .header(ContentType::TEXT_PLAIN)
        .body(mail.text.text.clone())
        .map_err(|_| MessageError)
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(subject: &str, text: &str) -> Mail {
        let text = MailText { subject: subject.to_owned(), text: text.to_owned() };
        Mail { id: "msg_0199".to_owned(), at: Timestamp(1_796_032_800_123), text }
    }

    fn formatted(mail: &Mail) -> String {
        let from = "Onceover <onceover@example.org>".parse().unwrap();
        let to = "clerk@example.org".parse().unwrap();
        String::from_utf8(written(mail, &from, &to).unwrap().formatted()).unwrap()
    }

    #[test]
    fn every_attempt_writes_the_same_message() {
        let mail = mail("Notice issued: 2026-000017", "A notice was issued.\n");
        let text = formatted(&mail);
        assert_eq!(text, formatted(&mail));
        for line in [
            "From: Onceover <onceover@example.org>\r\n",
            "To: clerk@example.org\r\n",
            "Subject: Notice issued: 2026-000017\r\n",
            "Date: Mon, 30 Nov 2026 10:00:00 +0000\r\n",
            "Message-ID: <msg_0199@example.org>\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "\r\n\r\nA notice was issued.\r\n",
        ] {
            assert!(text.contains(line), "{line:?} in {text}");
        }
    }

    #[test]
    fn no_text_adds_a_header_or_ends_the_message() {
        let evil = "x\r\nBcc: spy@example.org\r\n\r\nbody\u{85}\u{2028}Bcc: spy@example.org";
        let text = formatted(&mail(evil, "a\r\n.\r\nRSET\r\n"));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(body.contains("RSET"));
        for id in ["", "a b", "a>\r\nBcc: x", "a@b"] {
            let mail = Mail { id: id.to_owned(), ..mail("s", "t") };
            let from = "onceover@example.org".parse().unwrap();
            assert!(written(&mail, &from, &"clerk@example.org".parse().unwrap()).is_err());
        }
    }
}
