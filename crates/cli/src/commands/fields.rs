//! `--set field=value`.

use std::collections::{BTreeMap, BTreeSet};

use domain::{CaseField, FieldValue};

use crate::exit::Failure;

/// One `field=value` as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| "expected field=value".to_owned())?;
        Ok(Self { name: name.trim().to_owned(), value: value.to_owned() })
    }
}

/// Refuses a field that is set twice: which of the two was meant nobody knows.
pub(crate) fn check_set_once<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(Failure::usage(format!("{name} is set twice"))),
        None => Ok(()),
    }
}

/// The fields' names as written.
pub(crate) fn names(settings: &[Setting]) -> impl Iterator<Item = &str> {
    settings.iter().map(|setting| setting.name.as_str())
}

/// What a field shall hold: nothing for an empty text, a number where the field is one.
pub(crate) fn value_of(field: CaseField, text: &str) -> Result<FieldValue, Failure> {
    if text.is_empty() || !field.is_number() {
        return Ok(FieldValue::text(text));
    }
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let number =
        number.ok_or_else(|| Failure::bad_data(format!("{} must be a number, not \"{text}\"", field.name())))?;
    Ok(FieldValue::Number(number))
}

/// The field of this name.
pub(crate) fn field_named(name: &str) -> Result<CaseField, Failure> {
    CaseField::named(name).ok_or_else(|| {
        let known = CaseField::ALL.map(CaseField::name).join(", ");
        Failure::bad_data(format!("\"{name}\" is not a field that can be set; the fields are {known}"))
    })
}

/// Values by name, for a conflict's decision: its fields also include `status` and `assignee_id`, which are texts.
pub(crate) fn values_by_name(settings: &[Setting]) -> Result<BTreeMap<String, FieldValue>, Failure> {
    let value = |setting: &Setting| match CaseField::named(&setting.name) {
        Some(field) => value_of(field, &setting.value),
        None if ["status", "assignee_id"].contains(&setting.name.as_str()) => Ok(FieldValue::text(&setting.value)),
        None => field_named(&setting.name).map(|_| FieldValue::Empty),
    };
    check_set_once(names(settings))?;
    settings.iter().map(|setting| Ok((setting.name.clone(), value(setting)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_keep_everything_after_the_first_equals_sign() {
        let setting: Setting = "title= a=b ".parse().unwrap();
        assert_eq!(setting, Setting { name: "title".to_owned(), value: " a=b ".to_owned() });
        assert!("title".parse::<Setting>().is_err());
    }

    #[test]
    fn numbers_are_read_as_numbers_and_nothing_as_empty() {
        assert_eq!(value_of(CaseField::Latitude, "51.5").unwrap(), FieldValue::Number(51.5));
        assert_eq!(value_of(CaseField::Latitude, "").unwrap(), FieldValue::Empty);
        assert_eq!(value_of(CaseField::Title, "51.5").unwrap(), FieldValue::text("51.5"));
        for bad in ["north", "NaN", "inf"] {
            assert!(value_of(CaseField::Longitude, bad).is_err(), "{bad}");
        }
        assert!(field_named("status").is_err());
    }
}
