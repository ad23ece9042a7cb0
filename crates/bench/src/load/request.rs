//! Requests as bytes, made before the clock starts.

use std::fmt::Write as _;

use domain::{CaseId, CommandId, NoteId, Operation, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::IdempotencyKey;

use crate::session::Session;

/// Many requests, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Requests {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of one.
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// Adds one.
    pub(crate) fn push(&mut self, request: &[u8]) {
        self.bytes.extend_from_slice(request);
        self.ends.push(self.bytes.len());
    }

    /// These `times` times each, in an order that only `seed` decides.
    pub(crate) fn shuffled(&self, times: usize, seed: usize) -> Self {
        let mut order: Vec<usize> = (0..self.len() * times).map(|place| place % self.len()).collect();
        let mut state = u64::try_from(seed).unwrap_or_default();
        for place in (1..order.len()).rev() {
            order.swap(place, next(&mut state) % (place + 1));
        }
        let mut shuffled = Self::default();
        for place in order {
            shuffled.push(self.get(place));
        }
        shuffled
    }
}

/// The next of a sequence of numbers that look random (`SplitMix64`).
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or(0)
}

/// A command and its key.
#[derive(Debug)]
pub(crate) struct Sent {
    key: String,
    body: Value,
}

impl Sent {
    /// `note.add` by the person of `session`.
    pub(crate) fn note(session: &Session, case: CaseId, text: &str) -> Self {
        let note = NoteId(Uuid::now_v7());
        Self::of(session, Operation::NoteAdd, case, &json!({ "note_id": note, "text": text }))
    }

    /// `case.create` by the person of `session`.
    pub(crate) fn case(session: &Session, case: CaseId) -> Self {
        let payload = json!({ "title": "A case", "kind": "other", "priority": "normal", "status": "open" });
        Self::of(session, Operation::CaseCreate, case, &payload)
    }

    fn of(session: &Session, operation: Operation, case: CaseId, payload: &Value) -> Self {
        let id = CommandId(Uuid::now_v7());
        let target = json!({ "type": "case", "id": case });
        let hash = wire::payload_hash(operation.name(), wire::SCHEMA_VERSION, &target, &Value::Null, payload);
        let body = json!({
            "command_id": id, "operation": operation.name(), "schema_version": wire::SCHEMA_VERSION, "target": target,
            "expected": null, "payload": payload, "payload_hash": hash, "issued_at": now(), "confirmed_at": null,
            "session_version": session.version, "issued_under": session.version,
        });
        Self { key: IdempotencyKey::of(operation, case.into(), id).to_string(), body }
    }

    /// A request of its own.
    pub(crate) fn request(&self, session: &Session) -> Vec<u8> {
        post("/v1/commands", Some(&session.token), Some(&self.key), &self.body.to_string())
    }

    /// An item of a batch.
    fn item(&self) -> Value {
        let mut item = self.body.clone();
        item["idempotency_key"] = Value::from(self.key.as_str());
        item
    }
}

/// One request for all of `commands`.
pub(crate) fn batch(session: &Session, commands: &[Sent]) -> Vec<u8> {
    let items: Vec<Value> = commands.iter().map(Sent::item).collect();
    post("/v1/commands/batch", Some(&session.token), None, &json!({ "commands": items }).to_string())
}

/// A `POST` of JSON.
pub(crate) fn post(path: &str, token: Option<&str>, key: Option<&str>, body: &str) -> Vec<u8> {
    let mut head = format!("POST {path} HTTP/1.1\r\nhost: bench\r\n");
    for (name, value) in [("authorization: Bearer", token), ("idempotency-key:", key)] {
        if let Some(value) = value {
            let _ = write!(head, "{name} {value}\r\n");
        }
    }
    let _ = write!(head, "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    head.into_bytes()
}

/// A `GET`.
pub(crate) fn get(path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n\r\n").into_bytes()
}

fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_holds_everything_as_often_as_asked() {
        let mut requests = Requests::default();
        for request in ["a", "b", "c", "d"] {
            requests.push(request.as_bytes());
        }
        let shuffled = requests.shuffled(3, 1);
        let mut all: Vec<&[u8]> = (0..shuffled.len()).map(|place| shuffled.get(place)).collect();
        let order = all.concat();
        all.sort_unstable();
        assert_eq!(all.concat(), b"aaabbbcccddd");
        assert_ne!(order, b"abcdabcdabcd");
    }
}
