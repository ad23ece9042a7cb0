//! The commands windows may call. Each unpacks, makes one call, and packs; what is decided is decided below them.

// Tauri hands every argument over by value, and async keeps the thread that draws the windows free.
#![allow(clippy::needless_pass_by_value, clippy::unused_async)]

pub(crate) mod case;
pub(crate) mod outbox;
pub(crate) mod session;
pub(crate) mod sync;
pub(crate) mod window;
