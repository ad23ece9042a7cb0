//! MAP.toml: how columns become the fields of a case (CONTRACT 7).
//!
//! `field = "text with {column}"`, or `{ from = "{column}", date = "%m/%d/%Y" }`. A field all of whose columns
//! are empty is empty itself, and then takes its entry of `[defaults]`. `{{` and `}}` are braces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use domain::field::CaseField;
use domain::payload::PayloadError;
use domain::{Operation, Payload};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::cli::import::rows::Columns;

/// How a file's rows become cases.
#[derive(Debug)]
pub(super) struct ImportMap {
    fields: BTreeMap<String, Rule>,
    defaults: BTreeMap<String, Template>,
    note: Option<Template>,
}

/// One row, mapped and valid.
#[derive(Debug)]
pub(super) struct MappedRow {
    pub(super) external_id: String,
    pub(super) create: Payload,
    pub(super) note: Option<String>,
}

#[derive(Debug)]
struct Rule {
    template: Template,
    date: Option<String>,
}

#[derive(Debug)]
struct Template(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Text(String),
    Column(String),
}

#[derive(Deserialize)]
struct MapFile {
    #[serde(default)]
    defaults: BTreeMap<String, toml::Value>,
    note: Option<NoteFile>,
    #[serde(flatten)]
    fields: BTreeMap<String, RuleFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteFile {
    text: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RuleFile {
    Text(String),
    #[serde(rename_all = "snake_case")]
    Parts(RuleParts),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleParts {
    from: String,
    date: Option<String>,
}

impl ImportMap {
    /// Reads the map of `path`.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: MapFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut map = Self { fields: BTreeMap::new(), defaults: BTreeMap::new(), note: None };
        for (field, rule) in file.fields {
            let (from, date) = match rule {
                RuleFile::Text(from) => (from, None),
                RuleFile::Parts(RuleParts { from, date }) => (from, date),
            };
            let template = Template::parse(&from).map_err(|error| format!("{field}: {error}"))?;
            map.fields.insert(known(field)?, Rule { template, date });
        }
        for (field, value) in file.defaults {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let template = Template::parse(&text).map_err(|error| format!("defaults.{field}: {error}"))?;
            map.defaults.insert(known(field)?, template);
        }
        map.note = file.note.map(|note| Template::parse(&note.text)).transpose()?;
        if !map.fields.contains_key("external_id") {
            return Err("external_id is missing: without it a second import would double the cases".to_owned());
        }
        Ok(map)
    }

    /// The case of a row, or why it is none.
    pub(super) fn apply(&self, columns: &Columns) -> Result<MappedRow, String> {
        let mut members = Map::new();
        for name in self.fields.keys().chain(self.defaults.keys()) {
            if members.contains_key(name) {
                continue;
            }
            let given = self.fields.get(name).map(|rule| rule.apply(columns)).transpose();
            let given = given.map_err(|error| format!("{name}: {error}"))?.flatten();
            let value = given.or_else(|| self.defaults.get(name)?.apply(columns));
            if let Some(text) = value {
                members.insert(name.clone(), member(name, text)?);
            }
        }
        let Some(Value::String(external_id)) = members.get("external_id").cloned() else {
            return Err("external_id: is empty".to_owned());
        };
        let create = Payload::read(Operation::CaseCreate, &Value::Object(members)).map_err(|error| words(&error))?;
        let note = self.note.as_ref().and_then(|note| note.apply(columns));
        if note.as_ref().is_some_and(|text| text.contains('\0')) {
            return Err("note: contains a NUL character".to_owned());
        }
        Ok(MappedRow { external_id, create, note })
    }
}

fn known(field: String) -> Result<String, String> {
    let is_known = CaseField::named(&field).is_some() || matches!(field.as_str(), "status" | "external_id");
    if is_known { Ok(field) } else { Err(format!("{field:?} is not a field of a case")) }
}

fn member(name: &str, text: String) -> Result<Value, String> {
    if !CaseField::named(name).is_some_and(CaseField::is_number) {
        return Ok(Value::String(text));
    }
    let number = text.trim().parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    number.map(Value::Number).ok_or_else(|| format!("{name}: {text:?} is not a number"))
}

fn words(error: &PayloadError) -> String {
    match error {
        PayloadError::Malformed { pointer, detail } => format!("{}: {detail}", pointer.trim_start_matches('/')),
        PayloadError::Invalid(errors) => {
            let each =
                errors.iter().map(|error| format!("{}: {}", error.pointer.trim_start_matches('/'), error.detail));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

impl Rule {
    fn apply(&self, columns: &Columns) -> Result<Option<String>, String> {
        let Some(text) = self.template.apply(columns) else { return Ok(None) };
        let Some(format) = &self.date else { return Ok(Some(text)) };
        let date = jiff::civil::Date::strptime(format, text.trim());
        date.map(|date| Some(date.to_string())).map_err(|_| format!("{text:?} is not a date like {format}"))
    }
}

impl Template {
    fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("{{") {
                plain.push('{');
                rest = after;
            } else if let Some(after) = rest.strip_prefix("}}") {
                plain.push('}');
                rest = after;
            } else if let Some(after) = rest.strip_prefix('{') {
                let (column, after) = after.split_once('}').ok_or("a { has no }")?;
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Column(column.to_owned()));
                rest = after;
            } else {
                plain.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
        pieces.push(Piece::Text(plain));
        Ok(Self(pieces))
    }

    /// The text; `None` if it is empty, or if it names columns and all of them are blank.
    fn apply(&self, columns: &Columns) -> Option<String> {
        let (mut text, mut names_any, mut has_any) = (String::new(), false, false);
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Column(name) => {
                    let value = columns.get(name).map_or("", String::as_str);
                    names_any = true;
                    has_any |= !value.trim().is_empty();
                    text.push_str(value);
                }
            }
        }
        (has_any || !names_any).then_some(text).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(pairs: &[(&str, &str)]) -> Columns {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    const MAP: &str = r#"
external_id = "{no}"
title = "{what}"
latitude = "{lat}"
due_on = { from = "{due}", date = "%m/%d/%Y" }
[defaults]
kind = "complaint"
priority = "low"
title = "Case {no}"
[note]
text = "Opened {opened}"
"#;

    #[test]
    fn columns_become_fields_and_blank_ones_take_their_defaults() {
        let map = ImportMap::parse(MAP).unwrap();
        let row = map.apply(&columns(&[("no", "7"), ("what", "  "), ("lat", "33.5"), ("due", "02/09/2016")])).unwrap();
        let expected = serde_json::json!(
            {"external_id":"7","title":"Case 7","kind":"complaint","priority":"low","latitude":33.5,"due_on":"2016-02-09"}
        );
        assert_eq!(row.create.to_value(), expected);
        assert_eq!(row.note, None);
        let row = map.apply(&columns(&[("no", "8"), ("what", "Fence"), ("opened", "today")])).unwrap();
        assert_eq!(row.note.as_deref(), Some("Opened today"));
    }

    #[test]
    fn a_row_that_does_not_fit_says_why() {
        let map = ImportMap::parse(MAP).unwrap();
        for (bad, why) in [
            (columns(&[("what", "x")]), "external_id: is empty"),
            (columns(&[("no", "1"), ("lat", "north")]), "latitude: \"north\" is not a number"),
            (columns(&[("no", "1"), ("lat", "91")]), "latitude: is out of range"),
            (columns(&[("no", "1"), ("due", "2016")]), "due_on: \"2016\" is not a date like %m/%d/%Y"),
        ] {
            assert_eq!(map.apply(&bad).unwrap_err(), why);
        }
    }

    #[test]
    fn a_map_that_does_not_fit_says_why() {
        for bad in
            ["title = \"x\"", "external_id = \"{no\"", "external_id = \"{no}\"\nnonsense = \"x\"", "external_id = 7"]
        {
            assert!(ImportMap::parse(bad).is_err(), "{bad}");
        }
    }
}
