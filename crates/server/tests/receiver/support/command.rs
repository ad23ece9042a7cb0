//! Builds commands as a client would, hash and key included.

use serde_json::{Value, json};

use super::id;

/// A command ready to be sent, and sent again.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) key: String,
    pub(crate) body: Value,
}

impl Sent {
    pub(crate) fn id(&self) -> String {
        self.body["command_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn target(&self) -> String {
        self.body["target"]["id"].as_str().unwrap().to_owned()
    }

    /// The same command with one member of the body replaced, hashed again.
    pub(crate) fn with(mut self, member: &str, value: Value) -> Self {
        self.body[member] = value;
        self.rehash();
        self
    }

    /// The item of a batch.
    pub(crate) fn item(&self) -> Value {
        let mut item = self.body.clone();
        item["idempotency_key"] = json!(self.key);
        item
    }

    fn rehash(&mut self) {
        let body = &self.body;
        let operation = body["operation"].as_str().unwrap_or_default();
        let hash = wire::payload_hash(operation, 1, &body["target"], &body["expected"], &body["payload"]);
        self.body["payload_hash"] = json!(hash);
    }
}

/// `operation` on the case `target`.
#[allow(clippy::needless_pass_by_value, reason = "a literal at every call")]
pub(crate) fn command(operation: &str, target: &str, payload: Value) -> Sent {
    let command_id = id();
    let mut sent = Sent {
        key: format!("{operation}:{target}:{command_id}"),
        body: json!({
            "command_id": command_id, "operation": operation, "schema_version": 1,
            "target": { "type": "case", "id": target }, "expected": null, "payload": payload, "payload_hash": "",
            "issued_at": "2026-11-30T09:12:00.000Z", "confirmed_at": null, "session_version": 1, "issued_under": 1,
        }),
    };
    sent.rehash();
    sent
}

/// The same, with what the actor saw.
pub(crate) fn with_expected(operation: &str, target: &str, payload: Value, expected: Value) -> Sent {
    command(operation, target, payload).with("expected", expected)
}

/// A new open case.
pub(crate) fn a_case(title: &str) -> Sent {
    command(
        "case.create",
        &id(),
        json!({ "title": title, "kind": "complaint", "priority": "normal", "status": "open" }),
    )
}
