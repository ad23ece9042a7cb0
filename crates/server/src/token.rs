//! Access and refresh tokens: derived from the server key, so that nothing that opens a session is stored.
//!
//! A refresh token names its family (the session) and its place in it; the same place always derives the
//! same token, which is what gives a client that lost the answer the same successor again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{ActorId, TenantId};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::key_file::ServerKey;

const ACCESS: &str = "access-1";
const REFRESH: &str = "refresh-1";

/// What a token of ours says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// The tenant of its session.
    pub tenant: TenantId,
    /// Its session.
    pub session: Uuid,
    /// Whose session that is.
    pub actor: ActorId,
    /// Access: when it expires, in milliseconds. Refresh: its place in the family.
    pub number: i64,
}

/// The access token of these claims, whose number is when it expires.
pub fn access(key: &ServerKey, claims: Claims) -> String {
    format!("oat_{}", write(key, ACCESS, claims))
}

/// The refresh token of these claims, whose number is its place in the family.
pub fn refresh(key: &ServerKey, claims: Claims) -> String {
    format!("ort_{}", write(key, REFRESH, claims))
}

/// Reads an access token, or `None` if it is not one of ours. Whether it has expired is for the caller.
pub fn read_access(key: &ServerKey, token: &str) -> Option<Claims> {
    read(key, ACCESS, token.strip_prefix("oat_")?)
}

/// Reads a refresh token, or `None` if it is not one of ours.
pub fn read_refresh(key: &ServerKey, token: &str) -> Option<Claims> {
    read(key, REFRESH, token.strip_prefix("ort_")?)
}

/// What the database holds of a refresh token.
pub fn hash(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

/// Bytes of what a token says, before its signature.
const SAID: usize = 56;

fn write(key: &ServerKey, purpose: &str, claims: Claims) -> String {
    let mut bytes = [0; SAID + 32];
    bytes[..16].copy_from_slice(claims.tenant.0.as_bytes());
    bytes[16..32].copy_from_slice(claims.session.as_bytes());
    bytes[32..48].copy_from_slice(claims.actor.0.as_bytes());
    bytes[48..SAID].copy_from_slice(&claims.number.to_be_bytes());
    let signature = key.sign(purpose, &[&bytes[..SAID]]);
    bytes[SAID..].copy_from_slice(&signature);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read(key: &ServerKey, purpose: &str, text: &str) -> Option<Claims> {
    let bytes: [u8; SAID + 32] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    if !key.verifies(purpose, &[&bytes[..SAID]], &bytes[SAID..]) {
        return None;
    }
    Some(Claims {
        tenant: TenantId(Uuid::from_slice(&bytes[..16]).ok()?),
        session: Uuid::from_slice(&bytes[16..32]).ok()?,
        actor: ActorId(Uuid::from_slice(&bytes[32..48]).ok()?),
        number: i64::from_be_bytes(bytes[48..SAID].try_into().ok()?),
    })
}
