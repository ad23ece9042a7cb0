//! What windows and the program say to each other: the commands with their arguments and answers, and the errors.
//!
//! Everything is declared here once; `ui/src/ipc/bindings.ts` is generated from it.

#[cfg(test)]
mod allowed;
pub(crate) mod args;
#[cfg(test)]
pub(crate) mod bindings;
pub(crate) mod error;
pub(crate) mod table;
pub(crate) mod window_kind;

pub(crate) use args::*;
pub(crate) use error::{Code, IpcError, Reply};
pub(crate) use window_kind::WindowKind;
