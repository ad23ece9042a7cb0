//! One attempt to deliver, whichever way, and what is told of it.

use domain::TenantId;

use crate::clock::Clock;
use crate::execution::events::MailText;
use crate::key_file::ServerKey;
use crate::storage::webhook::{Claimed, EndpointId, Settled};
use crate::webhooks::mail::{self, Mail, MailServer};
use crate::webhooks::outcome::{Failure, Outcome};
use crate::webhooks::post::{Post, Poster};
use crate::webhooks::schedule::{self, Next};
use crate::webhooks::secret::Secret;
use crate::webhooks::target::{Target, TargetError};
use crate::{metrics, sealed};

/// The ways out of the server.
pub(super) struct Sinks {
    pub(super) key: ServerKey,
    pub(super) clock: Clock,
    pub(super) poster: Poster,
    pub(super) mail: Option<MailServer>,
}

/// What the secret of an endpoint is sealed for.
pub fn secret_place(tenant: TenantId, endpoint: EndpointId) -> String {
    format!("webhook/{tenant}/{endpoint}")
}

impl Sinks {
    /// Makes one attempt, and says what becomes of the delivery.
    pub(super) async fn attempt(&self, claimed: Claimed) -> Settled {
        let outcome = self.send(&claimed).await.unwrap_or_else(Outcome::failed);
        let at = self.clock.now();
        let chance = getrandom::u32().unwrap_or_default();
        Settled {
            tenant: claimed.tenant,
            webhook_id: claimed.webhook_id,
            endpoint: claimed.endpoint,
            lease_token: claimed.lease_token,
            next: schedule::next(outcome.ended, claimed.attempt, at, claimed.give_up_at, chance),
            at,
            failure: outcome.failure.map(Failure::name),
            status: outcome.status,
            note: outcome.note,
        }
    }

    async fn send(&self, claimed: &Claimed) -> Result<Outcome, Failure> {
        match Target::read(&claimed.url, claimed.allow_private).map_err(unusable)? {
            Target::Http(url) => {
                let post = Post {
                    url,
                    allow_private: claimed.allow_private,
                    id: claimed.webhook_id.clone(),
                    body: claimed.body.clone(),
                    secrets: self.secrets(claimed).ok_or(Failure::Secret)?,
                    at: self.clock.now(),
                };
                Ok(self.poster.post(post).await)
            }
            Target::Mail(to) => {
                let text: MailText = serde_json::from_str(&claimed.body).map_err(|_| Failure::Target)?;
                let mail = Mail { id: claimed.webhook_id.clone(), at: claimed.created_at, text };
                let server = self.mail.as_ref().ok_or(Failure::MailDeferred)?;
                Ok(mail::send(server, &to, &mail).await)
            }
        }
    }

    /// The endpoint's secret, and the one before it if that still signs.
    fn secrets(&self, claimed: &Claimed) -> Option<Vec<Secret>> {
        let place = secret_place(claimed.tenant, claimed.endpoint);
        let open = |sealed: &[u8]| Secret::of(sealed::open(&self.key, &place, sealed)?);
        let mut secrets = vec![open(claimed.secret.as_deref()?)?];
        secrets.extend(claimed.former_secret.as_deref().and_then(open));
        Some(secrets)
    }
}

/// What was taken once is taken again, unless it was stored by something else or what counts as public has changed.
fn unusable(error: TargetError) -> Failure {
    if error == TargetError::Private { Failure::PrivateAddress } else { Failure::Target }
}

/// Tells the log and the metrics how an attempt ended. The URL is not told: it may hold what only the receiver may know.
pub(super) fn report(settled: &Settled) {
    let (webhook_id, endpoint) = (settled.webhook_id.as_str(), settled.endpoint);
    let (failure, status) = (settled.failure, settled.status);
    let result = match settled.next {
        Next::Delivered => "delivered",
        Next::Retry(due_at) => {
            tracing::info!(webhook_id, %endpoint, failure, status, %due_at, "a delivery failed and is tried again");
            "failed"
        }
        Next::Dead => {
            tracing::error!(webhook_id, %endpoint, failure, status, "a delivery was given up");
            "dead"
        }
        Next::Gone => {
            tracing::error!(webhook_id, %endpoint, "an endpoint answered 410 Gone and was disabled");
            "dead"
        }
    };
    metrics::delivery_attempt(result);
}
