//! What carries events out, as `serve` is set up for it.

use std::sync::Arc;
use std::time::Duration;

use crate::cli::Failure;
use crate::clock::Clock;
use crate::config::Config;
use crate::key_file::ServerKey;
use crate::storage::Storage;
use crate::webhooks::carry::Carrier;
use crate::webhooks::mail::{MailConfig, MailServer};

/// The mail server that `config` names, if any.
pub(super) fn mail_server(config: &Config) -> Result<Option<MailServer>, Failure> {
    let mail = MailConfig {
        url: config.smtp_url.0.clone(),
        from: config.smtp_from.0.clone(),
        password: config.smtp_password.0.clone(),
    };
    MailServer::of(&mail).map_err(|error| Failure::Data(error.to_string()))
}

/// The carrier of this process.
pub(super) fn of(storage: Arc<dyn Storage>, key: ServerKey, mail: Option<MailServer>, drain: Duration) -> Carrier {
    Carrier::new(storage, key, Clock::system(), mail).draining(drain)
}
