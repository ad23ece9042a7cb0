//! The edge: connections with deadlines, bodies with limits, who is signed in, and how answers look.

pub mod answer;
pub mod body;
pub mod client;
pub mod compress;
pub mod deadline;
pub mod framing;
mod linger;
pub mod listen;
mod paced;
pub mod signed;
pub mod trace;
