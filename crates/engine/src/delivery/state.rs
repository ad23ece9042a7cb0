//! Where a change stands, and the one function that moves it (DESIGN 3).
//!
//! The live path and the recovery after a crash go through [`Delivery::after`]. The stores mirror the states in
//! their CHECKs and apply each step as one guarded UPDATE and one history row.

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use uuid::Uuid;
use wire::Receipt;

/// Where a change stands. One row of the outbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Delivery {
    /// Saved; nothing was sent under this claim.
    Queued,
    /// Taken by the sender; nothing was sent yet.
    Claimed {
        /// Whose it is.
        claim: Claim,
    },
    /// The send mark is down: from here on the server may have applied it.
    Sending {
        /// Whose it is.
        claim: Claim,
        /// When the mark was written.
        sent_at: Timestamp,
    },
    /// Surely not applied; tried again when due, or when its hold ends.
    RetryableFailed {
        /// When it is due; `None` while only a person or another event can free it.
        due_at: Option<Timestamp>,
        /// What it waits for.
        hold: Hold,
    },
    /// Sent, and no valid answer. Only evidence or a person ends this.
    Unknown {
        /// When the server is asked, or the resend is due; `None` while it is held for a person.
        ask_at: Option<Timestamp>,
        /// Set when only a person can decide ([`Hold::Person`]).
        hold: Option<Hold>,
    },
    /// The target was not what the actor saw; nothing was applied.
    Conflict {
        /// What the server said.
        conflict: ConflictFound,
    },
    /// Refused for good under this key; nothing was applied.
    Rejected {
        /// Why.
        refusal: Refusal,
    },
    /// Committed at the server.
    Acked {
        /// The evidence.
        receipt: KeptReceipt,
    },
}

/// A sender's hold on a row. It ends with its owner, never by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The owner epoch of the process that claimed.
    pub epoch: u64,
    /// Made for this claim; every later step of it carries it.
    pub token: Uuid,
}

/// What a row that was surely not applied waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// A sign-in (401).
    Login,
    /// A right (403, or 404 for a hidden target).
    Grant,
    /// The actor's confirmation.
    Confirmation,
    /// Something it builds on (424, 404).
    Dependency,
    /// The network.
    Network,
    /// Time only: back-off or `Retry-After`.
    Time,
    /// A person: it failed the same way too often.
    Quarantined,
    /// A person: nothing else can decide.
    Person,
}

/// What the server said of a conflict, with what the actor had seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConflictFound {
    /// The target's revision at the server.
    pub current_revision: Option<u32>,
    /// What the fields that moved hold there.
    pub current: Value,
    /// The fields that moved.
    pub conflicting_fields: Vec<String>,
}

/// Why the server refused for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The problem's code.
    pub code: String,
    /// The problem's `reason`, for a rule of the domain.
    pub reason: Option<String>,
    /// The problem's detail, for a person.
    pub detail: String,
}

/// What proves that a row is committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum KeptReceipt {
    /// The receipt itself.
    Full {
        /// As received.
        receipt: Receipt,
    },
    /// Committed, details withheld (403 `replay-forbidden`).
    Withheld,
    /// The feed showed an entity stamped with this command.
    Feed {
        /// Its position.
        position: u64,
    },
}

