//! Webhooks and mail: endpoints on the command line, and deliveries by real processes to real receivers.

mod carrying;
mod endpoints;
mod events;
#[cfg(feature = "failpoints")]
mod processes;
mod rotation;

use super::{Place, Server};
