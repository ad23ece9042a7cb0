//! One attempt by mail: one connection, one message, no retry of the library's own.
//!
//! The message is the same at every attempt, `Message-ID` and date included, so that a mailbox that got it twice, the
//! first answer having been lost, can show it once.

mod message;
mod server;

use std::error::Error as _;
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;

pub use message::{Mail, MessageError};
pub use server::{MailConfig, MailServer, MailServerError};

use crate::webhooks::mail::server::Security;
use crate::webhooks::outcome::{Failure, Outcome, note};
use crate::webhooks::schedule::Ended;

/// From connecting to the answer to the message.
const TOTAL: Duration = Duration::from_secs(30);
/// For each answer before the message.
const ANSWER: Duration = Duration::from_secs(10);
/// For the good-bye, after which nothing depends on it any more.
const QUIT: Duration = Duration::from_secs(2);
/// The answer of a server that wants a login before it hears of a message.
const LOGIN_REQUIRED: u16 = 530;

/// Hands `mail` for `to` over to `server`.
pub async fn send(server: &MailServer, to: &Address, mail: &Mail) -> Outcome {
    let Ok(message) = message::written(mail, &server.from, to) else { return Outcome::failed(Failure::Target) };
    let attempt = async {
        let mut connection = match connect(server).await {
            Ok(connection) => connection,
            Err(outcome) => return outcome,
        };
        let sent = connection.send(message.envelope(), &message.formatted()).await;
        // Whatever comes after the answer to the message changes nothing about it.
        tokio::spawn(async move {
            let _ = tokio::time::timeout(QUIT, connection.abort()).await;
        });
        match sent {
            Ok(response) => Outcome::delivered(response.code().into()),
            Err(error) => outcome_of(&error),
        }
    };
    tokio::time::timeout(TOTAL, attempt).await.unwrap_or_else(|_| Outcome::failed(Failure::Timeout))
}

/// A connection that takes messages.
async fn connect(server: &MailServer) -> Result<AsyncSmtpConnection, Outcome> {
    let at = (server.host.as_str(), server.port);
    let wrapper = match &server.tls {
        Security::Immediate(parameters) => Some(parameters.clone()),
        Security::Upgraded(_) | Security::None => None,
    };
    let connected = AsyncSmtpConnection::connect_tokio1(at, Some(ANSWER), &server.hello, wrapper, None);
    let mut connection = connected.await.map_err(|error| before_message(&error))?;
    if let Security::Upgraded(parameters) = &server.tls {
        let secured = connection.starttls(parameters.clone(), &server.hello).await;
        secured.map_err(|error| before_message(&error))?;
    }
    if let Some(credentials) = &server.credentials {
        let mechanisms = lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
        let let_in = connection.auth(mechanisms, credentials).await;
        let_in.map_err(|error| before_message(&error))?;
    }
    Ok(connection)
}

/// What an error means before the server has heard of the message: no refusal of it, whatever the number.
fn before_message(error: &Error) -> Outcome {
    let outcome = outcome_of(error);
    if outcome.ended == Ended::Refused || error.is_client() {
        Outcome { ended: Ended::Failed { pause_ms: None }, failure: Some(Failure::MailLogin), ..outcome }
    } else {
        outcome
    }
}

fn outcome_of(error: &Error) -> Outcome {
    let status = error.status().map(u16::from);
    let (ended, failure) = match status {
        Some(LOGIN_REQUIRED) => (Ended::Failed { pause_ms: None }, Failure::MailLogin),
        Some(_) if error.is_permanent() => (Ended::Refused, Failure::MailRefused),
        Some(_) => (Ended::Failed { pause_ms: None }, Failure::MailDeferred),
        None if error.is_timeout() => (Ended::Failed { pause_ms: None }, Failure::Timeout),
        None => (Ended::Failed { pause_ms: None }, Failure::Unreachable),
    };
    let said = status.and_then(|_| error.source()).and_then(|said| note(&said.to_string()));
    Outcome { ended, failure: Some(failure), status, note: said }
}
