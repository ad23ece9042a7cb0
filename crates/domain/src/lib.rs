//! Cases, commands and the rules about them: pure functions from state and command to the next state.
//!
//! The same code decides at the server and draws the pending view on the client, so the two cannot
//! disagree. Nothing here does I/O, waits, reads a clock or draws a random number.

pub mod case;
pub mod decide;
pub mod field;
pub mod ids;
pub mod merge;
pub mod note;
pub mod payload;
pub mod registry;
pub mod role;
pub mod timeline;

pub use case::{Case, Priority, Status};
pub use decide::{Command, Decision, Expected, Loaded, Refusal, decide};
pub use field::{CaseField, Change, FieldValue};
pub use ids::{ActorId, CaseId, CommandId, EntityId, NoteId, Revision, TenantId, Timestamp};
pub use note::Note;
pub use payload::Payload;
pub use registry::Operation;
pub use role::Role;
pub use timeline::Activity;
