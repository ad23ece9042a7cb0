//! Ids, revisions and times as their own types, so that none can be mistaken for another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ts_rs::TS;
use uuid::Uuid;

/// A text is not a canonical lower-case UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a lower-case UUID")]
pub struct IdError;

/// Reads the canonical form only: 36 characters, lower case, hyphenated (CONTRACT 1).
fn parse_uuid(text: &str) -> Result<Uuid, IdError> {
    let id = Uuid::try_parse(text).map_err(|_| IdError)?;
    if id.hyphenated().to_string() == text { Ok(id) } else { Err(IdError) }
}

macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, TS)]
        #[ts(type = "string")]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                parse_uuid(text).map(Self)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = String::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

id_types! {
    /// A case.
    CaseId;
    /// A note on a case.
    NoteId;
    /// A task on a case.
    TaskId;
    /// A stretch of work on a case.
    TimeEntryId;
    /// An inspection of a case.
    InspectionId;
    /// A notice issued on a case.
    NoticeId;
    /// A word to one person about a case; the id of the command that caused it.
    NotificationId;
    /// A command: one intent in its durable form; also its operation id at the server.
    CommandId;
    /// A person who acts.
    ActorId;
    /// An organization; nothing crosses from one to another.
    TenantId;
    /// Any entity of the feed, whatever its type.
    EntityId;
}

macro_rules! into_entity_id {
    ($($name:ident)*) => {$(
        impl From<$name> for EntityId {
            fn from(id: $name) -> Self {
                Self(id.0)
            }
        }
    )*};
}

into_entity_id! { CaseId NoteId TaskId TimeEntryId InspectionId NoticeId NotificationId CommandId ActorId }

/// How often an entity was changed; the first committed state is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(transparent)]
#[ts(type = "number")]
pub struct Revision(pub u32);

impl Revision {
    /// The revision after one more change.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A moment, in milliseconds since the Unix epoch; written as RFC 3339 UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, TS)]
#[ts(type = "string")]
pub struct Timestamp(pub i64);

/// A text is not an RFC 3339 time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 time")]
pub struct TimestampError;

impl Timestamp {
    /// This moment moved by `ms` milliseconds, staying within the representable range.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        });
        write!(f, "{moment:.3}")
    }
}
impl FromStr for Timestamp {
    type Err = TimestampError;
    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let moment: jiff::Timestamp = text.parse().map_err(|_| TimestampError)?;
        Ok(Self(moment.as_millisecond()))
    }
}
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_in_its_canonical_form_only() {
        let text = "0197f3c2-5a10-7000-8000-000000000001";
        assert_eq!(text.parse::<CaseId>().unwrap().to_string(), text);
        for bad in ["0197F3C2-5A10-7000-8000-000000000001", "0197f3c25a1070008000000000000001", "", "x"] {
            assert_eq!(bad.parse::<CaseId>(), Err(IdError), "{bad}");
        }
    }

    #[test]
    fn a_time_is_written_in_utc_with_milliseconds() {
        let time: Timestamp = "2026-11-30T10:12:00+01:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-30T09:12:00.000Z");
        assert!(Timestamp(i64::MAX).to_string().parse::<Timestamp>().is_ok());
    }
}
