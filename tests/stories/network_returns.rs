//! The network returns.
