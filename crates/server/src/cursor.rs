//! The feed's cursor: opaque to readers, bound to tenant, epoch and position by the server key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::TenantId;
use wire::{Code, Problem};

use crate::key_file::ServerKey;

const PURPOSE: &str = "cursor-2";
const EPOCH_BYTES: usize = 32;

/// Where a reader of the feed stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// It was given everything up to here.
    pub position: u64,
    /// Where the feed ended when it began to read from nothing; what was gone by then it never held.
    pub began: u64,
}

impl Place {
    /// Whether it may hold something whose tombstone was removed at `floor` before it was read.
    pub fn has_missed(self, floor: u64) -> bool {
        floor > self.position.max(self.began)
    }
}

/// Writes the cursor of `place`.
pub fn write(key: &ServerKey, tenant: TenantId, epoch: &str, place: Place) -> String {
    let (position, began) = (place.position.to_be_bytes(), place.began.to_be_bytes());
    let signature = key.sign(PURPOSE, &[tenant.0.as_bytes(), epoch.as_bytes(), &position, &began]);
    let mut bytes = epoch.as_bytes().to_vec();
    bytes.extend_from_slice(&position);
    bytes.extend_from_slice(&began);
    bytes.extend_from_slice(&signature[..16]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads the place of `cursor`. Whether that is within the feed is for the caller, who knows where it begins and ends.
///
/// # Errors
/// `cursor-invalid` if we never gave it to this tenant, `cursor-expired` if it is of another epoch.
pub fn read(key: &ServerKey, tenant: TenantId, epoch: &str, cursor: &str) -> Result<Place, Problem> {
    let invalid = || Problem::new(Code::CursorInvalid, "This server did not give out this cursor.");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| invalid())?;
    if bytes.len() != EPOCH_BYTES + 8 + 8 + 16 {
        return Err(invalid());
    }
    let (of_epoch, rest) = bytes.split_at(EPOCH_BYTES);
    let (position, rest) = rest.split_at(8);
    let (began, signature) = rest.split_at(8);
    if !key.verifies(PURPOSE, &[tenant.0.as_bytes(), of_epoch, position, began], signature) {
        return Err(invalid());
    }
    if of_epoch != epoch.as_bytes() {
        return Err(Problem::new(Code::CursorExpired, "The feed was restarted since this cursor was given out."));
    }
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_be_bytes).map_err(|_| invalid());
    Ok(Place { position: number(position)?, began: number(began)? })
}
