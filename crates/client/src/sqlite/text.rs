//! JSON and words as the columns hold them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// `value` as JSON text.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text keys is JSON")
}

/// The value a JSON text holds, or `None` if it holds none of this kind.
pub(super) fn read<T: DeserializeOwned>(text: Option<&str>) -> Option<T> {
    text.and_then(|text| serde_json::from_str(text).ok())
}

/// The name a fieldless variant is written with.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The variant of this name.
pub(super) fn named<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_owned())).ok()
}
