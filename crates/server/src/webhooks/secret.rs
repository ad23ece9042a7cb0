//! The secret that an endpoint and the server share, and what is signed with it (Standard Webhooks 1.0).

use std::fmt;

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use domain::Timestamp;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const PREFIX: &str = "whsec_";
const BYTES_MIN: usize = 24;
const BYTES_MAX: usize = 64;

/// A secret may be given with or without its padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text is not a secret. It does not say what the text was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret must be {PREFIX} and the base64 of {BYTES_MIN} to {BYTES_MAX} random bytes")]
pub struct SecretError;

/// The key that deliveries to one endpoint are signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads `whsec_…`.
    pub fn read(text: &str) -> Result<Self, SecretError> {
        let bytes = LENIENT.decode(text.strip_prefix(PREFIX).ok_or(SecretError)?).map_err(|_| SecretError)?;
        Self::of(bytes).ok_or(SecretError)
    }

    /// The secret of these bytes, if they are enough and not too many.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        (BYTES_MIN..=BYTES_MAX).contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Its bytes, to be sealed.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A signature of one attempt: `webhook-signature` is one for each secret, with spaces between them. The attempt's time is in it, so that a copy of an old one
    /// can be refused; `webhook-timestamp` is the same time in whole seconds.
    pub fn sign(&self, id: &str, at: Timestamp, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(format!("{id}.{}.", seconds(at)).as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The value of `webhook-timestamp`.
pub fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1000)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn the_signature_is_the_one_that_others_make() {
        let secret = Secret::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature =
            secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp(1_614_265_330_999), br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_has_its_prefix_and_its_length() {
        let of = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for bytes in [24, 32, 64] {
            assert!(Secret::read(&of(bytes)).is_ok());
            assert_eq!(Secret::read(of(bytes).trim_end_matches('=')), Secret::read(&of(bytes)));
        }
        for text in ["", "whsec_", &of(23), &of(65), &of(32)[6..], "whsec_!!!!", &format!("{} ", of(32))] {
            assert_eq!(Secret::read(text), Err(SecretError), "{text:?}");
        }
        assert_eq!(format!("{:?}", Secret::read(&of(32)).unwrap()), "Secret");
    }
}
