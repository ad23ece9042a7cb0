//! What the stories share: a server on a socket with a clock turned by hand, people, commands, a plain client.

pub(crate) mod carrying;
pub(crate) mod command;
pub(crate) mod database;
pub(crate) mod http;
pub(crate) mod mailbox;
pub(crate) mod process;
pub(crate) mod server;
pub(crate) mod sink;
pub(crate) mod stream;

pub(crate) use command::{Sent, a_case, command, with_expected};
pub(crate) use database::{Postgres, Sqlite};
pub(crate) use http::Reply;
pub(crate) use server::Person;

use uuid::Uuid;

/// A server, where the kind of database makes no difference.
pub(crate) type Server = server::Server<Sqlite>;

/// A new id, as a text.
pub(crate) fn id() -> String {
    Uuid::now_v7().to_string()
}

/// How many times what is made at random is to be done: once, unless a soak says otherwise.
pub(crate) fn soak() -> u64 {
    std::env::var("ONCEOVER_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}
