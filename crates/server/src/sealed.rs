//! Secrets that the database must hold and nobody may read there: sealed under the server key with
//! XChaCha20-Poly1305, each for one place, so that a row copied elsewhere does not open.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::key_file::ServerKey;

const PURPOSE: &str = "sealed-1";
const NONCE_BYTES: usize = 24;

/// `secret`, sealed for `place`.
///
/// # Errors
/// When the machine has no randomness to give.
pub fn seal(key: &ServerKey, place: &str, secret: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(std::io::Error::other)?;
    let payload = Payload { msg: secret, aad: place.as_bytes() };
    let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload);
    let sealed = sealed.map_err(|_| std::io::Error::other("the secret is too long"))?;
    Ok([nonce.as_slice(), &sealed].concat())
}

/// What was sealed for `place`; `None` if it was sealed under another key, for another place, or is damaged.
pub fn open(key: &ServerKey, place: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: place.as_bytes() }).ok()
}

fn cipher(key: &ServerKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&key.sign(PURPOSE, &[]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_in_its_place_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let key = ServerKey::at(&folder.path().join("a.key")).unwrap();
        let other = ServerKey::at(&folder.path().join("b.key")).unwrap();
        let sealed = seal(&key, "here", b"secret").unwrap();
        assert!(!sealed.windows(6).any(|bytes| bytes == b"secret"));
        assert_ne!(sealed, seal(&key, "here", b"secret").unwrap());
        assert_eq!(open(&key, "here", &sealed).unwrap(), b"secret");
        assert_eq!(open(&key, "there", &sealed), None);
        assert_eq!(open(&other, "here", &sealed), None);
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(open(&key, "here", &damaged), None);
            assert_eq!(open(&key, "here", &sealed[..at]), None);
        }
    }
}
