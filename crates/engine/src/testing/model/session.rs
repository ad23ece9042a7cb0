//! Sessions of the model: plain counters for tokens.

use domain::{ActorId, Operation, TenantId, Timestamp};
use secrecy::ExposeSecret;
use wire::session::{RefreshRequest, SignInRequest};
use wire::{ActorInfo, Code, Problem, SessionAnswer, SessionInfo, TenantInfo};

use super::fault::{of_json, of_problem};
use super::{ModelServer, State};
use crate::ports::{Answer, Request};
use crate::testing::build::TENANT;

const ACCESS_S: u64 = 600;

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) actor: ActorId,
    pub(super) version: u32,
    expires_at: Timestamp,
    successor: Option<String>,
}

/// The organization as the server names it.
pub fn tenant() -> TenantInfo {
    TenantInfo { id: TenantId(TENANT.0), slug: "harbour".to_owned(), name: "Harbour".to_owned() }
}

impl State {
    /// Whose request it is, or the 401.
    pub(super) fn authenticate(&self, request: &Request, now: Timestamp) -> Result<(ActorId, u32), Box<Answer>> {
        let refuse = |code| Err(Box::new(of_problem(&Problem::new(code, "who are you"))));
        let token = request.access.as_ref().and_then(|token| self.access.get(token.expose_secret()));
        let Some(token) = token else { return refuse(Code::Unauthenticated) };
        if self.actors.get(&token.actor).is_none_or(|actor| actor.version != token.version) {
            return refuse(Code::SessionRevoked);
        }
        if token.expires_at <= now {
            return refuse(Code::TokenExpired);
        }
        Ok((token.actor, token.version))
    }

    pub(super) fn info(&self, id: ActorId) -> SessionInfo {
        let actor = &self.actors[&id];
        SessionInfo {
            session_id: "session".to_owned(),
            session_version: actor.version,
            tenant: tenant(),
            actor: ActorInfo {
                id,
                username: actor.username.clone(),
                display_name: actor.username.clone(),
                role: actor.role,
                rights: Operation::rights_of(actor.role).iter().map(|right| right.name().to_owned()).collect(),
            },
        }
    }

    fn issue(&mut self, actor: ActorId, now: Timestamp) -> SessionAnswer {
        self.tokens += 1;
        let (access, refresh) = (format!("access-{}", self.tokens), format!("refresh-{}", self.tokens));
        let expires_at = now.plus_ms(i64::try_from(ACCESS_S).unwrap() * 1_000);
        let token = Token { actor, version: self.actors[&actor].version, expires_at, successor: None };
        self.access.insert(access.clone(), token.clone());
        self.refresh.insert(refresh.clone(), token);
        SessionAnswer {
            info: self.info(actor),
            access_token: access,
            access_expires_in_s: ACCESS_S,
            refresh_token: refresh,
        }
    }

    pub(super) fn sign_in(&mut self, body: &[u8], now: Timestamp) -> Answer {
        let Ok(request) = serde_json::from_slice::<SignInRequest>(body) else {
            return of_problem(&Problem::new(Code::MalformedRequest, ""));
        };
        let known = self.actors.iter().find(|(_, actor)| actor.username == request.username).map(|(id, _)| *id);
        match known.filter(|_| request.password == "right") {
            Some(actor) => of_json(201, &self.issue(actor, now)),
            None => of_problem(&Problem::new(Code::InvalidCredentials, "")),
        }
    }

    /// Rotates; the same token again gives the same successor.
    pub(super) fn rotate(&mut self, body: &[u8], now: Timestamp) -> Answer {
        let Ok(request) = serde_json::from_slice::<RefreshRequest>(body) else {
            return of_problem(&Problem::new(Code::MalformedRequest, ""));
        };
        let Some(token) = self.refresh.get(&request.refresh_token).cloned() else {
            return of_problem(&Problem::new(Code::Unauthenticated, ""));
        };
        if self.actors[&token.actor].version != token.version {
            return of_problem(&Problem::new(Code::SessionRevoked, ""));
        }
        let next = token.successor.clone().unwrap_or_else(|| {
            let answer = self.issue(token.actor, now);
            serde_json::to_string(&answer).unwrap()
        });
        if let Some(token) = self.refresh.get_mut(&request.refresh_token) {
            token.successor = Some(next.clone());
        }
        of_json(200, &serde_json::from_str::<serde_json::Value>(&next).unwrap())
    }
}

impl ModelServer {
    /// A session of an actor, as signing in gives it.
    pub fn session_of(&self, actor: ActorId) -> SessionAnswer {
        use crate::ports::Clock;
        let now = self.clock.now();
        self.lock().issue(actor, now)
    }

    /// Ends all sessions of an actor.
    pub fn revoke(&self, actor: ActorId) {
        self.lock().actors.get_mut(&actor).unwrap().version += 1;
    }

    /// Every access token is at its end now.
    pub fn expire_access(&self) {
        for token in self.lock().access.values_mut() {
            token.expires_at = Timestamp(0);
        }
    }

    /// How many pairs of tokens were issued.
    pub fn tokens_issued(&self) -> u32 {
        self.lock().tokens
    }
}
