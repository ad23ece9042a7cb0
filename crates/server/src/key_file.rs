//! The server key: 32 random bytes in a file beside the database, never in it.
//!
//! Tokens and cursors are derived from it, so a copy of the database alone opens no session.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The key that tokens and cursors are signed with.
#[derive(Clone)]
pub struct ServerKey([u8; 32]);

impl ServerKey {
    /// Reads the key of `path`, making it first if there is none.
    ///
    /// # Errors
    /// When the file cannot be read or made, or does not hold 32 bytes.
    pub fn at(path: &Path) -> io::Result<Self> {
        if !path.exists() {
            make(path)?;
        }
        let bytes = fs::read(path)?;
        let key =
            bytes.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not 32 bytes long"))?;
        Ok(Self(key))
    }

    /// What tells this key from another and nothing else about it, as hex.
    pub fn fingerprint(&self) -> String {
        let signature = self.sign("fingerprint", &[]);
        signature[..16].iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// The HMAC-SHA-256 of `parts` under this key; `purpose` keeps one use from being taken for another.
    pub fn sign(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.mac(purpose, parts).finalize().into_bytes().into()
    }

    /// Whether `signature` is what [`ServerKey::sign`] gives, compared in constant time; it may be shortened to 16 bytes.
    pub fn verifies(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        signature.len() >= 16 && self.mac(purpose, parts).verify_truncated_left(signature).is_ok()
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(purpose.as_bytes());
        for part in parts {
            mac.update(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

/// Writes a new key under another name and links it into place, so that two processes agree on one.
fn make(path: &Path) -> io::Result<()> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", uuid::Uuid::now_v7()));
    let draft = Path::new(&name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(draft).and_then(|mut file| {
        file.write_all(&key)?;
        file.sync_all()
    });
    let linked = written.and_then(|()| fs::hard_link(draft, path));
    let removed = fs::remove_file(draft);
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.and(removed),
    }
}
