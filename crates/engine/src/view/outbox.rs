//! The outbox as people and programs see it (CONTRACT 8, `outbox list|show`; UI, section 4).

use domain::merge::FieldConflict;
use domain::{ActorId, CaseId, CommandId, Operation, Timestamp};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::delivery::{HistoryEntry, Hold, LastError, ResolutionKind, StateName};

/// The word and shape that stand for a change's delivery, most pressing last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the marks of the interface, worded there")]
pub enum Mark {
    Received,
    ReceivedSavingHere,
    SavedHere,
    Waiting,
    Sending,
    WillRetry,
    InDoubt,
    NotAllowed,
    NoLongerYours,
    ConfirmToSend,
    MissingAgain,
    Stopped,
    ContentLost,
    StoppedForGood,
    Refused,
    Conflict,
}

/// Why a change waits, retries or needs somebody: picks the sentence beside the mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Reason {
    /// Nothing in the way.
    Next,
    /// No connection to the server.
    Offline,
    /// Sign-in is needed first.
    SignIn,
    /// A person paused sending.
    Paused,
    /// An earlier change of the same case goes first.
    After {
        /// Which.
        command_id: CommandId,
        /// What it is.
        operation: Operation,
        /// Its mark: a conflict, refusal or doubt needs a decision first.
        mark: Mark,
    },
    /// Something else that it builds on is not at the server yet.
    Dependency,
    /// The answer is awaited since `sent_at`.
    AwaitingAnswer {
        /// When the send mark was written.
        sent_at: Timestamp,
    },
    /// The connection failed before anything was sent.
    ConnectionFailed,
    /// The server asked to slow down and changed nothing.
    SlowDown,
    /// The server was busy and changed nothing.
    ServerBusy,
    /// A page that is not the Onceover server answered.
    NotOurServer,
    /// The confirmation is too old.
    Confirmation,
    /// The same failure too often.
    Quarantined {
        /// The problem's code.
        code: String,
    },
    /// The role does not allow it.
    Role,
    /// The case is hidden from this actor, or gone from view.
    Hidden,
    /// Read back from a damaged store: nothing of it is sent or asked about before a person puts it back.
    Recovered,
    /// It was received, and the server was put back to an earlier time and no longer has it.
    MissingAgain {
        /// When it had been received.
        received_at: Timestamp,
    },
    /// In doubt: the server is asked before any resend.
    AskFirst,
    /// In doubt: it is sent again under the same number.
    Resend,
    /// In doubt: the server no longer keeps answers this old.
    TooOld,
    /// Others changed the same fields.
    Conflict {
        /// Which fields.
        fields: Vec<String>,
    },
    /// A rule of the domain said no.
    Rule {
        /// The problem's `reason`, such as `illegal-transition`.
        reason: String,
    },
    /// The target is archived or gone.
    Archived,
    /// Too large for the server.
    TooLarge,
    /// The server does not understand this version of the change.
    NotUnderstood,
    /// The number was used for something else.
    NumberReused,
    /// The command it builds on failed.
    DependencyFailed,
    /// Sealed: the server will never apply it.
    Sealed,
    /// The payload could not be read back.
    ContentLost,
    /// Received.
    Received,
}

/// One of this computer's changes, with all that its line in a window says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Pending {
    /// Its number.
    pub command_id: CommandId,
    /// The case it is about.
    pub case_id: CaseId,
    /// What was done.
    pub operation: Operation,
    /// The payload as hashed and sent.
    #[ts(type = "unknown")]
    pub payload: serde_json::Value,
    /// For a status change: the status it goes from, as the actor saw it.
    pub from_status: Option<domain::Status>,
    /// The delivery state.
    pub state: StateName,
    /// The mark that stands for it.
    pub mark: Mark,
    /// The sentence's reason.
    pub reason: Reason,
    /// How many sends were tried.
    pub attempt: u32,
    /// When it is tried or asked about next; `None` if nothing is planned.
    pub next_attempt_at: Option<Timestamp>,
    /// When it was last sent, while its answer is awaited or never came.
    pub sent_at: Option<Timestamp>,
    /// For a conflict: who changed its fields last at the server, if the feed has said so.
    pub their_actor: Option<ActorId>,
    /// When, by the server's clock.
    pub their_at: Option<Timestamp>,
    /// When the intent was saved.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
    /// How it was decided, if it was.
    pub resolution: Option<ResolutionView>,
}

