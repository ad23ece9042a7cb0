//! The envelope of a command, once per operation, so that each says what its payload, its target and what the actor
//! saw must be.

use domain::Operation;
use domain::registry::Concurrency;
use serde_json::{Map, Value, json};
use utoipa::openapi::Schema;
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::schema::{Discriminator, OneOfBuilder};

use super::payload;
use super::shape::{
    Member, closed, id, key, list, moment, named, new_id, no_or_moment, nothing, only, optional, or_null, pattern,
    required, version, whole,
};

/// The components that commands are made of.
pub(super) fn components() -> Vec<(String, Schema)> {
    let mut components = vec![
        ("Command".to_owned(), any_of_these("A command: one intent of one actor, on one target.", component_of)),
        (
            "BatchItem".to_owned(),
            any_of_these("A command with its key. One that is not is that item's own 400.", item_of),
        ),
        ("Batch".to_owned(), batch()),
        ("Expected".to_owned(), expected()),
        ("Finding".to_owned(), payload::finding()),
    ];
    for operation in Operation::ALL {
        components.push((component_of(operation), envelope(operation, Vec::new())));
        components.push((item_of(operation), envelope(operation, vec![required("idempotency_key", key())])));
        components.push((payload_of(operation), payload::schema(operation)));
    }
    components
}

/// `case.create` as `CaseCreateCommand`.
fn component_of(operation: Operation) -> String {
    format!("{}Command", camel(operation))
}

/// `case.create` as `CaseCreateItem`, of a batch.
fn item_of(operation: Operation) -> String {
    format!("{}Item", camel(operation))
}

fn payload_of(operation: Operation) -> String {
    format!("{}Payload", camel(operation))
}

