//! The payload hash: `cmd-v1:` and base64url of SHA-256 over the RFC 8785 form of what is hashed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Exactly the members that are hashed.
#[derive(Serialize)]
struct Hashed<'a> {
    operation: &'a str,
    schema_version: u32,
    target: &'a Value,
    expected: &'a Value,
    payload: &'a Value,
}

/// The RFC 8785 form of `value`: members by UTF-16 code units, shortest numbers, minimal escapes.
pub fn canonical(value: &impl Serialize) -> String {
    serde_jcs::to_string(value).expect("finite numbers and text keys always have a canonical form")
}

/// The hash of a command. `target`, `expected` and `payload` are taken as they stand in the request, so
/// that members this build would write differently are hashed as they were sent.
pub fn payload_hash(operation: &str, schema_version: u32, target: &Value, expected: &Value, payload: &Value) -> String {
    let canonical = canonical(&Hashed { operation, schema_version, target, expected, payload });
    format!("cmd-v1:{}", URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes())))
}

impl crate::CommandRequest {
    /// The hash this command's content has.
    pub fn computed_hash(&self) -> String {
        let as_value = |value: Result<Value, serde_json::Error>| value.expect("plain data is JSON");
        payload_hash(
            self.operation.name(),
            self.schema_version,
            &as_value(serde_json::to_value(&self.target)),
            &as_value(serde_json::to_value(self.expected)),
            &self.payload,
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// CASES S4: the RFC 8785 examples and the supplementary-plane order of names.
    #[test]
    fn the_canonical_form_equals_the_reference() {
        let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            canonical(&value),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
        let numbers: Value =
            serde_json::from_str("[333333333.33333329, 1E30, 4.50, 2e-3, 1e-27, 1e-6, 1e21, -0.0, 1e20]").unwrap();
        assert_eq!(
            canonical(&numbers),
            "[333333333.3333333,1e+30,4.5,0.002,1e-27,0.000001,1e+21,0,100000000000000000000]"
        );
        let text = json!("\u{20ac}$\u{f}\nA'B\"\\\\\"/");
        assert_eq!(canonical(&text), "\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"");
    }

    #[test]
    fn the_published_vectors_hash_as_published() {
        let vectors: Value = serde_json::from_str(include_str!("../vectors/payload_hash.json")).unwrap();
        for vector in vectors.as_array().unwrap() {
            let hashed = &vector["hashed"];
            assert_eq!(canonical(hashed), vector["canonical"].as_str().unwrap());
            let hash = payload_hash(
                hashed["operation"].as_str().unwrap(),
                1,
                &hashed["target"],
                &hashed["expected"],
                &hashed["payload"],
            );
            assert_eq!(hash, vector["payload_hash"].as_str().unwrap());
        }
    }
}
