//! Passwords: Argon2id, off the async threads, and the same work whether or not the account exists.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::Semaphore;

/// How many hashes run at once; each takes 19 MiB and a core.
static AT_ONCE: Semaphore = Semaphore::const_new(4);
/// Of these, how many for whoever has failed too often: the others always find room.
static SUSPECTS_AT_ONCE: Semaphore = Semaphore::const_new(1);

/// What an unknown account is compared with.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash("nobody has this password").unwrap_or_default());

/// The stored form of a password that nothing matches: for accounts nobody signs in to.
pub const UNUSABLE: &str = "!";

/// Does now what the first comparison with an unknown account would have to do, and show by its time.
pub fn prepare() {
    LazyLock::force(&NOBODY);
}

/// The hash of `password`, with a salt of its own.
///
/// # Errors
/// Only when the machine has no randomness or the password is longer than Argon2 takes.
pub fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default().hash_password(password.as_bytes())?.to_string())
}

/// Whether `password` has `stored`. `None` is an unknown account: the work is done all the same. A suspect waits
/// for the suspects before it.
pub async fn matches(password: String, stored: Option<String>, is_suspect: bool) -> bool {
    let turn = if is_suspect { SUSPECTS_AT_ONCE.acquire().await.ok() } else { None };
    let Ok(permit) = AT_ONCE.acquire().await else { return false };
    tokio::task::spawn_blocking(move || {
        // They go with the work, which also runs to its end when nobody waits for it any more.
        let _permits = (turn, permit);
        let hash = stored.as_deref().filter(|stored| *stored != UNUSABLE);
        let Ok(parsed) = PasswordHash::new(hash.unwrap_or(&NOBODY)) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some()
    })
    .await
    .unwrap_or(false)
}
