//! Signing in, as everybody does.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::load::connection::Connection;
use crate::load::request::post;

/// Everybody's password.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// Somebody who has signed in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) token: String,
    pub(crate) version: u32,
}

/// Signs in `username` of `tenant`.
///
/// # Errors
/// The server refuses, or is not there.
pub(crate) fn sign_in(address: &str, tenant: &str, username: &str) -> Result<Session> {
    let body = json!({
        "tenant": tenant, "username": username, "password": PASSWORD, "device_id": username, "device_name": "bench",
    });
    let request = post("/v1/sessions", None, None, &body.to_string());
    let (status, answer) = exchange(address, &request)?;
    ensure!(status == 201, "{username} cannot sign in: {status} {answer}");
    let token = answer["access_token"].as_str().context("an answer without a token")?.to_owned();
    let version = answer["session_version"].as_u64().and_then(|version| u32::try_from(version).ok());
    Ok(Session { token, version: version.context("an answer without a version")? })
}

/// One request over a connection of its own; the answer as JSON.
///
/// # Errors
/// The server is not there, or gives no JSON.
pub(crate) fn exchange(address: &str, request: &[u8]) -> Result<(u16, Value)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    runtime.block_on(async {
        let mut connection = Connection::open(address).await?;
        let answer = connection.exchange(request).await?;
        Ok((answer.status, serde_json::from_slice(answer.body).context("an answer that is not JSON")?))
    })
}
