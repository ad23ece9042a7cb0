//! Reads payloads strictly, member by member: what is not named here is refused, and everything that is
//! missing or out of its domain is told at once.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::case::Status;
use crate::field::{CaseField, Change, FieldValue, Misfit, is_date, is_slug};
use crate::ids::{ActorId, Timestamp};
use crate::inspection::{Finding, Outcome, Severity};
use crate::payload::{
    CaseAssign, CaseCreate, CaseEdit, CaseTransition, InspectionRecord, MemberError, NoteAdd, NoteRedact, NoticeIssue,
    NotificationRead, Payload, PayloadError, Reason, Tag, TaskAdd, TaskSetDone, TimeLog,
};
use crate::registry::Operation;

/// Minutes of a day: the longest time entry.
const DAY_MINUTES: u16 = 1440;
/// Findings of one inspection.
const FINDINGS_MAX: usize = 500;

impl Payload {
    /// Reads `value` as the payload of `operation`.
    ///
    /// # Errors
    /// [`PayloadError::Malformed`] for a wrong JSON type or an unknown member,
    /// [`PayloadError::Invalid`] with every member that is missing or out of its domain.
    pub fn read(operation: Operation, value: &Value) -> Result<Self, PayloadError> {
        let mut members = Members::of(value, "")?;
        let payload = read(operation, &mut members)?;
        // What is invalid is told first where both hold; a reader that got no value has said so there.
        members.finish()?;
        payload.ok_or_else(|| PayloadError::Invalid(Vec::new()))
    }
}

/// `None` only if a member is missing or out of its domain, which `members` has gathered.
fn read(operation: Operation, members: &mut Members<'_>) -> Result<Option<Payload>, PayloadError> {
    Ok(match operation {
        Operation::CaseCreate => Some(Payload::CaseCreate(read_create(members)?)),
        Operation::CaseEdit => Some(Payload::CaseEdit(read_edit(members)?)),
        Operation::CaseTransition => {
            let to = members.named("to", "must be a status", Status::named)?;
            let (reason_code, comment) = (members.slug("reason_code")?, members.optional_text("comment")?);
            to.map(|to| Payload::CaseTransition(CaseTransition { to, reason_code, comment }))
        }
        Operation::CaseAssign => {
            Some(Payload::CaseAssign(CaseAssign { from: members.actor("from")?, to: members.actor("to")? }))
        }
        Operation::CaseArchive => Some(Payload::CaseArchive(Reason { reason: members.required_text("reason")? })),
        Operation::CaseRestore => Some(Payload::CaseRestore(Reason { reason: members.required_text("reason")? })),
        Operation::TagAdd => Some(Payload::TagAdd(Tag { tag: members.tag()? })),
        Operation::TagRemove => Some(Payload::TagRemove(Tag { tag: members.tag()? })),
        Operation::NoteAdd => {
            let (id, text) = (members.id("note_id")?, members.required_text("text")?);
            id.map(|note_id| Payload::NoteAdd(NoteAdd { note_id, text }))
        }
        Operation::NoteRedact => {
            let (id, reason) = (members.id("note_id")?, members.required_text("reason")?);
            id.map(|note_id| Payload::NoteRedact(NoteRedact { note_id, reason }))
        }
        Operation::TaskAdd => {
            let (id, title) = (members.id("task_id")?, members.required_text("title")?);
            let due_on = members.optional_date("due_on")?;
            id.map(|task_id| Payload::TaskAdd(TaskAdd { task_id, title, due_on }))
        }
        Operation::TaskSetDone => {
            let (id, done) = (members.id("task_id")?, members.boolean("done")?);
            id.zip(done).map(|(task_id, done)| Payload::TaskSetDone(TaskSetDone { task_id, done }))
        }
        Operation::TimeLog => read_time(members)?,
        Operation::InspectionRecord => read_inspection(members)?,
        Operation::NoticeIssue => {
            let (id, kind) = (members.id("notice_id")?, members.slug("kind")?);
            let (recipient, body) = (members.required_text("recipient")?, members.required_text("body")?);
            id.map(|notice_id| Payload::NoticeIssue(NoticeIssue { notice_id, kind, recipient, body }))
        }
        Operation::NotificationRead => {
            let id = members.id("notification_id")?;
            let read_at =
                members.named("read_at", "must be an RFC 3339 time", |text| text.parse::<Timestamp>().ok())?;
            id.zip(read_at).map(|(notification_id, read_at)| {
                Payload::NotificationRead(NotificationRead { notification_id, read_at })
            })
        }
    })
}

