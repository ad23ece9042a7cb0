//! Who is signed in. It is looked up before anything else of a request is looked at.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use domain::Operation;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use wire::{ActorInfo, Code, Problem, SessionInfo};

use crate::app::App;
use crate::http::answer::Refused;
use crate::storage::{Asker, SessionRow};
use crate::token::{self, Claims};

/// The valid session of a request, with its actor as of now.
#[derive(Debug)]
pub struct Signed(pub SessionRow);

impl FromRequestParts<Arc<App>> for Signed {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refused> {
        let claims = claims(app, &parts.headers)?;
        if claims.number <= app.clock.now().0 {
            return Err(Problem::new(Code::TokenExpired, "The access token has expired; refresh it.").into());
        }
        app.rates.session(claims.session)?;
        let session = app.storage.session(claims.tenant, claims.session).await?;
        match session.filter(|session| session.is_valid) {
            Some(session) => Ok(Self(session)),
            None => Err(Problem::new(Code::SessionRevoked, "The session was ended; sign in again.").into()),
        }
    }
}

/// The claims of a request's access token, which may have expired.
pub fn claims(app: &App, headers: &HeaderMap) -> Result<Claims, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let header = values.next().and_then(|value| value.to_str().ok());
    if values.next().is_some() {
        // Whatever stands before this server may have looked at the other one.
        return Err(Problem::new(Code::Unauthenticated, "The Authorization header is there twice."));
    }
    let token =
        header.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token
        .and_then(|(_, token)| token::read_access(&app.key, token.trim()))
        .ok_or_else(|| Problem::new(Code::Unauthenticated, "This needs an access token of this server."))
}

impl Signed {
    /// This actor as somebody who asks about operations.
    pub fn asker(&self) -> Asker {
        let sees_all = self.0.role >= domain::Role::Supervisor;
        Asker { tenant: self.0.tenant.id, actor: self.0.actor, sees_all }
    }
}

/// Who a session is, with current rights.
pub fn info(session: &SessionRow) -> SessionInfo {
    SessionInfo {
        session_id: session.session.to_string(),
        session_version: session.session_version,
        tenant: session.tenant.clone(),
        actor: ActorInfo {
            id: session.actor,
            username: session.username.clone(),
            display_name: session.display_name.clone(),
            role: session.role,
            rights: Operation::rights_of(session.role).into_iter().map(|right| right.name().to_owned()).collect(),
        },
    }
}
