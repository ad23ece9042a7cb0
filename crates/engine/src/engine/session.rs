//! The session: access tokens, one refresh at a time, sign-in, revocation (R22–R24).

use secrecy::{ExposeSecret, SecretString};
use wire::SessionAnswer;
use wire::session::RefreshRequest;

use super::live::Access;
use super::request::{asked, sender_of};
use super::{Account, Engine, EngineError, Trigger};
use crate::classify::{Said, Sender, said};
use crate::delivery::Hold;
use crate::ports::{Method, Request, StoredSession};

/// How long before its end a token is no longer used.
const EXPIRY_MARGIN_MS: i64 = 5_000;

impl Engine {
    /// A usable access token.
    pub(super) async fn access(&self) -> Result<SecretString, EngineError> {
        if let Some(token) = self.usable_access(None)? {
            return Ok(token);
        }
        self.refresh(None).await?;
        self.usable_access(None)?.ok_or(EngineError::SignInNeeded)
    }

    /// The token in hand, unless it is `used` or at its end.
    fn usable_access(&self, used: Option<&SecretString>) -> Result<Option<SecretString>, EngineError> {
        let now = self.now();
        let live = self.live();
        if live.session.revoked {
            return Err(EngineError::Revoked);
        }
        if live.needs_sign_in {
            return Err(EngineError::SignInNeeded);
        }
        let is_fresh = |access: &&Access| {
            access.expires_at > now && used.is_none_or(|used| used.expose_secret() != access.token.expose_secret())
        };
        Ok(live.access.as_ref().filter(is_fresh).map(|access| access.token.clone()))
    }

    /// Gets a new access token unless somebody just did: one refresh at a time (R23).
    pub(super) async fn refresh(&self, used: Option<&SecretString>) -> Result<(), EngineError> {
        let _one = self.refreshing.lock().await;
        if self.usable_access(used)?.is_some() {
            return Ok(());
        }
        // Whatever comes of this, the old token is of no more use: what waits for a new one is freed with it.
        self.live().access = None;
        let generation = self.generation();
        let token = self.refresh_token().await?;
        let device_id = self.account().device_id;
        let body = RefreshRequest { refresh_token: token.expose_secret().to_owned(), device_id };
        let body = serde_json::to_vec(&body).expect("plain texts are JSON");
        let request = Request {
            method: Method::Post,
            path: "/v1/sessions/refresh".to_owned(),
            access: None,
            key: None,
            body: Some(body),
        };
        let result = self.call(generation, request).await.ok_or(EngineError::Unreachable)?;
        if generation != self.generation() {
            return Err(EngineError::SignInNeeded);
        }
        let said = said::<SessionAnswer>(&result);
        let sender = sender_of(&said);
        self.note(sender, None);
        if let Said::Problem(problem) = &said {
            self.slow_down(problem);
        }
        match (sender, said) {
            (_, Said::Ours(answer)) => self.take_over(answer).await,
            (Sender::Revoked | Sender::SignsIn | Sender::Refreshes, said) => {
                self.session_ended(sender == Sender::Revoked).await?;
                Err(asked(said).err().unwrap_or(EngineError::SignInNeeded))
            }
            (_, said) => Err(asked(said).err().unwrap_or(EngineError::Unreachable)),
        }
    }

    /// The refresh token, from where it is durable.
    async fn refresh_token(&self) -> Result<SecretString, EngineError> {
        let name = secret_name(&self.account());
        let unstored = self.live().unstored_refresh.clone();
        if let Some(token) = unstored {
            self.ports.vault.put(&name, token.clone()).await?;
            self.live().unstored_refresh = None;
            return Ok(token);
        }
        if let Some(token) = self.ports.vault.get(&name).await? {
            return Ok(token);
        }
        self.need_sign_in();
        Err(EngineError::SignInNeeded)
    }

    /// Whether this computer still holds what keeps the session going.
    pub async fn holds_session(&self) -> bool {
        self.ports.vault.get(&secret_name(&self.account())).await.is_ok_and(|secret| secret.is_some())
    }