/// A line of the sync centre: a change and the case it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OutboxLine {
    /// The change.
    pub change: Pending,
    /// The case's number or external id, if it has one yet.
    pub case_label: Option<String>,
    /// The case's title.
    pub case_title: String,
    /// Which group of the sync centre it stands in.
    pub group: OutboxGroup,
}

/// The groups of the sync centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "headings of the sync centre")]
pub enum OutboxGroup {
    NeedsYou,
    InDoubt,
    Waiting,
    Received,
    Discarded,
}

/// The sync centre's lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OutboxPage {
    /// Open rows in enqueue order, then, newest first, those received or discarded since `since`.
    pub lines: Vec<OutboxLine>,
    /// The version of the outbox view this was read at.
    #[ts(type = "number")]
    pub version: u64,
}

/// How a row was decided, as programs see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "CONTRACT 8")]
pub struct ResolutionView {
    pub kind: ResolutionKind,
    pub by: ActorId,
    #[ts(type = "number")]
    pub at_ms: i64,
}

/// A row as `outbox list --json` prints it (CONTRACT 8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "CONTRACT 8")]
pub struct OutboxRowView {
    pub command_id: CommandId,
    pub idempotency_key: String,
    pub operation: Operation,
    pub target: TargetView,
    pub state: StateName,
    pub hold: Option<Hold>,
    pub attempt: u32,
    #[ts(type = "number | null")]
    pub next_attempt_at_ms: Option<i64>,
    pub last_error: Option<LastError>,
    #[ts(type = "number")]
    pub created_at_ms: i64,
    #[ts(type = "number")]
    pub updated_at_ms: i64,
    pub payload_hash: String,
    pub session_version: u32,
    pub blocked_by: Option<CommandId>,
    pub resolution: Option<ResolutionView>,
}

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "CONTRACT 3")]
pub struct TargetView {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: domain::EntityId,
}

/// A row with its past, as `outbox show --json` prints it and the details panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OutboxDetail {
    /// The row.
    #[serde(flatten)]
    pub row: OutboxRowView,
    /// The payload as hashed and sent; `None` if it could not be read back.
    #[ts(type = "unknown")]
    pub payload: Option<serde_json::Value>,
    /// What happened to it, oldest first.
    pub history: Vec<HistoryEntry>,
    /// Base, mine and theirs by field, for a conflict.
    pub conflict: Option<ConflictView>,
    /// The same row as a line of a window.
    pub line: OutboxLine,
}

/// The three sides of a conflict, by field name (CONTRACT 8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConflictView {
    /// What the actor saw.
    #[ts(type = "Record<string, unknown>")]
    pub base: serde_json::Value,
    /// What the actor wants.
    #[ts(type = "Record<string, unknown>")]
    pub mine: serde_json::Value,
    /// What the server holds.
    #[ts(type = "Record<string, unknown>")]
    pub theirs: serde_json::Value,
    /// The same, field by field, with whether each moved.
    pub fields: Vec<FieldConflict>,
    /// The case's revision as the actor saw it, where the server had given one.
    pub base_revision: Option<u32>,
    /// Its revision at the server.
    pub their_revision: Option<u32>,
    /// When the case had last changed as the actor saw it, by the server's clock, if its timeline says so.
    pub base_at: Option<Timestamp>,
    /// Who changed these fields last at the server, if the feed has said so.
    pub their_actor: Option<ActorId>,
    /// When, by the server's clock.
    pub their_at: Option<Timestamp>,
}

/// What the server said about a change when it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AskAnswer {
    /// It is applied.
    Committed,
    /// It was not applied and never will be; the row says why.
    Failed,
    /// The server has no record of it; it goes again under the same number.
    NotSeen,
    /// The server is still at it.
    Processing,
    /// The server did not answer.
    NoAnswer,
    /// The server no longer keeps answers this old; a person decides.
    Expired,
}

/// What a discard did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Discarded {
    /// How many changes were discarded: 0 if the server had applied it already, more than one if its lane went with it.
    pub discarded: u32,
}

/// What a person decided about a conflict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ConflictDecision {
    /// One side as a whole.
    Keep {
        /// Whose.
        side: Side,
    },
    /// Field by field. A field that is not named stays mine if nobody else changed it, else theirs.
    Fields {
        /// By field name (also `status`, `assignee_id`): what it shall hold.
        #[ts(type = "Record<string, string | number | null>")]
        values: std::collections::BTreeMap<String, domain::FieldValue>,
    },
}

/// The sides of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// This computer's.
    Mine,
    /// The server's.
    Theirs,
}
