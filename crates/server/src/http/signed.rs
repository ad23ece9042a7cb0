//! Who is signed in. That comes before anything else that is said about a request.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use domain::{ActorId, Operation, TenantId};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use uuid::Uuid;
use wire::{ActorInfo, Code, Problem, SessionInfo};

use crate::app::App;
use crate::http::answer::Refused;
use crate::storage::{Asker, SessionRow};
use crate::token::{self, Claims};

/// The valid session of a request, with its actor as of now.
#[derive(Debug)]
pub struct Signed(pub SessionRow);

/// Whom the access token of a request names. Whether the session still stands is not looked up: what is executed checks
/// that in its own transaction, and [`Named::stands`] is asked before anything else is said.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: Uuid,
    /// Whose session that is.
    pub actor: ActorId,
}

impl FromRequestParts<Arc<App>> for Signed {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refused> {
        let named = Named::from_request_parts(parts, app).await?;
        named.stands(app).await.map(Self)
    }
}

impl FromRequestParts<Arc<App>> for Named {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refused> {
        let Claims { tenant, session, actor, number } = claims(app, &parts.headers)?;
        if number <= app.clock.now().0 {
            return Err(Problem::new(Code::TokenExpired, "The access token has expired; refresh it.").into());
        }
        app.rates.session(session)?;
        Ok(Self { tenant, session, actor })
    }
}

impl Named {
    /// The session, if it still stands.
    ///
    /// # Errors
    /// 401: it was ended.
    pub async fn stands(self, app: &App) -> Result<SessionRow, Refused> {
        let session = app.storage.session(self.tenant, self.session).await?;
        session
            .filter(|session| session.is_valid)
            .ok_or_else(|| Problem::new(Code::SessionRevoked, "The session was ended; sign in again.").into())
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
    /// Whom the request's token names.
    pub fn named(&self) -> Named {
        Named { tenant: self.0.tenant.id, session: self.0.session, actor: self.0.actor }
    }

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