/// What happens to a row.
#[derive(Debug, Clone, PartialEq)]
pub enum DeliveryEvent {
    /// The sender takes it. `now` is compared with `due_at`.
    ClaimedBy {
        /// By whom.
        claim: Claim,
        /// When.
        now: Timestamp,
    },
    /// The owner is gone (a higher epoch), or gives the row back. An unsent row is free again, a sent one in doubt.
    ClaimEnded {
        /// When a row in doubt is asked about.
        ask_at: Timestamp,
    },
    /// About to send.
    SendMarked {
        /// When.
        now: Timestamp,
    },
    /// A receipt whose fence is this row's.
    ReceiptValid(KeptReceipt),
    /// A receipt for this row that came under another session: kept, and nothing else may follow from it.
    ReceiptFenced(KeptReceipt),
    /// Surely not applied.
    NotApplied {
        /// When to try again.
        due_at: Option<Timestamp>,
        /// What it waits for.
        hold: Hold,
    },
    /// Sent, and it is not known what became of it.
    OutcomeUnknown {
        /// When to ask or resend.
        ask_at: Timestamp,
    },
    /// The server could not say yet, or could not be asked.
    StillUnknown {
        /// When to ask again.
        ask_at: Timestamp,
    },
    /// The server no longer keeps answers this old (410 `operation-window-expired`).
    WindowExpired,
    /// The server has no record of the key.
    NotSeen,
    /// The operation may be sent again with the same key, and that is due.
    ResendDue {
        /// Compared with `ask_at`.
        now: Timestamp,
    },
    /// The feed shows an entity stamped with this command.
    FeedShowed {
        /// Its position.
        position: u64,
    },
    /// 412.
    ConflictFound(ConflictFound),
    /// Any other final 4xx.
    Refused(Refusal),
    /// The server has no record any more of what it had confirmed: it was put back to an earlier time.
    MissingAgain,
    /// A person, a sign-in or a returning network asks for it now, whatever its hold.
    Requeued,
    /// Its actor says again that it is meant, at this time.
    Confirmed {
        /// When.
        at: Timestamp,
    },
}

/// The states by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "see `Delivery`")]
pub enum StateName {
    Queued,
    Claimed,
    Sending,
    RetryableFailed,
    Unknown,
    Conflict,
    Rejected,
    Acked,
}

/// The events by name, as the history keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "see `DeliveryEvent`")]
pub enum EventName {
    Accepted,
    ClaimedBy,
    ClaimEnded,
    SendMarked,
    ReceiptValid,
    ReceiptFenced,
    NotApplied,
    OutcomeUnknown,
    StillUnknown,
    WindowExpired,
    NotSeen,
    ResendDue,
    FeedShowed,
    ConflictFound,
    Refused,
    MissingAgain,
    Requeued,
    Confirmed,
    Superseded,
    Rebased,
    Discarded,
    Projected,
}

/// An event that cannot happen in this state: a bug, or a damaged database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{event:?} cannot happen to a change that is {state:?}")]
pub struct IllegalTransition {
    /// The state it met.
    pub state: StateName,
    /// What was to happen.
    pub event: EventName,
}

impl Delivery {
    /// The state after `event`. Pure: times arrive inside the event.
    ///
    /// # Errors
    /// [`IllegalTransition`] if `event` cannot happen in this state.
    #[allow(clippy::match_same_arms, reason = "one line a legal pair of the table")]
    pub fn after(self, event: DeliveryEvent) -> Result<Self, IllegalTransition> {
        use DeliveryEvent as E;
        match (self, event) {
            (Self::Queued, E::ClaimedBy { claim, .. }) => Ok(Self::Claimed { claim }),
            (Self::RetryableFailed { due_at: Some(due_at), .. }, E::ClaimedBy { claim, now }) if due_at <= now => {
                Ok(Self::Claimed { claim })
            }
            (Self::Claimed { .. }, E::ClaimEnded { .. }) => Ok(Self::Queued),
            (Self::Claimed { claim }, E::SendMarked { now }) => Ok(Self::Sending { claim, sent_at: now }),
            (Self::Sending { .. }, E::ClaimEnded { ask_at } | E::OutcomeUnknown { ask_at })
            | (Self::Unknown { hold: None, .. }, E::StillUnknown { ask_at }) => {
                Ok(Self::Unknown { ask_at: Some(ask_at), hold: None })
            }
            (Self::Sending { .. }, E::NotApplied { due_at, hold }) => Ok(Self::RetryableFailed { due_at, hold }),
            (Self::Sending { .. } | Self::Unknown { .. }, E::ReceiptValid(receipt) | E::ReceiptFenced(receipt)) => {
                Ok(Self::Acked { receipt })
            }
            (Self::Sending { .. } | Self::Unknown { .. }, E::ConflictFound(conflict)) => {
                Ok(Self::Conflict { conflict })
            }
            (Self::Sending { .. } | Self::Unknown { .. }, E::Refused(refusal)) => Ok(Self::Rejected { refusal }),
            (Self::Sending { .. } | Self::Unknown { .. }, E::WindowExpired) => {
                Ok(Self::Unknown { ask_at: None, hold: Some(Hold::Person) })
            }
            // A person may still ask about a row that is held for one; the answer counts all the same.
            (Self::Unknown { hold: Some(hold), .. }, E::StillUnknown { .. }) => {
                Ok(Self::Unknown { ask_at: None, hold: Some(hold) })
            }
            // Surely not applied, as the server is now. Whether it still shall be, its actor decides.
            (Self::Acked { .. }, E::MissingAgain) => Ok(Self::RetryableFailed { due_at: None, hold: Hold::Person }),
            (Self::RetryableFailed { hold: Hold::Confirmation, .. }, E::Confirmed { .. }) => Ok(Self::Queued),
            (Self::Unknown { .. }, E::NotSeen) | (Self::RetryableFailed { .. }, E::Requeued) => Ok(Self::Queued),
            (Self::Unknown { ask_at: Some(ask_at), hold: None }, E::ResendDue { now }) if ask_at <= now => {
                Ok(Self::Queued)
            }
            (Self::Unknown { .. }, E::FeedShowed { position }) => {
                Ok(Self::Acked { receipt: KeptReceipt::Feed { position } })
            }
            (state, event) => Err(IllegalTransition { state: state.name(), event: event.name() }),
        }
    }

