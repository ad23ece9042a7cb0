//! Reads the command envelope member by member, so that malformed, invalid and unknown are told apart.

use domain::ids::{ActorId, CommandId, EntityId, Revision, Timestamp};
use domain::payload::{MemberError, PayloadError};
use domain::{Expected, Operation, Payload};
use serde_json::{Map, Value};
use wire::{Code, IdempotencyKey, Problem};

const MEMBERS: [&str; 11] = [
    "command_id",
    "operation",
    "schema_version",
    "target",
    "expected",
    "payload",
    "payload_hash",
    "issued_at",
    "confirmed_at",
    "session_version",
    "issued_under",
];

/// The envelope, read; what it needs to become an attempt is who sends it.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The command id.
    pub command_id: CommandId,
    /// What to do.
    pub payload: Payload,
    /// The target case.
    pub target: EntityId,
    /// What the actor saw.
    pub expected: Option<Expected>,
    /// The hash the server computed; the request's is the same.
    pub payload_hash: String,
    /// When the actor did it.
    pub issued_at: Timestamp,
    /// When the actor confirmed it.
    pub confirmed_at: Option<Timestamp>,
    /// Of the session that sends.
    pub session_version: u32,
    /// Of the session in which the intent was accepted.
    pub issued_under: u32,
}

impl Envelope {
    /// The domain's command, run by `actor`.
    pub fn command(&self, actor: ActorId) -> domain::Command {
        domain::Command {
            id: self.command_id,
            actor,
            target: self.target,
            expected: self.expected,
            payload: self.payload.clone(),
            issued_at: self.issued_at,
        }
    }
}

/// What a body that may be refused says about itself: for the audit and for the rest of its batch.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The command id, if it can be read.
    pub command_id: Option<CommandId>,
    /// The operation, as written.
    pub operation: Option<String>,
    /// The target's type, as written.
    pub target_type: Option<String>,
    /// The target, if it can be read.
    pub target: Option<EntityId>,
    /// As written.
    pub session_version: u32,
    /// As written.
    pub issued_under: u32,
}

impl Hints {
    /// What can be read of `body`.
    pub fn of(body: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let version = |name| body.get(name).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let target = body.get("target");
        Self {
            command_id: body.get("command_id").and_then(Value::as_str).and_then(|id| id.parse().ok()),
            operation: body.get("operation").and_then(text),
            target_type: target.and_then(|target| target.get("type")).and_then(text),
            target: target.and_then(|target| target.get("id")?.as_str()?.parse().ok()),
            session_version: version("session_version"),
            issued_under: version("issued_under"),
        }
    }

    /// Whether the operation is known and commutes.
    pub fn commutes(&self) -> bool {
        self.operation.as_deref().and_then(Operation::named).is_some_and(|operation| operation.policy().commutes)
    }
}

/// Reads `body` as the command of `key`.
///
/// # Errors
/// The 400 that CONTRACT 4 names: malformed, then invalid envelope, key, operation, version, payload, hash.
pub fn read(key: &IdempotencyKey, body: &Value) -> Result<Envelope, Problem> {
    let Value::Object(map) = body else { return Err(malformed("", "must be an object")) };
    if let Some(name) = map.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(malformed(&format!("/{}", escaped(name)), "is not a member of a command"));
    }
    let mut members = Members { map, errors: Vec::new() };
    let command_id = members.text("command_id")?;
    let operation = members.text("operation")?;
    let schema_version = members.integer("schema_version")?;
    let (target_value, target_type, target_id) = members.target()?;
    let expected = members.expected()?;
    let payload = members.required("payload");
    let hash = members.text("payload_hash")?;
    let issued_at = members.text("issued_at")?;
    let confirmed_at = members.optional_text("confirmed_at")?;
    let session_version = members.integer("session_version")?;
    let issued_under = members.integer("issued_under")?;
    let command: Option<CommandId> = members.parsed("/command_id", command_id, "must be a lower-case UUID");
    let target: Option<EntityId> = members.parsed("/target/id", target_id, "must be a lower-case UUID");
    let issued: Option<Timestamp> = members.parsed("/issued_at", issued_at, "must be an RFC 3339 time");
    let confirmed: Option<Timestamp> = members.parsed("/confirmed_at", confirmed_at, "must be an RFC 3339 time");
    if target_type.is_some_and(|kind| kind != "case") {
        members.invalid("/target/type", "must be case");
    }
    if let Some(command) = command
        && let (Some(operation), Some(target)) = (operation, target_id)
        && !key.matches(operation, target, &command.to_string())
    {
        return Err(Problem::new(
            Code::IdempotencyKeyInvalid,
            "The key does not name this operation, target and command.",
        ));
    }
    let known = operation.and_then(Operation::named);
    if operation.is_some() && known.is_none() {
        members.invalid("/operation", "is not an operation of this server");
    }
    members.finish()?;
    let (Some(command_id), Some(operation), Some(target), Some(payload)) = (command, known, target, payload) else {
        return Err(malformed("", "is not a command"));
    };
    if schema_version != Some(wire::SCHEMA_VERSION) {
        return Err(Problem::new(Code::UnsupportedVersion, "This server knows schema version 1."));
    }
    let read = Payload::read(operation, payload).map_err(payload_problem)?;
    let null = Value::Null;
    let sent = map.get("expected").unwrap_or(&null);
    let computed = wire::payload_hash(operation.name(), wire::SCHEMA_VERSION, target_value, sent, payload);
    if hash != Some(computed.as_str()) {
        return Err(Problem::new(Code::PayloadHashMismatch, "What arrived does not have the hash it says."));
    }
    Ok(Envelope {
        command_id,
        payload: read,
        target,
        expected,
        payload_hash: computed,
        issued_at: issued.unwrap_or(Timestamp(0)),
        confirmed_at: confirmed,
        session_version: session_version.unwrap_or_default(),
        issued_under: issued_under.unwrap_or_default(),
    })
}

