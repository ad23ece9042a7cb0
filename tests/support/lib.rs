//! What the stories stand on: a real server process, a proxy that cuts answers, profiles in folders of their own,
//! the command line as a process, and waiting for a condition instead of sleeping.

pub mod cli;
pub mod data;
pub mod desktop;
pub mod profile;
pub mod proxy;
pub mod server;
pub mod tls;
pub mod wait;
