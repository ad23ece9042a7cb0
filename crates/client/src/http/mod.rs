//! The server over HTTP: one call is one request, and what went wrong says whether anything can have arrived.

mod events;
mod failure;
mod probe;
mod server_url;
mod transport;

pub use probe::{ServerCheck, ServerProbe, check_server, probe};
pub use server_url::{ServerUrl, ServerUrlError};
pub use transport::{HttpTransport, Limits};
