//! Takes the members of an envelope one by one: a wrong type ends the reading, what is missing or out of its
//! domain is gathered, so that all of it is told at once.

use domain::payload::MemberError;
use domain::{Expected, Revision};
use serde_json::{Map, Value};
use wire::Problem;

use crate::command::read::{escaped, invalid, malformed};

/// The members of the envelope; errors of the domain are gathered, errors of type end the reading.
pub(super) struct Members<'a> {
    map: &'a Map<String, Value>,
    errors: Vec<MemberError>,
}

impl<'a> Members<'a> {
    pub(super) fn of(map: &'a Map<String, Value>) -> Self {
        Self { map, errors: Vec::new() }
    }

    pub(super) fn invalid(&mut self, pointer: &str, detail: &str) {
        self.errors.push(MemberError { pointer: pointer.to_owned(), detail: detail.to_owned() });
    }

    pub(super) fn required(&mut self, name: &str) -> Option<&'a Value> {
        let value = self.map.get(name).filter(|value| !value.is_null());
        if value.is_none() {
            self.invalid(&format!("/{name}"), "is missing");
        }
        value
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<&'a str>, Problem> {
        let value = self.required(name);
        value.map(|value| as_text(value, &format!("/{name}"))).transpose()
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<&'a str>, Problem> {
        let value = self.map.get(name).filter(|value| !value.is_null());
        value.map(|value| as_text(value, &format!("/{name}"))).transpose().map(|text| text.filter(|t| !t.is_empty()))
    }

    pub(super) fn integer(&mut self, name: &str) -> Result<Option<u32>, Problem> {
        let pointer = format!("/{name}");
        let Some(value) = self.required(name) else { return Ok(None) };
        let integer = as_integer(value, &pointer)?;
        if integer.is_none() {
            self.invalid(&pointer, "is out of range");
        }
        Ok(integer)
    }

    pub(super) fn target(&mut self) -> Result<(&'a Value, Option<&'a str>, Option<&'a str>), Problem> {
        const NOTHING: &Value = &Value::Null;
        let Some(value) = self.required("target") else { return Ok((NOTHING, None, None)) };
        let map = only(value, "/target", &["type", "id"])?;
        let mut inner = Members::of(map);
        let (kind, id) = (inner.text("type"), inner.text("id"));
        for error in inner.errors {
            self.invalid(&format!("/target{}", error.pointer), &error.detail);
        }
        let place = |problem: Problem| Problem { detail: format!("/target{}", problem.detail), ..problem };
        Ok((value, kind.map_err(place)?, id.map_err(place)?))
    }

    pub(super) fn expected(&mut self) -> Result<Option<Expected>, Problem> {
        let Some(value) = self.map.get("expected").filter(|value| !value.is_null()) else { return Ok(None) };
        let map = only(value, "/expected", &["revision", "after"])?;
        match (map.get("revision"), map.get("after")) {
            (Some(revision), None) => {
                let revision = as_integer(revision, "/expected/revision")?.filter(|revision| *revision > 0);
                if revision.is_none() {
                    self.invalid("/expected/revision", "is out of range");
                }
                Ok(revision.map(|revision| Expected::Revision(Revision(revision))))
            }
            (None, Some(after)) => {
                let after = as_text(after, "/expected/after")?;
                Ok(self.parsed("/expected/after", Some(after), "must be a lower-case UUID").map(Expected::After))
            }
            _ => {
                self.invalid("/expected", "must have either revision or after");
                Ok(None)
            }
        }
    }

    pub(super) fn parsed<T: std::str::FromStr>(
        &mut self,
        pointer: &str,
        text: Option<&str>,
        detail: &str,
    ) -> Option<T> {
        let text = text?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.invalid(pointer, detail);
        }
        parsed
    }

    pub(super) fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(invalid(self.errors)) }
    }
}

fn as_text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str, Problem> {
    value.as_str().ok_or_else(|| malformed(pointer, "must be a text"))
}

/// `None` if it is an integer outside of what versions and revisions can be.
fn as_integer(value: &Value, pointer: &str) -> Result<Option<u32>, Problem> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            Ok(number.as_u64().and_then(|number| u32::try_from(number).ok()))
        }
        // 1.0 is an integer in JSON; RFC 8785 writes it as 1.
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked by the guard")]
            Some(float) if float.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&float) => {
                Ok(Some(float as u32))
            }
            _ => Err(malformed(pointer, "must be an integer")),
        },
        _ => Err(malformed(pointer, "must be an integer")),
    }
}

fn only<'a>(value: &'a Value, pointer: &str, names: &[&str]) -> Result<&'a Map<String, Value>, Problem> {
    let Value::Object(map) = value else { return Err(malformed(pointer, "must be an object")) };
    match map.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(malformed(&format!("{pointer}/{}", escaped(name)), "is not known")),
        None => Ok(map),
    }
}
