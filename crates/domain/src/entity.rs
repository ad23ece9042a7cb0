//! Everything a command can create or change, as one type: what storage keeps and the feed carries.

use serde_json::Value;

use crate::case::Case;
use crate::ids::{ActorId, CaseId, EntityId, Revision};
use crate::inspection::Inspection;
use crate::note::Note;
use crate::notice::Notice;
use crate::notification::Notification;
use crate::registry::Operation;
use crate::task::Task;
use crate::time_entry::TimeEntry;
use crate::timeline::Activity;

macro_rules! entities {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// The types of entities that commands make.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each entity describes itself")]
        pub enum EntityKind { $($variant),* }

        /// An entity in one of its states.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(missing_docs, reason = "each entity describes itself")]
        #[allow(clippy::large_enum_variant, reason = "a handful a command, moved once or twice")]
        pub enum Entity { $($variant($variant)),* }

        impl EntityKind {
            /// Each of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl Entity {
            /// Its type.
            pub fn kind(&self) -> EntityKind {
                match self { $(Self::$variant(_) => EntityKind::$variant),* }
            }

            /// Its id, unique among entities of its type.
            pub fn id(&self) -> EntityId {
                match self { $(Self::$variant(entity) => entity.id.into()),* }
            }

            /// Its revision.
            pub fn revision(&self) -> Revision {
                match self { $(Self::$variant(entity) => entity.revision),* }
            }

            /// Reads the JSON form.
            ///
            /// # Errors
            /// When `value` does not have the members of `kind`.
            pub fn read(kind: EntityKind, value: &str) -> Result<Self, serde_json::Error> {
                Ok(match kind { $(EntityKind::$variant => Self::$variant(serde_json::from_str(value)?)),* })
            }

            /// Reads the JSON form.
            ///
            /// # Errors
            /// When `value` does not have the members of `kind`.
            pub fn from_value(kind: EntityKind, value: Value) -> Result<Self, serde_json::Error> {
                Ok(match kind { $(EntityKind::$variant => Self::$variant(serde_json::from_value(value)?)),* })
            }

            /// Writes the JSON form.
            ///
            /// # Errors
            /// None that an entity can cause: all its maps have text keys.
            pub fn to_json(&self) -> Result<String, serde_json::Error> {
                match self { $(Self::$variant(entity) => serde_json::to_string(entity)),* }
            }
        }

        $(impl From<$variant> for Entity {
            fn from(entity: $variant) -> Self {
                Self::$variant(entity)
            }
        })*
    };
}

entities! {
    Case "case",
    Note "note",
    Task "task",
    TimeEntry "time_entry",
    Inspection "inspection",
    Notice "notice",
    Notification "notification",
    Activity "activity",
}

impl EntityKind {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Entity {
    /// The case it is, or belongs to.
    pub fn case_id(&self) -> CaseId {
        match self {
            Self::Case(case) => case.id,
            Self::Note(note) => note.case_id,
            Self::Task(task) => task.case_id,
            Self::TimeEntry(entry) => entry.case_id,
            Self::Inspection(inspection) => inspection.case_id,
            Self::Notice(notice) => notice.case_id,
            Self::Notification(notification) => notification.case_id,
            Self::Activity(activity) => activity.case_id,
        }
    }

    /// The one actor who may see it; `None` if the whole organization may.
    pub fn visible_to(&self) -> Option<ActorId> {
        match self {
            Self::Notification(notification) => Some(notification.recipient_id),
            // That somebody read a word to them is nobody else's.
            Self::Activity(activity) if activity.operation == Operation::NotificationRead => Some(activity.created_by),
            _ => None,
        }
    }
}