    /// The state's name.
    pub fn name(&self) -> StateName {
        match self {
            Self::Queued => StateName::Queued,
            Self::Claimed { .. } => StateName::Claimed,
            Self::Sending { .. } => StateName::Sending,
            Self::RetryableFailed { .. } => StateName::RetryableFailed,
            Self::Unknown { .. } => StateName::Unknown,
            Self::Conflict { .. } => StateName::Conflict,
            Self::Rejected { .. } => StateName::Rejected,
            Self::Acked { .. } => StateName::Acked,
        }
    }

    /// The claim, while there is one.
    pub fn claim(&self) -> Option<Claim> {
        match self {
            Self::Claimed { claim } | Self::Sending { claim, .. } => Some(*claim),
            _ => None,
        }
    }

    /// What it waits for, if it says.
    pub fn hold(&self) -> Option<Hold> {
        match self {
            Self::RetryableFailed { hold, .. } => Some(*hold),
            Self::Unknown { hold, .. } => *hold,
            _ => None,
        }
    }

    /// When something happens to it by itself.
    pub fn due_at(&self) -> Option<Timestamp> {
        match self {
            Self::RetryableFailed { due_at, .. } => *due_at,
            Self::Unknown { ask_at, .. } => *ask_at,
            _ => None,
        }
    }
}

impl StateName {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Claimed,
        Self::Sending,
        Self::RetryableFailed,
        Self::Unknown,
        Self::Conflict,
        Self::Rejected,
        Self::Acked,
    ];

    /// The name in the database and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Claimed => "claimed",
            Self::Sending => "sending",
            Self::RetryableFailed => "retryable_failed",
            Self::Unknown => "unknown",
            Self::Conflict => "conflict",
            Self::Rejected => "rejected",
            Self::Acked => "acked",
        }
    }

    /// The state of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl DeliveryEvent {
    /// The event's name.
    pub fn name(&self) -> EventName {
        match self {
            Self::ClaimedBy { .. } => EventName::ClaimedBy,
            Self::ClaimEnded { .. } => EventName::ClaimEnded,
            Self::SendMarked { .. } => EventName::SendMarked,
            Self::ReceiptValid(_) => EventName::ReceiptValid,
            Self::ReceiptFenced(_) => EventName::ReceiptFenced,
            Self::NotApplied { .. } => EventName::NotApplied,
            Self::OutcomeUnknown { .. } => EventName::OutcomeUnknown,
            Self::StillUnknown { .. } => EventName::StillUnknown,
            Self::WindowExpired => EventName::WindowExpired,
            Self::NotSeen => EventName::NotSeen,
            Self::ResendDue { .. } => EventName::ResendDue,
            Self::FeedShowed { .. } => EventName::FeedShowed,
            Self::ConflictFound(_) => EventName::ConflictFound,
            Self::Refused(_) => EventName::Refused,
            Self::MissingAgain => EventName::MissingAgain,
            Self::Requeued => EventName::Requeued,
            Self::Confirmed { .. } => EventName::Confirmed,
        }
    }
}
