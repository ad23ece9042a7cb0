//! One measured figure beside the limit it must keep.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::figures::work::Store;

/// A figure, as it stands in the report.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    /// `database/what`, the same in every report.
    pub(crate) name: String,
    /// What was measured and how, in a sentence.
    pub(crate) about: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// What it must keep; `None`: told for the capacity model alone.
    pub(crate) limit: Option<Limit>,
    pub(crate) passed: Option<bool>,
    /// The measurements it was computed from.
    pub(crate) detail: Map<String, Value>,
}

/// What a figure must keep.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

impl Limit {
    fn is_kept(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

impl Figure {
    /// A figure with a limit.
    pub(crate) fn limited(store: Store, name: &str, about: &str, value: f64, unit: &'static str, limit: Limit) -> Self {
        let passed = Some(limit.is_kept(value));
        Self { limit: Some(limit), passed, ..Self::told(store, name, about, value, unit) }
    }

    /// A figure without a limit.
    pub(crate) fn told(store: Store, name: &str, about: &str, value: f64, unit: &'static str) -> Self {
        let (name, about) = (format!("{}/{name}", store.name()), about.to_owned());
        Self { name, about, value, unit, limit: None, passed: None, detail: Map::new() }
    }

    /// The figure with one more measurement it was computed from.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.detail.insert(name.to_owned(), value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_kept_up_to_itself() {
        assert!(Limit::AtLeast(0.7).is_kept(0.7) && !Limit::AtLeast(0.7).is_kept(0.69));
        assert!(Limit::AtMost(64.0).is_kept(64.0) && !Limit::AtMost(64.0).is_kept(64.1));
    }
}
