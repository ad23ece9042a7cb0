//! The engine's ports made real, and one [`Client`] built from them: what the desktop shell and the command line use.
//!
//! [`sqlite`] keeps one account's state, [`http`] talks to its server, [`vault`] keeps the session's secrets,
//! [`profile`] is the folder all of it lies in, with the lock that makes this process its only owner.

pub mod checkup;
mod client;
mod error;
pub mod http;
pub mod logs;
pub mod profile;
pub mod sqlite;
pub mod system;
pub mod vault;

pub use client::{Access, Client, Options, SignOutChoice, VaultChoice};
pub use error::ClientError;
pub use sqlite::OpenError;
