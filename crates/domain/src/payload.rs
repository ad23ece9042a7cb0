//! The payload of each operation, read strictly: what is not named here is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::case::{Priority, Status};
use crate::field::{CaseField, Change, FieldValue, Misfit, is_slug};
use crate::ids::{ActorId, NoteId};
use crate::registry::Operation;

/// A payload, by operation.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each payload describes itself")]
pub enum Payload {
    CaseCreate(CaseCreate),
    CaseEdit(CaseEdit),
    CaseTransition(CaseTransition),
    CaseAssign(CaseAssign),
    TagAdd(Tag),
    TagRemove(Tag),
    NoteAdd(NoteAdd),
}

/// `case.create`: the new case's fields; each is checked as `case.edit` would check it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseCreate {
    /// The editable fields that are not empty.
    #[serde(flatten)]
    pub fields: BTreeMap<CaseField, FieldValue>,
    /// `draft` (the default) or `open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The id in another system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// `case.edit`: what each changed field held and shall hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseEdit {
    /// At least one.
    pub changes: BTreeMap<CaseField, Change>,
}

/// `case.transition`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseTransition {
    /// The status it goes to.
    pub to: Status,
    /// A slug.
    pub reason_code: String,
    /// More words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `case.assign`: from whom to whom; `None` is nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseAssign {
    /// Whom the actor saw as the assignee.
    pub from: Option<ActorId>,
    /// Who shall be it.
    pub to: Option<ActorId>,
}

/// `tag.add`, `tag.remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The tag, 1 to 60 characters.
    pub tag: String,
}

/// `note.add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteAdd {
    /// The new note's id.
    pub note_id: NoteId,
    /// Its text.
    pub text: String,
}

/// One member that is missing or out of its domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberError {
    /// RFC 6901 pointer into the payload.
    pub pointer: String,
    /// What is wrong with it, for a person.
    pub detail: String,
}

/// Why a payload is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// A wrong JSON type or an unknown member.
    #[error("{detail} at {pointer}")]
    Malformed {
        /// RFC 6901 pointer into the payload.
        pointer: String,
        /// For a person.
        detail: String,
    },
    /// Well-formed, but members are missing or out of their domain.
    #[error("the payload has {} members out of their domain", .0.len())]
    Invalid(Vec<MemberError>),
}

impl Payload {
    /// Whose payload it is.
    pub fn operation(&self) -> Operation {
        match self {
            Self::CaseCreate(_) => Operation::CaseCreate,
            Self::CaseEdit(_) => Operation::CaseEdit,
            Self::CaseTransition(_) => Operation::CaseTransition,
            Self::CaseAssign(_) => Operation::CaseAssign,
            Self::TagAdd(_) => Operation::TagAdd,
            Self::TagRemove(_) => Operation::TagRemove,
            Self::NoteAdd(_) => Operation::NoteAdd,
        }
    }

    /// The JSON form this build writes. What was received is kept as received; this is for new commands.
    pub fn to_value(&self) -> Value {
        let value = match self {
            Self::CaseCreate(payload) => serde_json::to_value(payload),
            Self::CaseEdit(payload) => serde_json::to_value(payload),
            Self::CaseTransition(payload) => serde_json::to_value(payload),
            Self::CaseAssign(payload) => serde_json::to_value(payload),
            Self::TagAdd(payload) | Self::TagRemove(payload) => serde_json::to_value(payload),
            Self::NoteAdd(payload) => serde_json::to_value(payload),
        };
        value.expect("payloads hold only texts, numbers and maps with text keys")
    }

    /// The payload without texts that are entities of their own: what the timeline keeps.
    pub fn summary(&self) -> Value {
        match self {
            Self::NoteAdd(note) => serde_json::json!({ "note_id": note.note_id }),
            _ => self.to_value(),
        }
    }

    /// Reads `value` as the payload of `operation`.
    ///
    /// # Errors
    /// [`PayloadError::Malformed`] for a wrong JSON type or an unknown member,
    /// [`PayloadError::Invalid`] with every member that is missing or out of its domain.
    pub fn read(operation: Operation, value: &Value) -> Result<Self, PayloadError> {
        let mut members = Members::of(value, "")?;
        let payload = match operation {
            Operation::CaseCreate => Self::CaseCreate(read_create(&mut members)?),
            Operation::CaseEdit => Self::CaseEdit(read_edit(&mut members)?),
            Operation::CaseTransition => Self::CaseTransition(CaseTransition {
                to: members.named("to", "must be a status", Status::named)?.unwrap_or(Status::Draft),
                reason_code: members.slug("reason_code")?,
                comment: members.optional_text("comment")?,
            }),
            Operation::CaseAssign => {
                Self::CaseAssign(CaseAssign { from: members.actor("from")?, to: members.actor("to")? })
            }
            Operation::TagAdd => Self::TagAdd(Tag { tag: members.tag()? }),
            Operation::TagRemove => Self::TagRemove(Tag { tag: members.tag()? }),
            Operation::NoteAdd => {
                let note_id = members.named("note_id", "must be a lower-case UUID", |text| text.parse().ok())?;
                Self::NoteAdd(NoteAdd {
                    note_id: note_id.unwrap_or(NoteId(uuid::Uuid::nil())),
                    text: members.required_text("text")?,
                })
            }
        };
        members.finish()?;
        Ok(payload)
    }
}

