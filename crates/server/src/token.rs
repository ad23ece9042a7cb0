//! Access and refresh tokens: derived from the server key, so that nothing that opens a session is stored.
//!
//! A refresh token names its family (the session) and its place in it; the same place always derives the
//! same token, which is what gives a client that lost the answer the same successor again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{TenantId, Timestamp};
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
    /// Access: when it expires, in milliseconds. Refresh: its place in the family.
    pub number: i64,
}

/// The access token of `session` that lives until `expires_at`.
pub fn access(key: &ServerKey, tenant: TenantId, session: Uuid, expires_at: Timestamp) -> String {
    format!("oat_{}", write(key, ACCESS, Claims { tenant, session, number: expires_at.0 }))
}

/// The refresh token number `count` of `session`.
pub fn refresh(key: &ServerKey, tenant: TenantId, session: Uuid, count: i64) -> String {
    format!("ort_{}", write(key, REFRESH, Claims { tenant, session, number: count }))
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

fn write(key: &ServerKey, purpose: &str, claims: Claims) -> String {
    let mut bytes = [0; 72];
    bytes[..16].copy_from_slice(claims.tenant.0.as_bytes());
    bytes[16..32].copy_from_slice(claims.session.as_bytes());
    bytes[32..40].copy_from_slice(&claims.number.to_be_bytes());
    let signature = key.sign(purpose, &[&bytes[..40]]);
    bytes[40..].copy_from_slice(&signature);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read(key: &ServerKey, purpose: &str, text: &str) -> Option<Claims> {
    let bytes: [u8; 72] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    if !key.verifies(purpose, &[&bytes[..40]], &bytes[40..]) {
        return None;
    }
    Some(Claims {
        tenant: TenantId(Uuid::from_slice(&bytes[..16]).ok()?),
        session: Uuid::from_slice(&bytes[16..32]).ok()?,
        number: i64::from_be_bytes(bytes[32..40].try_into().ok()?),
    })
}