fn camel(operation: Operation) -> String {
    let words = operation.name().split(['.', '_']);
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

fn any_of_these(description: &str, name_of: fn(Operation) -> String) -> Schema {
    let reference = |operation| format!("#/components/schemas/{}", name_of(operation));
    let mapping = Operation::ALL.map(|operation| (operation.name(), reference(operation)));
    let any =
        Operation::ALL.into_iter().fold(OneOfBuilder::new(), |any, operation| any.item(named(&name_of(operation))));
    let any = any.discriminator(Some(Discriminator::with_mapping("operation", mapping)));
    any.description(Some(description)).into()
}

fn envelope(operation: Operation, more: Vec<Member>) -> Schema {
    let policy = operation.policy();
    let makes_target = policy.concurrency == Concurrency::NewId;
    let target_id = if makes_target { new_id() } else { id() };
    let target =
        closed("What it is about.", vec![required("type", only(policy.target.name())), required("id", target_id)]);
    let expected = match policy.concurrency {
        Concurrency::Revision => required("expected", named("Expected")),
        // There is nothing yet that could have been seen.
        Concurrency::NewId => optional("expected", nothing()),
        _ => optional("expected", or_null(named("Expected"))),
    };
    let members = vec![
        required("command_id", new_id()),
        required("operation", only(operation.name())),
        required("schema_version", only(wire::SCHEMA_VERSION)),
        required("target", target),
        expected,
        required("payload", named(&payload_of(operation))),
        required("payload_hash", pattern("^cmd-v1:[A-Za-z0-9_-]{43}$")),
        required("issued_at", moment()),
        optional("confirmed_at", no_or_moment()),
        required("session_version", version()),
        required("issued_under", version()),
    ];
    let description = format!("`{}`, for {} and above.", operation.name(), policy.least_role.name());
    closed(&description, members.into_iter().chain(more).collect())
}

/// `{"revision": n}` or `{"after": id}`
fn expected() -> Schema {
    let revision = closed("The target has this revision.", vec![required("revision", whole(1, i64::from(u32::MAX)))]);
    let after = "The target is as this command of the same actor and target left it.";
    let after = closed(after, vec![required("after", id())]);
    OneOfBuilder::new().item(revision).item(after).description(Some("What the actor saw.")).into()
}

fn batch() -> Schema {
    let commands = list(named("BatchItem"), Some(wire::BATCH_COMMANDS_MAX));
    closed("Commands, each with its own key, decision and record.", vec![required("commands", commands)])
}

/// A look-up of many keys.
pub(super) fn lookup() -> Schema {
    closed("Keys to be looked up.", vec![required("keys", list(key(), Some(wire::LOOKUP_KEYS_MAX)))])
}

const COMMAND_ID: &str = "0197f3c2-5a10-7000-8000-0000000000c1";
const TARGET_ID: &str = "0197f3c2-5a10-7000-8000-0000000000c2";

/// The key of the example of `operation`.
pub(super) fn example_key(operation: Operation) -> String {
    format!("{}:{}:{COMMAND_ID}", operation.name(), target_of(operation))
}

/// What is read is named twice: as the target and in the payload.
fn target_of(operation: Operation) -> String {
    let named = payload::example(operation)["notification_id"].as_str().map(str::to_owned);
    named.unwrap_or_else(|| TARGET_ID.to_owned())
}

/// A whole command, with the hash it has.
pub(super) fn example(operation: Operation) -> Value {
    let policy = operation.policy();
    let target = json!({ "type": policy.target.name(), "id": target_of(operation) });
    let expected = match policy.concurrency {
        Concurrency::Revision => json!({ "revision": 3 }),
        _ => Value::Null,
    };
    let payload = payload::example(operation);
    let hash = wire::payload_hash(operation.name(), wire::SCHEMA_VERSION, &target, &expected, &payload);
    json!({
        "command_id": COMMAND_ID, "operation": operation.name(), "schema_version": wire::SCHEMA_VERSION,
        "target": target, "expected": expected, "payload": payload, "payload_hash": hash,
        "issued_at": "2026-11-30T09:12:00.000Z", "confirmed_at": null, "session_version": 7, "issued_under": 7,
    })
}

/// The example of each operation, by its name.
pub(super) fn examples() -> Vec<(String, Example)> {
    let of = |operation: Operation| {
        let summary = format!("Idempotency-Key: {}", example_key(operation));
        (operation.name().to_owned(), ExampleBuilder::new().summary(summary).value(Some(example(operation))).build())
    };
    Operation::ALL.into_iter().map(of).collect()
}

/// A batch of two.
pub(super) fn batch_example() -> Value {
    let items = [Operation::TagAdd, Operation::NoteAdd].map(|operation| {
        let mut item: Map<String, Value> = example(operation).as_object().cloned().unwrap_or_default();
        item.insert("idempotency_key".to_owned(), json!(example_key(operation)));
        item
    });
    json!({ "commands": items })
}

#[cfg(test)]
mod tests {
    use wire::IdempotencyKey;

    use super::*;
    use crate::command::read;

    /// What the document shows can be sent as it stands.
    #[test]
    fn every_example_is_a_command_of_ours() {
        for operation in Operation::ALL {
            let key = IdempotencyKey::from_header(&example_key(operation)).unwrap();
            let envelope = read::read(&key, &example(operation)).unwrap();
            assert_eq!(envelope.payload.operation(), operation);
        }
    }

    /// The registry, which the contract's table comes from, and the document name the same members.
    #[test]
    fn every_payload_has_the_members_that_the_registry_says() {
        for operation in Operation::ALL {
            let schema = serde_json::to_value(payload::schema(operation)).unwrap();
            let mut described: Vec<&str> =
                schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let said = operation.policy().payload.split(", ").map(|member| member.split(": ").next().unwrap());
            let said: Vec<&str> = said.filter(|member| !member.ends_with('}')).collect();
            let mut names: Vec<&str> = said.iter().map(|member| member.trim_end_matches(['?', ']', '['])).collect();
            names.sort_unstable();
            described.sort_unstable();
            assert_eq!(described, names, "{operation:?}");
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            assert!(required.iter().all(|name| said.contains(&name.as_str().unwrap())), "{operation:?}: {required:?}");
            let example = payload::example(operation);
            assert!(example.as_object().unwrap().keys().all(|name| names.contains(&name.as_str())));
        }
    }
}
