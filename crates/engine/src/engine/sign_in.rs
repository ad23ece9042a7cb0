//! Signing in, before there is a store.

use wire::SessionAnswer;
use wire::session::SignInRequest;

use super::EngineError;
use super::request::asked;
use crate::classify::said;
use crate::ports::{Method, Request, Transport};

/// Signs in, before there is a store.
pub async fn sign_in(transport: &dyn Transport, request: SignInRequest) -> Result<SessionAnswer, EngineError> {
    let body = serde_json::to_vec(&request).expect("plain texts are JSON");
    let request =
        Request { method: Method::Post, path: "/v1/sessions".to_owned(), access: None, key: None, body: Some(body) };
    asked(said(&transport.call(request).await))
}
