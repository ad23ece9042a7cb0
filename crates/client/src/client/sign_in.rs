//! Signing in: the server says who one is; from then on that account's store is the one in use.

use engine::engine::sign_in;
use engine::view::SessionView;
use secrecy::{ExposeSecret, SecretString};
use wire::SessionAnswer;
use wire::session::SignInRequest;

use super::Client;
use crate::error::ClientError;
use crate::http::{HttpTransport, ServerUrl};
use crate::profile::{AccountEntry, device_name};

impl Client {
    /// Signs in, and makes that account the one in use. The rows of every other account stay what they are, and are
    /// neither shown nor sent.
    ///
    /// # Errors
    /// The address is none, the server does not answer or refuses, or the session could not be kept. The account in
    /// use before stays in use then.
    pub async fn sign_in(
        &self,
        server: &str,
        tenant: &str,
        username: &str,
        password: SecretString,
    ) -> Result<SessionView, ClientError> {
        self.check_writing()?;
        let _turn = self.turn.lock().await;
        let server = ServerUrl::parse(server)?;
        // Found out before the password leaves: a session that cannot be kept would be lost at once.
        self.vault.get("probe").await?;
        let request = SignInRequest {
            tenant: tenant.trim().to_owned(),
            username: username.trim().to_owned(),
            password: password.expose_secret().to_owned(),
            device_id: self.accounts().device_id.clone(),
            device_name: device_name(),
        };
        let answer = sign_in(&HttpTransport::new(server.clone()), request).await?;
        self.take_over(server, answer).await?;
        self.signals.session_changed();
        self.session().await
    }

    async fn take_over(&self, server: ServerUrl, answer: SessionAnswer) -> Result<(), ClientError> {
        let info = answer.info.clone();
        let entry = AccountEntry::new(server.as_str().to_owned(), info.tenant, info.actor);
        tracing::info!(server = %server, tenant = %entry.tenant.slug, role = entry.actor.role.name(), "signed in");
        let before = self.opened();
        if let Some(open) = before.as_ref().filter(|open| open.entry().name == entry.name && open.is_writable()) {
            open.engine.signed_in(answer).await?;
            return self.change_accounts(|accounts| accounts.sign_in(entry));
        }
        let account = self.open_account(entry.clone()).await?;
        // Before its secret is kept: this session could not be used.
        account.check_writable()?;
        account.engine.signed_in(answer).await?;
        self.change_accounts(|accounts| accounts.sign_in(entry))?;
        if let Some(before) = before {
            // The account that was in use is signed out as if by hand; its rows stay.
            if let Err(error) = before.engine.sign_out().await {
                tracing::warn!(%error, "the session before could not be ended");
            }
            self.end().await;
        }
        self.begin(account);
        Ok(())
    }
}
