//! The load generator: plain HTTP/1.1 over kept-alive connections, in one thread, so that it takes little of the
//! machine from what is measured, and the same for ours and for the yardstick. Requests are made before the clock
//! starts.

pub(crate) mod connection;
mod drive;
pub(crate) mod feed;
pub(crate) mod request;
pub(crate) mod streams;

pub(crate) use drive::{Round, count, drive};
pub(crate) use request::Requests;
