//! What the engine needs from the world. `client` makes these real; tests make them obedient.

pub mod clock;
pub mod signals;
pub mod store;
pub mod transport;
pub mod vault;

pub use clock::{Clock, Ids};
pub use signals::Signals;
pub use store::{
    Accepted, Ambient, Applied, Base, Decided, Draft, FeedPage, Guard, OutboxFilter, Owner, StepCause, Store,
    StoreError, StoredSession,
};
pub use transport::{Answer, Failure, Method, Request, Transport, WakeStream, Wakeup};
pub use vault::{Vault, VaultError};