fn read_create(members: &mut Members<'_>) -> Result<CaseCreate, PayloadError> {
    let mut fields = BTreeMap::new();
    for field in CaseField::ALL {
        let value = members.field(field.name())?;
        members.check(field, &value, field.name())?;
        if value != FieldValue::Empty {
            fields.insert(field, value);
        }
    }
    let status = members.optional_named("status", "must be draft or open", |name| {
        Status::named(name).filter(|status| matches!(status, Status::Draft | Status::Open))
    })?;
    Ok(CaseCreate { fields, status, external_id: members.optional_text("external_id")? })
}

fn read_edit(members: &mut Members<'_>) -> Result<CaseEdit, PayloadError> {
    let mut changes = BTreeMap::new();
    let Some(value) = members.take("changes") else {
        members.invalid("changes", "is missing");
        return Ok(CaseEdit { changes });
    };
    let Value::Object(map) = value else { return Err(members.malformed("changes", "must be an object")) };
    if map.is_empty() {
        members.invalid("changes", "names no field");
    }
    for (name, value) in map {
        let pointer = format!("changes/{}", name.replace('~', "~0").replace('/', "~1"));
        let Some(field) = CaseField::named(name) else {
            return Err(members.malformed(&pointer, "is not an editable field"));
        };
        let mut inner = Members::of(value, &format!("/{pointer}"))?;
        let change = Change { from: inner.field("from")?, to: inner.field("to")? };
        inner.finish()?;
        for (value, end) in [(&change.from, "from"), (&change.to, "to")] {
            // What the actor saw may be older than today's rules; only its type is checked.
            if end == "to" || field.check(value) == Err(Misfit::Type) {
                members.check(field, value, &format!("{pointer}/{end}"))?;
            }
        }
        changes.insert(field, change);
    }
    Ok(CaseEdit { changes })
}

/// The members of one object, taken one by one; what is left over is unknown.
struct Members<'a> {
    map: &'a Map<String, Value>,
    base: String,
    taken: Vec<&'static str>,
    errors: Vec<MemberError>,
}

impl<'a> Members<'a> {
    fn of(value: &'a Value, base: &str) -> Result<Self, PayloadError> {
        match value {
            Value::Object(map) => Ok(Self { map, base: base.to_owned(), taken: Vec::new(), errors: Vec::new() }),
            _ => Err(PayloadError::Malformed { pointer: base.to_owned(), detail: "must be an object".to_owned() }),
        }
    }

