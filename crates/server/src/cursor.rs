//! The feed's cursor: opaque to readers, bound to tenant, epoch and position by the server key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::TenantId;
use wire::{Code, Problem};

use crate::key_file::ServerKey;

const PURPOSE: &str = "cursor-1";
const EPOCH_BYTES: usize = 32;

/// Writes the cursor after `position`.
pub fn write(key: &ServerKey, tenant: TenantId, epoch: &str, position: u64) -> String {
    let position = position.to_be_bytes();
    let signature = key.sign(PURPOSE, &[tenant.0.as_bytes(), epoch.as_bytes(), &position]);
    let mut bytes = epoch.as_bytes().to_vec();
    bytes.extend_from_slice(&position);
    bytes.extend_from_slice(&signature[..16]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads the position of `cursor`. Whether it is beyond the head is for the caller, who knows the head.
///
/// # Errors
/// `cursor-invalid` if we never gave it to this tenant, `cursor-expired` if it is of another epoch.
pub fn read(key: &ServerKey, tenant: TenantId, epoch: &str, cursor: &str) -> Result<u64, Problem> {
    let invalid = || Problem::new(Code::CursorInvalid, "This server did not give out this cursor.");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| invalid())?;
    if bytes.len() != EPOCH_BYTES + 8 + 16 {
        return Err(invalid());
    }
    let (of_epoch, rest) = bytes.split_at(EPOCH_BYTES);
    let (position, signature) = rest.split_at(8);
    if !key.verifies(PURPOSE, &[tenant.0.as_bytes(), of_epoch, position], signature) {
        return Err(invalid());
    }
    if of_epoch != epoch.as_bytes() {
        return Err(Problem::new(Code::CursorExpired, "The feed was restarted since this cursor was given out."));
    }
    Ok(u64::from_be_bytes(position.try_into().map_err(|_| invalid())?))
}
