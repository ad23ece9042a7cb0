//! Reads the command envelope member by member, so that malformed, invalid and unknown are told apart.

use domain::ids::{ActorId, CommandId, EntityId, Timestamp};
use domain::payload::{Child, MemberError, PayloadError};
use domain::{EntityKind, Expected, Operation, Payload};
use serde_json::Value;
use uuid::{Uuid, Variant};
use wire::{Code, IdempotencyKey, Problem};

use crate::command::members::Members;

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

/// An id says when it was made, which is what tells a command too old to be remembered from a new one.
const NOT_VERSION_7: &str = "must be a lower-case UUIDv7";

/// The envelope, read; what it needs to become an attempt is who sends it.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The command id.
    pub command_id: CommandId,
    /// What to do.
    pub payload: Payload,
    /// The target, of the type that the operation's policy names.
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
    let mut members = Members::of(map);
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
    if command.is_some_and(|command| !is_version_7(command.0)) {
        members.invalid("/command_id", NOT_VERSION_7);
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
    match known {
        None if operation.is_some() => members.invalid("/operation", "is not an operation of this server"),
        Some(operation) if target_type.is_some_and(|kind| kind != operation.policy().target.name()) => {
            members.invalid("/target/type", &format!("must be {}", operation.policy().target.name()));
        }
        _ => {}
    }
    members.finish()?;
    let (Some(command_id), Some(operation), Some(target), Some(payload)) = (command, known, target, payload) else {
        return Err(malformed("", "is not a command"));
    };
    if schema_version != Some(wire::SCHEMA_VERSION) {
        return Err(Problem::new(Code::UnsupportedVersion, "This server knows schema version 1."));
    }
    let read = Payload::read(operation, payload).map_err(payload_problem)?;
    if let Some(pointer) = wrong_new_id(&read, target) {
        return Err(invalid(vec![MemberError { pointer: pointer.to_owned(), detail: NOT_VERSION_7.to_owned() }]));
    }
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

/// Where the id of what the command would create is, if that is not of the version that says when it was made.
fn wrong_new_id(payload: &Payload, target: EntityId) -> Option<&'static str> {
    let (pointer, id) = match (payload, payload.child()) {
        (Payload::CaseCreate(_), _) => ("/target/id", target),
        (_, Some(Child::New(kind, id))) => (new_id_pointer(kind), id),
        _ => return None,
    };
    (!is_version_7(id.0)).then_some(pointer)
}

fn new_id_pointer(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Note => "/payload/note_id",
        EntityKind::Task => "/payload/task_id",
        EntityKind::TimeEntry => "/payload/entry_id",
        EntityKind::Inspection => "/payload/inspection_id",
        EntityKind::Notice => "/payload/notice_id",
        EntityKind::Case | EntityKind::Notification | EntityKind::Activity => "/target/id",
    }
}

fn is_version_7(id: Uuid) -> bool {
    id.get_version_num() == 7 && id.get_variant() == Variant::RFC4122
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

pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
