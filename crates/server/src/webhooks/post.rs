//! One attempt over HTTP: one POST, no redirect followed, no retry of the library's own, and a bound on everything.

use std::sync::OnceLock;
use std::time::Duration;

use domain::Timestamp;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Response, StatusCode};
use url::Url;

use crate::webhooks::address::is_public;
use crate::webhooks::outcome::{Failure, Outcome, note};
use crate::webhooks::resolve::{self, Resolver};
use crate::webhooks::schedule::Ended;
use crate::webhooks::secret::{Secret, seconds};
use crate::webhooks::target::literal;

/// From resolving the name to the answer's status.
const TOTAL: Duration = Duration::from_secs(20);
const CONNECT: Duration = Duration::from_secs(10);
/// How much of a failure's body is read, and for how long.
const BODY_BYTES_MAX: usize = 1024;
const BODY: Duration = Duration::from_secs(2);

/// Posts deliveries. A client is made when it is first needed: it reads every certificate that the machine trusts.
#[derive(Debug, Default)]
pub struct Poster {
    public: OnceLock<Option<Client>>,
    any: OnceLock<Option<Client>>,
}

/// What one attempt sends. The id and the body are the same at every attempt.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "plain")]
pub struct Post {
    pub url: Url,
    pub allow_private: bool,
    pub id: String,
    pub body: String,
    /// Each signs: the endpoint's own, and for a while the one before it.
    pub secrets: Vec<Secret>,
    pub at: Timestamp,
}

impl Poster {
    /// Makes one attempt.
    pub async fn post(&self, post: Post) -> Outcome {
        // The client resolves no literal address, so this is where one is checked.
        if !post.allow_private && literal(&post.url).is_some_and(|address| !is_public(address)) {
            return Outcome::failed(Failure::PrivateAddress);
        }
        let Some(client) = self.client(post.allow_private) else { return Outcome::failed(Failure::Unreachable) };
        let signatures = post.secrets.iter().map(|secret| secret.sign(&post.id, post.at, post.body.as_bytes()));
        let signature = signatures.collect::<Vec<_>>().join(" ");
        let request = client
            .post(post.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", post.id)
            .header("webhook-timestamp", seconds(post.at))
            .header("webhook-signature", signature)
            .body(post.body);
        match request.send().await {
            Ok(response) => answered(response).await,
            Err(error) if error.is_timeout() => Outcome::failed(Failure::Timeout),
            Err(error) => Outcome::failed(resolve::failure_of(&error).unwrap_or(Failure::Unreachable)),
        }
    }

    fn client(&self, allow_private: bool) -> Option<&Client> {
        let client = if allow_private { &self.any } else { &self.public };
        client.get_or_init(|| build(allow_private)).as_ref()
    }
}

/// A client. On a machine without certificates to trust, it delivers nothing over https.
fn build(allow_private: bool) -> Option<Client> {
    // Fails only if the process has a provider already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = builder(allow_private).build().or_else(|error| {
        tracing::error!(%error, "no webhook can be delivered over https");
        builder(allow_private).tls_certs_only(std::iter::empty()).build()
    });
    built.inspect_err(|error| tracing::error!(%error, "no webhook can be delivered")).ok()
}

fn builder(allow_private: bool) -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("Onceover/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // A proxy would resolve the name itself, and nobody would have checked what it finds.
        .no_proxy()
        .https_only(!allow_private)
        .http1_only()
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT)
        .timeout(TOTAL)
        .dns_resolver(Resolver { allow_private })
}

async fn answered(response: Response) -> Outcome {
    let status = response.status();
    if status.is_success() {
        return Outcome::delivered(status.as_u16());
    }
    let failure = match status {
        StatusCode::GONE => Failure::Gone,
        status if status.is_redirection() => Failure::Redirect,
        _ => Failure::Status,
    };
    let ended = if status == StatusCode::GONE {
        Ended::Gone
    } else {
        let may_ask = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        Ended::Failed { pause_ms: may_ask.then(|| asked_pause_ms(&response)).flatten() }
    };
    let said = tokio::time::timeout(BODY, beginning(response)).await.unwrap_or_default();
    Outcome { ended, failure: Some(failure), status: Some(status.as_u16()), note: note(&said) }
}

/// `Retry-After`, in seconds or as a date by the receiver's own `Date`.
fn asked_pause_ms(response: &Response) -> Option<i64> {
    let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    pause_ms(text(RETRY_AFTER.as_str())?, text("date"))
}

fn pause_ms(asked: &str, date: Option<&str>) -> Option<i64> {
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(asked.parse::<i64>().unwrap_or(i64::MAX).saturating_mul(1000));
    }
    let moment = |text| jiff::fmt::rfc2822::parse(text).ok().map(|moment| moment.timestamp().as_millisecond());
    Some(moment(asked)? - moment(date?)?)
}

/// The first bytes of the body, as far as they are text.
async fn beginning(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < BODY_BYTES_MAX
        && let Ok(Some(chunk)) = response.chunk().await
    {
        bytes.extend_from_slice(&chunk[..chunk.len().min(BODY_BYTES_MAX - bytes.len())]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_asked_for_in_seconds_or_by_date() {
        let date = Some("Mon, 30 Nov 2026 10:00:00 GMT");
        assert_eq!(pause_ms("120", None), Some(120_000));
        assert_eq!(pause_ms("99999999999999999999", None), Some(i64::MAX));
        assert_eq!(pause_ms("Mon, 30 Nov 2026 10:01:00 GMT", date), Some(60_000));
        assert_eq!(pause_ms("Mon, 30 Nov 2026 10:01:00 GMT", None), None);
        assert_eq!(pause_ms("-1", date), None);
        assert_eq!(pause_ms("soon", date), None);
        assert_eq!(pause_ms("", date), None);
    }
}
