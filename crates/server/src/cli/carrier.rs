//! What carries events out, as `serve` is set up for it.

use std::sync::Arc;

use crate::cli::Failure;
use crate::clock::Clock;
use crate::config::Config;
use crate::key_file::ServerKey;
use crate::storage::Storage;
use crate::webhooks::carry::Carrier;
use crate::webhooks::mail::{MailConfig, MailServer};
use crate::webhooks::post::Poster;

/// The carrier of this process.
pub(super) fn of(storage: Arc<dyn Storage>, key: ServerKey, config: &Config) -> Result<Carrier, Failure> {
    let mail = MailConfig {
        url: config.smtp_url.0.clone(),
        from: config.smtp_from.0.clone(),
        password: config.smtp_password.0.clone(),
    };
    let mail = MailServer::of(&mail).map_err(|error| Failure::Usage(error.to_string()))?;
    let poster = Poster::new().map_err(|error| Failure::Unavailable(format!("cannot deliver webhooks: {error}")))?;
    Ok(Carrier::new(storage, key, Clock::system(), poster, mail).draining(config.drain_s.seconds()))
}