    /// Takes over new tokens of the running session.
    async fn take_over(&self, answer: SessionAnswer) -> Result<(), EngineError> {
        let mut account = self.account();
        if !is_same(&account, &answer) {
            return Err(EngineError::NotAllowed("the server answered for another account".to_owned()));
        }
        let now = self.now();
        let token = SecretString::from(answer.refresh_token);
        // The new refresh token is durable before it is used. If that fails, the access token serves meanwhile.
        let stored = self.ports.vault.put(&secret_name(&account), token.clone()).await;
        let lifetime_ms = i64::try_from(answer.access_expires_in_s).unwrap_or(600).saturating_mul(1_000);
        let access = Access {
            token: SecretString::from(answer.access_token),
            expires_at: now.plus_ms((lifetime_ms - EXPIRY_MARGIN_MS).max(1_000)),
        };
        let rights_changed = account.actor != answer.info.actor;
        account.actor = answer.info.actor;
        account.tenant = answer.info.tenant;
        let session = StoredSession { version: answer.info.session_version, revoked: false, signed_in: true };
        let is_new = self.live().session != session;
        if is_new {
            self.ports.store.set_session(session).await?;
        }
        {
            let mut live = self.live();
            live.access = Some(access);
            live.unstored_refresh = stored.is_err().then_some(token);
            live.session = session;
            live.needs_sign_in = false;
            live.served_at = Some(now);
            live.account = account;
        }
        if let Err(error) = stored {
            tracing::warn!(%error, "the new refresh token could not be kept yet");
        }
        let mut freed = self.ports.store.release(Hold::Login, now).await?;
        if rights_changed {
            freed += self.ports.store.release(Hold::Grant, now).await?;
        }
        if freed > 0 {
            self.tell_rows().await;
        }
        if is_new || rights_changed {
            self.tell_session();
        }
        Ok(())
    }

    /// Takes over the answer to a sign-in of this account: what waited for it goes on.
    pub async fn signed_in(&self, answer: SessionAnswer) -> Result<(), EngineError> {
        if !is_same(&self.account(), &answer) {
            return Err(EngineError::NotAllowed("this store belongs to another account".to_owned()));
        }
        // Durable first: a sign-in whose secret cannot be kept is none.
        let token = SecretString::from(answer.refresh_token.clone());
        self.ports.vault.put(&secret_name(&self.account()), token).await?;
        self.cut_off();
        self.take_over(answer).await?;
        {
            let (mut live, now) = (self.live(), self.now());
            live.answered(now);
        }
        self.tell_session();
        self.tell_link();
        self.nudge(Trigger::Start);
        Ok(())
    }

    /// The server wants a sign-in, or ended the session: nothing more leaves (R24). Told once.
    pub(super) async fn session_ended(&self, revoked: bool) -> Result<(), EngineError> {
        if !revoked {
            self.need_sign_in();
            return Ok(());
        }
        let session = StoredSession { revoked: true, ..self.ports.store.session().await? };
        self.ports.store.set_session(session).await?;
        {
            let mut live = self.live();
            live.session = session;
            live.unstored_refresh = None;
        }
        if let Err(error) = self.ports.vault.forget(&secret_name(&self.account())).await {
            tracing::warn!(%error, "the ended session's token could not be forgotten");
        }
        self.need_sign_in();
        Ok(())
    }

    fn need_sign_in(&self) {
        let was_known = {
            let mut live = self.live();
            live.access = None;
            std::mem::replace(&mut live.needs_sign_in, true)
        };
        if !was_known {
            self.tell_session();
        }
    }
}

fn is_same(account: &Account, answer: &SessionAnswer) -> bool {
    account.tenant.id == answer.info.tenant.id && account.actor.id == answer.info.actor.id
}

/// The vault's name for this account's refresh token.
pub(super) fn secret_name(account: &Account) -> String {
    format!("refresh {} {} {}", account.server, account.tenant.id, account.actor.id)
}
