//! What the stories stand on: a real server process, a proxy that cuts answers, profiles in folders of their own,
//! the command line as a process, and waiting for a condition instead of sleeping.

pub mod cli;
pub mod data;
pub mod desktop;
pub mod officer;
pub mod profile;
pub mod proxy;
pub mod server;
pub mod tls;
pub mod wait;

/// How many times what is made at random is to be done: once, unless a soak says otherwise.
#[must_use]
pub fn soak() -> usize {
    std::env::var("ONCEOVER_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
