//! Where the session's secrets are kept: the keychain, a file under a passphrase, or memory. Never in clear on disk.

mod file;
mod keychain;
mod memory;

pub use file::FileVault;
pub use keychain::Keychain;
pub use memory::MemoryVault;

pub(crate) use file::encrypt;

/// The environment variable that holds the vault file's passphrase.
pub const PASSPHRASE_VARIABLE: &str = "ONCEOVER_VAULT_PASSPHRASE";