fn read_time(members: &mut Members<'_>) -> Result<Option<Payload>, PayloadError> {
    let (id, minutes) = (members.id("entry_id")?, members.integer("minutes", 1, DAY_MINUTES)?);
    let (worked_on, note) = (members.date("worked_on")?, members.optional_text("note")?);
    let parts = id.zip(minutes);
    Ok(parts.map(|(entry_id, minutes)| Payload::TimeLog(TimeLog { entry_id, minutes, worked_on, note })))
}

fn read_inspection(members: &mut Members<'_>) -> Result<Option<Payload>, PayloadError> {
    let (id, kind) = (members.id("inspection_id")?, members.slug("kind")?);
    let inspected_on = members.date("inspected_on")?;
    let detail = "must be pass, pass_with_conditions, fail or no_access";
    let outcome = members.named("outcome", detail, Outcome::named)?;
    let findings = read_findings(members)?;
    let parts = id.zip(outcome);
    Ok(parts.map(|(inspection_id, outcome)| {
        Payload::InspectionRecord(InspectionRecord { inspection_id, kind, inspected_on, outcome, findings })
    }))
}

fn read_findings(members: &mut Members<'_>) -> Result<Vec<Finding>, PayloadError> {
    let items = match members.take("findings") {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(members.malformed("findings", "must be an array")),
    };
    if items.len() > FINDINGS_MAX {
        members.invalid("findings", "has more than 500 items");
    }
    let mut findings = Vec::with_capacity(items.len().min(FINDINGS_MAX));
    for (index, item) in items.iter().enumerate() {
        let mut inner = Members::of(item, &format!("{}/findings/{index}", members.base))?;
        let code = inner.optional_text("code")?;
        let text = inner.required_text("text")?;
        let severity = inner.named("severity", "must be minor, major or critical", Severity::named)?;
        let corrective_action = inner.optional_text("corrective_action")?;
        members.errors.extend(inner.finish_gathering()?);
        findings.extend(severity.map(|severity| Finding { code, text, severity, corrective_action }));
    }
    Ok(findings)
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

    fn id<T: FromStr>(&mut self, name: &'static str) -> Result<Option<T>, PayloadError> {
        self.named(name, "must be a lower-case UUID", |text| text.parse().ok())
    }

    fn boolean(&mut self, name: &'static str) -> Result<Option<bool>, PayloadError> {
        match self.take(name) {
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(_) => Err(self.malformed(name, "must be true or false")),
            None => {
                self.invalid(name, "is missing");
                Ok(None)
            }
        }
    }

    /// An integer from `least` to `most`; `1.0` is one in JSON too.
    fn integer(&mut self, name: &'static str, least: u16, most: u16) -> Result<Option<u16>, PayloadError> {
        let Some(value) = self.take(name) else {
            self.invalid(name, "is missing");
            return Ok(None);
        };
        let number = value.as_f64().filter(|number| number.fract() == 0.0);
        let Some(number) = number else { return Err(self.malformed(name, "must be an integer")) };
        if !(f64::from(least)..=f64::from(most)).contains(&number) {
            self.invalid(name, &format!("must be from {least} to {most}"));
            return Ok(None);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked above")]
        Ok(Some(number as u16))
    }

    fn date(&mut self, name: &'static str) -> Result<String, PayloadError> {
        Ok(self.named(name, "must be a date, YYYY-MM-DD", dated)?.unwrap_or_default())
    }

    fn optional_date(&mut self, name: &'static str) -> Result<Option<String>, PayloadError> {
        self.optional_named(name, "must be a date, YYYY-MM-DD", dated)
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
        let errors = self.finish_gathering()?;
        if errors.is_empty() { Ok(()) } else { Err(PayloadError::Invalid(errors)) }
    }

    /// What is out of its domain; a member that is not known is an error at once.
    fn finish_gathering(self) -> Result<Vec<MemberError>, PayloadError> {
        if let Some(name) = self.map.keys().find(|name| !self.taken.contains(&name.as_str())) {
            return Err(self.malformed(&name.replace('~', "~0").replace('/', "~1"), "is not a member of this payload"));
        }
        Ok(self.errors)
    }
}

fn dated(text: &str) -> Option<String> {
    is_date(text).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::payload::PayloadError;

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
