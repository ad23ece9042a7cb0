//! A profile: one folder with everything this program keeps for one person on this computer.
//!
//! ```text
//! profile.lock            held by the one process that may write
//! accounts.json           who was signed in here, and where each account's store is; no secret is in it
//! accounts/<name>/        one account on one server: store.db and what belongs to it
//! vault                   the encrypted file vault, where it is used
//! logs/                   a file a day
//! ```

mod accounts;
mod device;
mod home;
mod lock;
mod replace;

pub use accounts::{AccountEntry, Accounts, AccountsError};
pub use device::device_name;
pub use home::{Home, default_home};
pub use lock::{Holder, LockError, ProfileLock};

pub(crate) use replace::{create_file, replace_file};
