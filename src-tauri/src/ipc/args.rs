//! What a window hands over with each command: one object a command, named after it.

use std::collections::BTreeMap;

use domain::{ActorId, CaseField, CaseId, Change, CommandId, FieldValue, Status, Timestamp};
use engine::view::{CaseQuery, ConflictDecision};
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use ts_rs::TS;
use uuid::Uuid;

macro_rules! args {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty $(as $ts:literal)?),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize, TS)]
        #[serde(deny_unknown_fields)]
        #[allow(missing_docs, reason = "named as in the command")]
        pub(crate) struct $name {
            $($(#[ts(type = $ts)])? pub $field: $kind,)*
        }
    )*};
}

args! {
    /// An address to try.
    ProbeServerArgs { server: String }
    /// Where and as whom to sign in.
    SignInArgs { server: String, tenant: String, username: String, password: Password }
    /// What to do with changes that are not received.
    SignOutArgs { choice: SignOutChoice }
    /// Since when "today" is: local midnight.
    SinceArgs { since: Timestamp }
    /// Whether sending rests.
    SetPausedArgs { paused: bool }
    /// Which part of the list.
    CasePageArgs { query: CaseQuery }
    /// Which case.
    CaseDetailArgs { id: CaseId }
    /// The local date, `YYYY-MM-DD`.
    ViewCountsArgs { today: String }
    /// A new case.
    CaseCreateArgs { intent_id: Uuid as "string", fields: BTreeMap<CaseField, FieldValue>, status: Option<Status> }
    /// Changed fields, each with the value it was changed from.
    CaseEditArgs { intent_id: Uuid as "string", case_id: CaseId, changes: BTreeMap<CaseField, Change> }
    /// A step of the status machine.
    CaseTransitionArgs {
        intent_id: Uuid as "string", case_id: CaseId, to: Status, reason_code: String, comment: Option<String>,
    }
    /// A change of assignee.
    CaseAssignArgs { intent_id: Uuid as "string", case_id: CaseId, from: Option<ActorId>, to: Option<ActorId> }
    /// A note.
    NoteAddArgs { intent_id: Uuid as "string", case_id: CaseId, text: String }
    /// A tag, to add or to remove.
    TagArgs { intent_id: Uuid as "string", case_id: CaseId, tag: String }
    /// Which change.
    CommandArgs { command_id: CommandId }
    /// The decision about a conflict.
    OutboxResolveArgs { command_id: CommandId, decision: ConflictDecision }
    /// Which case to open; a member of its own, because the window is named after it.
    OpenCaseWindowArgs { id: CaseId }
    /// What the window shows.
    SetWindowTitleArgs { title: String }
}

/// A password on its way to the server: never printed, wiped when dropped.
#[derive(Debug, Clone, TS)]
#[ts(type = "string")]
pub(crate) struct Password(pub SecretString);

impl<'de> Deserialize<'de> for Password {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d).map(|text| Self(SecretString::from(text)))
    }
}

/// What signing out does with changes that are not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum SignOutChoice {
    /// They stay, for this account only.
    Keep,
    /// They are never sent.
    Discard {
        /// How many the person was told of, and typed.
        confirmed_count: u32,
    },
}
