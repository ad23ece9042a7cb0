//! Cases, commands and the rules about them: pure functions from state and command to the next state.
//!
//! The same code decides at the server and draws the pending view on the client, so the two cannot
//! disagree. Nothing here does I/O, waits, reads a clock or draws a random number.

pub mod apply;
pub mod case;
pub mod decide;
pub mod entity;
pub mod field;
pub mod ids;
pub mod inspection;
pub mod merge;
pub mod note;
pub mod notice;
pub mod notification;
pub mod payload;
pub mod registry;
pub mod role;
pub mod task;
pub mod time_entry;
pub mod timeline;

pub use apply::{Subject, apply};
pub use case::{Case, Priority, Status};
pub use decide::{Command, Decision, Expected, Loaded, Refusal, decide};
pub use entity::{Entity, EntityKind};
pub use field::{CaseField, Change, FieldValue};
pub use ids::{
    ActorId, CaseId, CommandId, EntityId, InspectionId, NoteId, NoticeId, NotificationId, Revision, TaskId, TenantId,
    TimeEntryId, Timestamp,
};
pub use inspection::Inspection;
pub use note::Note;
pub use notice::Notice;
pub use notification::Notification;
pub use payload::Payload;
pub use registry::Operation;
pub use role::Role;
pub use task::Task;
pub use time_entry::TimeEntry;
pub use timeline::Activity;
