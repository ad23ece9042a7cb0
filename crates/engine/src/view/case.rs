//! Cases as lists and windows show them: the server's state with this computer's pending changes over it.

use domain::{
    Activity, ActorId, Case, CaseId, CommandId, Inspection, Note, Notice, Operation, Priority, Role, Status, Task,
    TimeEntry, Timestamp,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::outbox::{Mark, Pending};

/// Which part of the list is asked for. Everything is optional; an absent member does not restrict.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct CaseQuery {
    /// Words that must all occur in title, number, address, description or external id (FTS5 prefix match).
    pub text: Option<String>,
    /// Any of these statuses.
    pub statuses: Vec<Status>,
    /// Any of these kinds.
    pub kinds: Vec<String>,
    /// Any of these priorities.
    pub priorities: Vec<Priority>,
    /// Whose cases.
    pub assignee: AssigneeFilter,
    /// Has this tag.
    pub tag: Option<String>,
    /// Due on this day (`YYYY-MM-DD`) or before.
    pub due_by: Option<String>,
    /// Has changes of this computer that are not received.
    pub has_changes: bool,
    /// Has a change that needs a person.
    pub needs_you: bool,
    /// The order.
    pub sort: CaseSort,
    /// Reversed.
    pub descending: bool,
    /// The local date (`YYYY-MM-DD`) that "overdue", "today" and "this week" are counted from.
    pub today: String,
    /// How many rows to skip.
    pub offset: u32,
    /// At most this many rows; at most 500.
    pub limit: u32,
}

/// Whose cases a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum AssigneeFilter {
    /// Everybody's.
    #[default]
    Any,
    /// The signed-in actor's.
    Me,
    /// Nobody's.
    Nobody,
    /// This actor's.
    Actor(ActorId),
}

/// The column a list is sorted by; ties are broken by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "columns")]
pub enum CaseSort {
    #[default]
    Due,
    Title,
    Number,
    Status,
    Priority,
    Assignee,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CasePage {
    /// The rows from `offset` on.
    pub rows: Vec<CaseRow>,
    /// How many rows were skipped.
    pub offset: u32,
    /// How many rows match in all.
    pub total: u32,
    /// When sorted by due date: how many rows each group has, in order; else empty.
    pub groups: Vec<DueGroup>,
    /// The version of the case view this was read at.
    #[ts(type = "number")]
    pub version: u64,
}

/// One group of a list sorted by due date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DueGroup {
    /// Which.
    pub due: Due,
    /// How many rows of the whole list are in it.
    pub count: u32,
}

/// How a due date lies to `today`. A week ends with its Sunday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "named by the list's group heads")]
pub enum Due {
    Overdue,
    Today,
    ThisWeek,
    Later,
    NoDate,
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "the fields of `Case`")]
pub struct CaseRow {
    pub id: CaseId,
    pub number: Option<String>,
    pub external_id: Option<String>,
    pub title: String,
    pub address: Option<String>,
    pub kind: String,
    pub status: Status,
    pub priority: Priority,
    pub due_on: Option<String>,
    pub due: Due,
    pub assignee_id: Option<ActorId>,
    pub assignee_name: Option<String>,
    /// Names of fields (also `status`, `assignee_id`, `tags`) whose shown value is not received yet.
    pub pending_fields: Vec<String>,
    /// The mark of the change that most needs looking at; `None` when everything is received.
    pub mark: Option<Mark>,
    /// When the change of that mark is tried or asked about next; `None` if nothing is planned.
    pub next_attempt_at: Option<Timestamp>,
    /// How many changes of this case are not received.
    pub open_changes: u32,
}

/// How many cases each fixed view has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "the views of the rail")]
pub struct ViewCounts {
    pub mine: u32,
    pub unassigned: u32,
    /// Mine, not closed, due within seven days or overdue.
    pub due_soon: u32,
    pub all: u32,
}

/// Everything a case window shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CaseDetail {
    /// With pending changes applied.
    pub case: Case,
    /// As the server last said; `None` if the server does not know the case yet.
    pub base: Option<Case>,
    /// Names of fields whose shown value is not received yet.
    pub pending_fields: Vec<String>,
    /// Newest first, pending ones included.
    pub notes: Vec<NoteView>,
    /// Newest first, pending ones included.
    pub tasks: Vec<TaskView>,
    /// Newest first, pending ones included.
    pub time_entries: Vec<TimeEntryView>,
    /// Newest first, pending ones included.
    pub inspections: Vec<InspectionView>,
    /// Newest first, pending ones included.
    pub notices: Vec<NoticeView>,
    /// Newest first; what the server committed. Pending changes stand in `pending`.
    pub timeline: Vec<Activity>,
    /// This computer's changes of the case that are not received, in the order they were made.
    pub pending: Vec<Pending>,
    /// The statuses the case may go to from the one shown, with whether this actor's role allows it.
    pub next_statuses: Vec<NextStatus>,
    /// The version of the case view this was read at.
    #[ts(type = "number")]
    pub version: u64,
}

/// One legal step of the status machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NextStatus {
    /// Where to.
    pub to: Status,
    /// Whether the actor's role allows it.
    pub allowed: bool,
}

macro_rules! views {
    ($($(#[$doc:meta])* $name:ident { $field:ident: $kind:ty })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        pub struct $name {
            /// With pending changes applied.
            pub $field: $kind,
            /// The last command that makes or changes it and is not received.
            pub command_id: Option<CommandId>,
            /// That command's mark.
            pub mark: Option<Mark>,
        }
    )*};
}

views! {
    /// A note with its delivery.
    NoteView { note: Note }
    /// A task with its delivery.
    TaskView { task: Task }
    /// A stretch of work with its delivery.
    TimeEntryView { entry: TimeEntry }
    /// An inspection with its delivery.
    InspectionView { inspection: Inspection }
    /// A notice with its delivery.
    NoticeView { notice: Notice }
}

/// A person of the organization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "plain")]
pub struct Member {
    pub id: ActorId,
    pub username: String,
    pub display_name: String,
    pub role: Role,
    /// Disabled members stay known, for the timeline.
    pub disabled: bool,
}

/// What a saved intent answers: said only after its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Saved {
    /// The case it is about.
    pub case_id: CaseId,
    /// The change's number.
    pub command_id: CommandId,
    /// What it is.
    pub operation: Operation,
    /// When it was first saved.
    pub saved_at: Timestamp,
    /// True if this intent had been saved before: nothing was saved a second time.
    pub already_saved: bool,
}