/// A `malformed-request` about one place of the body.
pub fn malformed(pointer: &str, detail: &str) -> Problem {
    let place = if pointer.is_empty() { "The request body" } else { pointer };
    Problem::new(Code::MalformedRequest, format!("{place} {detail}."))
}

/// A `validation-failed` with every member that is missing or out of its domain.
pub fn invalid(errors: Vec<MemberError>) -> Problem {
    let detail = errors.first().map_or_else(String::new, |error| format!("{} {}.", error.pointer, error.detail));
    Problem { errors, ..Problem::new(Code::ValidationFailed, detail) }
}

fn payload_problem(error: PayloadError) -> Problem {
    match error {
        PayloadError::Malformed { pointer, detail } => malformed(&format!("/payload{pointer}"), &detail),
        PayloadError::Invalid(errors) => invalid(
            errors
                .into_iter()
                .map(|error| MemberError { pointer: format!("/payload{}", error.pointer), ..error })
                .collect(),
        ),
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The members of the envelope; errors of the domain are gathered, errors of type end the reading.
struct Members<'a> {
    map: &'a Map<String, Value>,
    errors: Vec<MemberError>,
}

impl<'a> Members<'a> {
    fn invalid(&mut self, pointer: &str, detail: &str) {
        self.errors.push(MemberError { pointer: pointer.to_owned(), detail: detail.to_owned() });
    }

    fn required(&mut self, name: &str) -> Option<&'a Value> {
        let value = self.map.get(name).filter(|value| !value.is_null());
        if value.is_none() {
            self.invalid(&format!("/{name}"), "is missing");
        }
        value
    }

    fn text(&mut self, name: &str) -> Result<Option<&'a str>, Problem> {
        let value = self.required(name);
        value.map(|value| as_text(value, &format!("/{name}"))).transpose()
    }

    fn optional_text(&mut self, name: &str) -> Result<Option<&'a str>, Problem> {
        let value = self.map.get(name).filter(|value| !value.is_null());
        value.map(|value| as_text(value, &format!("/{name}"))).transpose().map(|text| text.filter(|t| !t.is_empty()))
    }

    fn integer(&mut self, name: &str) -> Result<Option<u32>, Problem> {
        let pointer = format!("/{name}");
        let Some(value) = self.required(name) else { return Ok(None) };
        let integer = as_integer(value, &pointer)?;
        if integer.is_none() {
            self.invalid(&pointer, "is out of range");
        }
        Ok(integer)
    }

    fn target(&mut self) -> Result<(&'a Value, Option<&'a str>, Option<&'a str>), Problem> {
        const NOTHING: &Value = &Value::Null;
        let Some(value) = self.required("target") else { return Ok((NOTHING, None, None)) };
        let map = only(value, "/target", &["type", "id"])?;
        let mut inner = Members { map, errors: Vec::new() };
        let (kind, id) = (inner.text("type"), inner.text("id"));
        for error in inner.errors {
            self.invalid(&format!("/target{}", error.pointer), &error.detail);
        }
        let place = |problem: Problem| Problem { detail: format!("/target{}", problem.detail), ..problem };
        Ok((value, kind.map_err(place)?, id.map_err(place)?))
    }

    fn expected(&mut self) -> Result<Option<Expected>, Problem> {
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

    fn parsed<T: std::str::FromStr>(&mut self, pointer: &str, text: Option<&str>, detail: &str) -> Option<T> {
        let text = text?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.invalid(pointer, detail);
        }
        parsed
    }

    fn finish(self) -> Result<(), Problem> {
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
