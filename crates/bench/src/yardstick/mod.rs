//! What ours is compared with: the least that must be done to keep a key and an effect.

pub(crate) mod bare;
pub(crate) mod statement;
