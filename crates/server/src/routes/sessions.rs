//! Signing in, staying signed in, signing out (CONTRACT 2).

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use uuid::Uuid;
use wire::session::{RefreshRequest, SignInRequest};
use wire::{Code, Problem, SessionAnswer};

use crate::app::App;
use crate::command::Answer;
use crate::http::answer::{Refused, ok};
use crate::http::body;
use crate::http::client::Client;
use crate::http::signed::{Signed, claims, info};
use crate::keeping::SESSION_IDLE;
use crate::storage::rows::Rotate;
use crate::storage::{NewSession, Rotation, SessionRow};
use crate::token::Claims;
use crate::{metrics, password, token};

/// How long the same successor is given again for the same refresh token.
const GRACE: Duration = Duration::from_mins(1);
/// How long one failure too many waits for its answer.
const FAILURE_DELAY: Duration = Duration::from_secs(1);

/// `POST /v1/sessions`
pub async fn sign_in(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer, Refused> {
    const MEMBERS: [&str; 5] = ["tenant", "username", "password", "device_id", "device_name"];
    app.rates.sign_in(client.address)?;
    let asked: SignInRequest = body::plain(&headers, body, &MEMBERS).await?;
    let account_name = format!("{}/{}", asked.tenant, asked.username);
    let address = client.address.to_string();
    let is_suspect = app.throttle.wait_s(&account_name, &address, app.clock.now()).is_some();
    let account = app.storage.find_account(&asked.tenant, &asked.username).await?;
    let stored = account.as_ref().map(|account| account.password_hash.clone());
    let is_right = password::matches(asked.password, stored, is_suspect).await;
    let now = app.clock.now();
    let session = match account.filter(|account| is_right && !account.disabled) {
        None => None,
        Some(account) => {
            let (tenant, actor, session) = (account.tenant, account.actor, Uuid::now_v7());
            let claims = Claims { tenant, session, actor, number: 0 };
            let new = NewSession {
                tenant,
                actor,
                session,
                password_hash: account.password_hash,
                device_id: asked.device_id,
                device_name: asked.device_name,
                refresh_hash: token::hash(&token::refresh(&app.key, claims)),
                now,
            };
            app.storage.begin_session(new).await?
        }
    };
    let Some(session) = session else {
        return Err(failed(&app, &account_name, &address).await);
    };
    app.throttle.succeeded(&account_name);
    Ok(ok(201, &with_tokens(&app, &session, 0)))
}

/// The answer to a failed sign-in, the same whatever was wrong; one too many is told late, and to wait.
async fn failed(app: &App, account_name: &str, address: &str) -> Refused {
    let Some(seconds) = app.throttle.failed(account_name, address, app.clock.now()) else {
        let detail = "The organization, the user name or the password is not right.";
        metrics::sign_in_failed(Code::InvalidCredentials);
        return Problem::new(Code::InvalidCredentials, detail).into();
    };
    metrics::sign_in_failed(Code::RateLimited);
    metrics::throttled("sign_in");
    tokio::time::sleep(FAILURE_DELAY).await;
    let detail = "This sign-in failed, as too many did before it; wait a little and check what you entered.";
    let problem = Problem::new(Code::RateLimited, detail);
    Refused(Answer { retry_after_s: Some(seconds), ..Answer::problem(&problem) })
}

/// `POST /v1/sessions/refresh`
pub async fn refresh(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer, Refused> {
    app.rates.sign_in(client.address)?;
    let asked: RefreshRequest = body::plain(&headers, body, &["refresh_token", "device_id"]).await?;
    let Some(claims) = token::read_refresh(&app.key, &asked.refresh_token) else {
        return Err(Problem::new(Code::Unauthenticated, "This is not a refresh token of this server.").into());
    };
    let successor = Claims { number: claims.number.saturating_add(1), ..claims };
    let rotate = Rotate {
        tenant: claims.tenant,
        session: claims.session,
        count: claims.number,
        given_hash: token::hash(&asked.refresh_token),
        successor_hash: token::hash(&token::refresh(&app.key, successor)),
        device_id: asked.device_id,
        grace_ms: millis(GRACE),
        idle_ms: millis(SESSION_IDLE),
        now: app.clock.now(),
    };
    match app.storage.rotate(rotate).await? {
        Rotation::Rotated(session) => Ok(ok(200, &with_tokens(&app, &session, successor.number))),
        Rotation::Ended => {
            app.wakes.session_ended();
            metrics::sign_in_failed(Code::SessionRevoked);
            Err(Problem::new(Code::SessionRevoked, "The session was ended; sign in again.").into())
        }
    }
}

/// `GET /v1/session`
pub async fn who_am_i(Signed(session): Signed) -> Answer {
    ok(200, &info(&session))
}

/// `DELETE /v1/sessions/current`: also with a token that has expired, or whose session has ended already.
pub async fn sign_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<(StatusCode, [(http::HeaderName, &'static str); 1]), Refused> {
    let claims = claims(&app, &headers)?;
    app.storage.end_session(claims.tenant, claims.session, app.clock.now()).await?;
    app.wakes.session_ended();
    Ok((StatusCode::NO_CONTENT, [(http::header::CACHE_CONTROL, "no-store")]))
}

fn with_tokens(app: &App, session: &SessionRow, refresh_count: i64) -> SessionAnswer {
    let (tenant, id, actor) = (session.tenant.id, session.session, session.actor);
    let claims = |number| Claims { tenant, session: id, actor, number };
    let lifetime = app.config.access_token_lifetime();
    let expires_at = app.clock.now().plus_ms(millis(lifetime));
    SessionAnswer {
        info: info(session),
        access_token: token::access(&app.key, claims(expires_at.0)),
        access_expires_in_s: lifetime.as_secs(),
        refresh_token: token::refresh(&app.key, claims(refresh_count)),
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
