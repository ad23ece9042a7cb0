//! Single attempts at real receivers: what is sent, and what each answer is taken for.

use domain::Timestamp;
use onceover_server::execution::events::MailText;
use onceover_server::webhooks::mail::{self, Mail, MailConfig, MailServer};
use onceover_server::webhooks::outcome::{Failure, Outcome};
use onceover_server::webhooks::post::{Post, Poster};
use onceover_server::webhooks::schedule::Ended;
use onceover_server::webhooks::secret::Secret;
use tokio::net::TcpListener;

use crate::support::mailbox::{Mailbox, Takes};
use crate::support::sink::{Does, SECRET, Sink};

fn a_post(url: &str, allow_private: bool) -> Post {
    Post {
        url: url.parse().unwrap(),
        allow_private,
        id: "msg_1".to_owned(),
        body: r#"{"type":"case.created"}"#.to_owned(),
        secrets: vec![Secret::read(SECRET).unwrap()],
        at: Timestamp(1_796_032_800_999),
    }
}

async fn post(sink: &Sink) -> Outcome {
    Poster::default().post(a_post(&sink.url(), true)).await
}

#[tokio::test]
async fn a_post_has_the_headers_of_the_standard() {
    let sink = Sink::start(&[]).await;
    assert_eq!(post(&sink).await, Outcome::delivered(204));
    let hook = sink.hooks(1).await.remove(0);
    assert!(hook.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", hook.head);
    assert_eq!((hook.id(), hook.header("webhook-timestamp")), ("msg_1", "1796032800"));
    assert_eq!((hook.header("content-type"), hook.body.as_str()), ("application/json", r#"{"type":"case.created"}"#));
    hook.assert_signed();
}

#[tokio::test]
async fn every_answer_but_2xx_is_a_failure() {
    use Does::{Answer, With};
    let failed = |pause_ms| Ended::Failed { pause_ms };
    for (does, ended, failure) in [
        (Answer(200), Ended::Delivered, None),
        (Answer(299), Ended::Delivered, None),
        (Answer(304), failed(None), Some(Failure::Redirect)),
        (Answer(400), failed(None), Some(Failure::Status)),
        (Answer(401), failed(None), Some(Failure::Status)),
        (Answer(410), Ended::Gone, Some(Failure::Gone)),
        (Answer(500), failed(None), Some(Failure::Status)),
        (With(429, "retry-after: 60"), failed(Some(60_000)), Some(Failure::Status)),
        (With(503, "retry-after: 1"), failed(Some(1000)), Some(Failure::Status)),
        (With(500, "retry-after: 60"), failed(None), Some(Failure::Status)),
    ] {
        let sink = Sink::start(&[does]).await;
        let outcome = post(&sink).await;
        assert_eq!((outcome.ended, outcome.failure), (ended, failure), "{does:?}");
        assert_eq!(outcome.note.as_deref(), failure.filter(|_| does != Answer(304)).map(|_| "nope"), "{does:?}");
        assert_eq!(sink.seen().len(), 1, "one attempt is one request");
    }
}

/// A receiver that was taken over sends nobody elsewhere.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Sink::start(&[]).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}", elsewhere.url());
        let sink = Sink::start(&[Does::With(status, location.leak())]).await;
        let outcome = post(&sink).await;
        assert_eq!((outcome.failure, outcome.status), (Some(Failure::Redirect), Some(status)));
    }
    assert_eq!(elsewhere.seen(), []);
}

/// What a name resolves to is checked, and so is an address in the URL; nothing connects before that.
#[tokio::test]
async fn addresses_beside_the_server_are_refused_after_resolution() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let poster = Poster::default();
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433"] {
        let outcome = poster.post(a_post(&format!("https://{host}:{port}/"), false)).await;
        assert_eq!(outcome, Outcome::failed(Failure::PrivateAddress), "{host}");
    }
    let outcome = poster.post(a_post("https://nowhere.invalid/", false)).await;
    assert_eq!(outcome, Outcome::failed(Failure::NoAddress));
    let plain = poster.post(a_post(&format!("http://1.1.1.1:{port}/"), false)).await;
    assert_eq!(plain, Outcome::failed(Failure::Unreachable), "never in clear to the internet");
    let connected = tokio::time::timeout(std::time::Duration::ZERO, listener.accept()).await;
    assert!(connected.is_err(), "somebody connected");
}

#[tokio::test]
async fn nobody_listening_and_a_cut_connection_are_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let cut = tokio::spawn(async move { drop(listener.accept().await.unwrap()) });
    let poster = Poster::default();
    assert_eq!(poster.post(a_post(&url, true)).await, Outcome::failed(Failure::Unreachable));
    cut.await.unwrap();
    assert_eq!(poster.post(a_post(&url, true)).await, Outcome::failed(Failure::Unreachable));
}

async fn mail_to(config: &MailConfig) -> Outcome {
    let text = MailText { subject: "Notice issued".to_owned(), text: "A notice.\n.\nÄnde\n".to_owned() };
    let mail = Mail { id: "msg_1".to_owned(), at: Timestamp(1_796_032_800_999), text };
    let server = MailServer::of(config).unwrap().unwrap();
    mail::send(&server, &"clerk@example.org".parse().unwrap(), &mail).await
}

#[tokio::test]
async fn mail_is_handed_over_with_one_message_id() {
    let mailbox = Mailbox::start(&[Takes::Yes, Takes::CutAfterwards, Takes::Cut, Takes::Yes]).await;
    let config = mailbox.config();
    assert_eq!(mail_to(&config).await, Outcome::delivered(250));
    assert_eq!(mail_to(&config).await, Outcome::delivered(250), "what follows the answer changes nothing");
    assert_eq!(mail_to(&config).await, Outcome::failed(Failure::Unreachable), "nobody said that it was taken");
    assert_eq!(mail_to(&config).await, Outcome::delivered(250));
    let messages = mailbox.messages(4).await;
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    let message = &messages[0];
    assert!(message.from.starts_with("<onceover@example.org>"), "{}", message.from);
    assert_eq!(message.to, "<clerk@example.org>");
    assert!(message.text.contains("Message-ID: <msg_1@example.org>\r\n"), "{}", message.text);
    assert!(message.text.contains("\r\n.\r\n"), "a line of one dot arrives as it was: {}", message.text);
}

#[tokio::test]
async fn a_refused_mailbox_is_final_and_a_busy_server_is_not() {
    let mailbox = Mailbox::start(&[Takes::NoSuchMailbox, Takes::Later]).await;
    let refused = mail_to(&mailbox.config()).await;
    assert_eq!((refused.ended, refused.failure), (Ended::Refused, Some(Failure::MailRefused)));
    assert_eq!((refused.status, refused.note.as_deref()), (Some(550), Some("no such mailbox")));
    let later = mail_to(&mailbox.config()).await;
    assert_eq!((later.ended, later.failure), (Ended::Failed { pause_ms: None }, Some(Failure::MailDeferred)));
    // No STARTTLS and no login here: a matter of settings, which the next attempt may find mended.
    let secured = MailConfig { url: Some(mailbox.url().replace("?tls=none", "")), ..mailbox.config() };
    assert_eq!(mail_to(&secured).await.failure, Some(Failure::MailLogin));
    let login = MailConfig {
        url: Some(mailbox.url().replace("smtp://", "smtp://ana@")),
        password: Some("secret".to_owned()),
        ..mailbox.config()
    };
    let outcome = mail_to(&login).await;
    assert_eq!((outcome.ended, outcome.failure), (Ended::Failed { pause_ms: None }, Some(Failure::MailLogin)));
}
