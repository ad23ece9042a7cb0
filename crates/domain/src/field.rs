//! The editable fields of a case, each with its check, read and written by name.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::case::{Case, Priority};

/// A field that `case.edit` may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields of a case, described there")]
pub enum CaseField {
    Title,
    Kind,
    Priority,
    Description,
    Address,
    District,
    Latitude,
    Longitude,
    DueOn,
}

/// What a field holds. `null`, absent and "" are all [`FieldValue::Empty`].
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(untagged)]
pub enum FieldValue {
    /// Nothing.
    Empty,
    /// Text, byte for byte as typed.
    Text(String),
    /// Degrees.
    Number(f64),
}

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(d)?;
        Self::read(&value).ok_or_else(|| serde::de::Error::custom("expected a text, a number or null"))
    }
}

impl FieldValue {
    /// The value JSON carries, or `None` for a JSON type no field has.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Empty),
            Value::String(text) => Some(Self::text(text)),
            Value::Number(number) => number.as_f64().map(Self::Number),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A text, empty if it has no characters.
    pub fn text(text: &str) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Text(text.to_owned()) }
    }

    fn of(text: Option<&String>) -> Self {
        text.map_or(Self::Empty, |text| Self::text(text))
    }

    fn of_number(number: Option<f64>) -> Self {
        number.map_or(Self::Empty, Self::Number)
    }

    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Empty | Self::Number(_) => None,
        }
    }

    fn into_number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Empty | Self::Text(_) => None,
        }
    }
}

/// One field's change: what the actor saw, and what it should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Change {
    /// The value the actor saw.
    #[serde(default = "empty")]
    pub from: FieldValue,
    /// The value it should have.
    #[serde(default = "empty")]
    pub to: FieldValue,
}

fn empty() -> FieldValue {
    FieldValue::Empty
}

/// Why a value does not fit a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// The JSON type is not the field's.
    Type,
    /// The type is right, the value is not.
    Value(&'static str),
}

impl CaseField {
    /// Every editable field, in the order forms show them.
    pub const ALL: [Self; 9] = [
        Self::Title,
        Self::Kind,
        Self::Priority,
        Self::Description,
        Self::Address,
        Self::District,
        Self::Latitude,
        Self::Longitude,
        Self::DueOn,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Kind => "kind",
            Self::Priority => "priority",
            Self::Description => "description",
            Self::Address => "address",
            Self::District => "district",
            Self::Latitude => "latitude",
            Self::Longitude => "longitude",
            Self::DueOn => "due_on",
        }
    }

    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Whether a case must have it.
    pub fn is_required(self) -> bool {
        matches!(self, Self::Title | Self::Kind | Self::Priority)
    }

    /// Whether it holds a number rather than text.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Latitude | Self::Longitude)
    }

    /// Checks `value` against the field: type, requiredness, vocabulary, range.
    pub fn check(self, value: &FieldValue) -> Result<(), Misfit> {
        match value {
            FieldValue::Empty if self.is_required() => Err(Misfit::Value("may not be empty")),
            FieldValue::Empty => Ok(()),
            FieldValue::Text(_) if self.is_number() => Err(Misfit::Type),
            FieldValue::Number(_) if !self.is_number() => Err(Misfit::Type),
            FieldValue::Number(number) => self.check_number(*number),
            FieldValue::Text(text) => self.check_text(text),
        }
    }

    fn check_number(self, number: f64) -> Result<(), Misfit> {
        let limit = if self == Self::Latitude { 90.0 } else { 180.0 };
        if number.is_finite() && number.abs() <= limit { Ok(()) } else { Err(Misfit::Value("is out of range")) }
    }

    fn check_text(self, text: &str) -> Result<(), Misfit> {
        if text.contains('\0') {
            return Err(Misfit::Value("contains a NUL character"));
        }
        match self {
            Self::Kind if !is_slug(text) => Err(Misfit::Value("must be 1 to 40 of a-z, 0-9 and _")),
            Self::Priority if Priority::named(text).is_none() => {
                Err(Misfit::Value("must be low, normal, high or urgent"))
            }
            Self::DueOn if !is_date(text) => Err(Misfit::Value("must be a date, YYYY-MM-DD")),
            _ => Ok(()),
        }
    }

    /// What the field of `case` holds.
    pub fn get(self, case: &Case) -> FieldValue {
        match self {
            Self::Title => FieldValue::text(&case.title),
            Self::Kind => FieldValue::text(&case.kind),
            Self::Priority => FieldValue::text(case.priority.name()),
            Self::Description => FieldValue::of(case.description.as_ref()),
            Self::Address => FieldValue::of(case.address.as_ref()),
            Self::District => FieldValue::of(case.district.as_ref()),
            Self::Latitude => FieldValue::of_number(case.latitude),
            Self::Longitude => FieldValue::of_number(case.longitude),
            Self::DueOn => FieldValue::of(case.due_on.as_ref()),
        }
    }

    /// Puts `value`, which [`CaseField::check`] accepted, into the field of `case`.
    pub fn set(self, case: &mut Case, value: FieldValue) {
        match self {
            Self::Title => case.title = value.into_text().unwrap_or_default(),
            Self::Kind => case.kind = value.into_text().unwrap_or_default(),
            Self::Priority => {
                if let Some(priority) = value.into_text().as_deref().and_then(Priority::named) {
                    case.priority = priority;
                }
            }
            Self::Description => case.description = value.into_text(),
            Self::Address => case.address = value.into_text(),
            Self::District => case.district = value.into_text(),
            Self::Latitude => case.latitude = value.into_number(),
            Self::Longitude => case.longitude = value.into_number(),
            Self::DueOn => case.due_on = value.into_text(),
        }
    }
}

/// Whether `text` is `[a-z0-9_]{1,40}`.
pub fn is_slug(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether `text` is a calendar date written `YYYY-MM-DD`.
pub fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_calendar_dates_in_one_form() {
        for good in ["2026-11-30", "2024-02-29"] {
            assert!(is_date(good), "{good}");
        }
        for bad in ["2026-02-29", "2026-1-3", "20261130", "2026-11-30T00:00:00Z", "", "+002026-1-1"] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn absent_null_and_the_empty_text_are_the_same() {
        let change: Change = serde_json::from_str(r#"{"from":null}"#).unwrap();
        assert_eq!(change.from, FieldValue::Empty);
        assert_eq!(change.to, FieldValue::text(""));
    }
}