    fn take(&mut self, name: &'static str) -> Option<&'a Value> {
        self.taken.push(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn malformed(&self, name: &str, detail: &str) -> PayloadError {
        PayloadError::Malformed { pointer: format!("{}/{name}", self.base), detail: detail.to_owned() }
    }

    fn invalid(&mut self, name: &str, detail: &str) {
        self.errors.push(MemberError { pointer: format!("{}/{name}", self.base), detail: detail.to_owned() });
    }

    fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, PayloadError> {
        let text = match self.take(name) {
            None => None,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(_) => return Err(self.malformed(name, "must be a text")),
        };
        if text.is_some_and(|text| text.contains('\0')) {
            self.invalid(name, "contains a NUL character");
        }
        Ok(text.filter(|text| !text.is_empty()))
    }

    fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, PayloadError> {
        Ok(self.text(name)?.map(str::to_owned))
    }

    fn required_text(&mut self, name: &'static str) -> Result<String, PayloadError> {
        let text = self.text(name)?;
        if text.is_none() {
            self.invalid(name, "may not be empty");
        }
        Ok(text.unwrap_or_default().to_owned())
    }

    fn slug(&mut self, name: &'static str) -> Result<String, PayloadError> {
        let text = self.required_text(name)?;
        if !text.is_empty() && !is_slug(&text) {
            self.invalid(name, "must be 1 to 40 of a-z, 0-9 and _");
        }
        Ok(text)
    }

    fn tag(&mut self) -> Result<String, PayloadError> {
        let tag = self.required_text("tag")?;
        if tag.chars().count() > 60 {
            self.invalid("tag", "is longer than 60 characters");
        }
        Ok(tag)
    }

    fn optional_named<T>(
        &mut self,
        name: &'static str,
        detail: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, PayloadError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let value = read(text);
        if value.is_none() {
            self.invalid(name, detail);
        }
        Ok(value)
    }

    fn named<T>(
        &mut self,
        name: &'static str,
        detail: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, PayloadError> {
        if self.text(name)?.is_none() {
            self.invalid(name, "may not be empty");
            return Ok(None);
        }
        self.optional_named(name, detail, read)
    }

    fn actor(&mut self, name: &'static str) -> Result<Option<ActorId>, PayloadError> {
        self.optional_named(name, "must be a lower-case UUID", |text| text.parse().ok())
    }

    fn field(&mut self, name: &'static str) -> Result<FieldValue, PayloadError> {
        let value = self.take(name).map_or(Some(FieldValue::Empty), FieldValue::read);
        value.ok_or_else(|| self.malformed(name, "must be a text, a number or null"))
    }

    fn check(&mut self, field: CaseField, value: &FieldValue, pointer: &str) -> Result<(), PayloadError> {
        match field.check(value) {
            Ok(()) => Ok(()),
            Err(Misfit::Type) => {
                Err(self.malformed(pointer, if field.is_number() { "must be a number" } else { "must be a text" }))
            }
            Err(Misfit::Value(detail)) => {
                self.invalid(pointer, detail);
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<(), PayloadError> {
        if let Some(name) = self.map.keys().find(|name| !self.taken.contains(&name.as_str())) {
            return Err(self.malformed(&name.replace('~', "~0").replace('/', "~1"), "is not a member of this payload"));
        }
        if self.errors.is_empty() { Ok(()) } else { Err(PayloadError::Invalid(self.errors)) }
    }
}

/// The priority a new case gets: the payload's, which reading checked.
pub(crate) fn priority_of(create: &CaseCreate) -> Priority {
    match create.fields.get(&CaseField::Priority) {
        Some(FieldValue::Text(name)) => Priority::named(name).unwrap_or(Priority::Normal),
        _ => Priority::Normal,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_survives_being_written_and_read() {
        let note = "0197f3c2-5a10-7000-8000-0000000000aa";
        for (operation, value) in [
            (
                Operation::CaseCreate,
                json!({"title":"t","kind":"other","priority":"low","status":"open","latitude":1.5}),
            ),
            (Operation::CaseEdit, json!({"changes":{"title":{"from":"a","to":"b"},"due_on":{"from":null,"to":null}}})),
            (Operation::CaseTransition, json!({"to":"open","reason_code":"ready"})),
            (Operation::CaseAssign, json!({"from":null,"to":note})),
            (Operation::TagAdd, json!({"tag":"fire"})),
            (Operation::NoteAdd, json!({"note_id":note,"text":" x\n"})),
        ] {
            let payload = Payload::read(operation, &value).unwrap();
            assert_eq!(payload.operation(), operation);
            assert_eq!(payload.to_value(), value, "{operation:?}");
        }
    }

    #[test]
    fn wrong_types_and_unknown_members_are_malformed() {
        for (operation, value) in [
            (Operation::NoteAdd, json!([])),
            (Operation::NoteAdd, json!({"note_id":1,"text":"x"})),
            (Operation::TagAdd, json!({"tag":"x","more":1})),
            (Operation::CaseEdit, json!({"changes":{"status":{"from":"a","to":"b"}}})),
            (Operation::CaseEdit, json!({"changes":{"latitude":{"from":null,"to":"1"}}})),
            (Operation::CaseEdit, json!({"changes":{"title":{"from":7,"to":"1"}}})),
        ] {
            assert!(matches!(Payload::read(operation, &value), Err(PayloadError::Malformed { .. })), "{value}");
        }
    }

    #[test]
    fn every_member_out_of_its_domain_is_named() {
        let value = json!({"title":"","kind":"No Slug","priority":"asap","due_on":"2026-02-30","latitude":91});
        let Err(PayloadError::Invalid(errors)) = Payload::read(Operation::CaseCreate, &value) else { panic!() };
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/title", "/kind", "/priority", "/latitude", "/due_on"]);
        let value = json!({"changes":{"title":{"from":"a","to":""}}});
        let Err(PayloadError::Invalid(errors)) = Payload::read(Operation::CaseEdit, &value) else { panic!() };
        assert_eq!(errors[0].pointer, "/changes/title/to");
    }
}
