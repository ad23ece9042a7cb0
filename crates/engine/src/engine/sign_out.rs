//! Signing out: what is under way ends, the secrets are forgotten, the changes stay.

use secrecy::{ExposeSecret, SecretString};
use wire::SessionAnswer;
use wire::session::RefreshRequest;

use super::session::secret_name;
use super::{Engine, EngineError};
use crate::classify::{Said, said};
use crate::ports::{Method, Request, StoreError, StoredSession};

/// How long a sign-out waits for the server.
const GOODBYE_MS: i64 = 5_000;

impl Engine {
    /// Signs out: nothing more leaves, the tokens are forgotten, every open row stays. The server is told if it answers.
    /// A store of a newer version is only read, so its mark of a session stays; the tokens go all the same.
    pub async fn sign_out(&self) -> Result<(), EngineError> {
        let access = {
            let mut live = self.live();
            live.needs_sign_in = true;
            live.unstored_refresh = None;
            live.access.take()
        };
        self.cut_off();
        // What was under way has recorded its end before the session is gone.
        self.until_quiet().await;
        let session = StoredSession { signed_in: false, ..self.live().session };
        match self.ports.store.set_session(session).await {
            Ok(_) | Err(StoreError::Newer { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.live().session = session;
        let name = secret_name(&self.account());
        let refresh = self.ports.vault.get(&name).await.ok().flatten();
        self.ports.vault.forget(&name).await?;
        self.tell_session();
        self.tell_rows().await;
        self.say_goodbye(access.map(|access| access.token), refresh).await;
        Ok(())
    }

    /// Best effort: the server forgets the session by itself in the end.
    async fn say_goodbye(&self, access: Option<SecretString>, refresh: Option<SecretString>) {
        let transport = &self.ports.transport;
        let request =
            |method, path: &str, access, body| Request { method, path: path.to_owned(), access, key: None, body };
        let goodbye = async {
            let access = match (access, refresh) {
                (Some(access), _) => access,
                (None, Some(token)) => {
                    let device_id = self.account().device_id;
                    let body = RefreshRequest { refresh_token: token.expose_secret().to_owned(), device_id };
                    let body = serde_json::to_vec(&body).expect("plain texts are JSON");
                    let result = transport.call(request(Method::Post, "/v1/sessions/refresh", None, Some(body))).await;
                    let Said::Ours(answer) = said::<SessionAnswer>(&result) else { return };
                    SecretString::from(answer.access_token)
                }
                (None, None) => return,
            };
            drop(transport.call(request(Method::Delete, "/v1/sessions/current", Some(access), None)).await);
        };
        tokio::select! {
            biased;
            () = goodbye => {}
            () = self.ports.clock.sleep_ms(GOODBYE_MS) => {}
        }
    }
}
