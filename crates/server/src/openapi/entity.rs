//! The feed and the entities it carries.

use domain::inspection::{Outcome, Severity};
use domain::{EntityKind, Operation, Priority, Role, Status};
use serde_json::{Value, json};
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{Discriminator, OneOfBuilder};

use super::shape::{
    Member, anything, date, described_text, id, list, moment, named, number, one_of, only, open, optional, or_null,
    required, text, truth, whole_from,
};

/// The type of a person in the feed; the other types are those of the domain.
const MEMBER: &str = "member";

/// The types of the feed.
fn kinds() -> impl Iterator<Item = &'static str> {
    EntityKind::ALL.into_iter().map(EntityKind::name).chain([MEMBER])
}

/// The components that the feed is made of.
pub(super) fn components() -> Vec<(String, Schema)> {
    let mut components = vec![
        ("ChangesPage".to_owned(), page()),
        ("FeedItem".to_owned(), any_item()),
        ("Member".to_owned(), member()),
        ("Event".to_owned(), event()),
        (
            "WakeEvent".to_owned(),
            open("The data of `event: wake`.", vec![required("epoch", text()), required("head", whole_from(0))]),
        ),
        (
            "SessionEvent".to_owned(),
            open("The data of `event: session`; the stream ends then.", vec![required("state", only("revoked"))]),
        ),
        (
            "PresenceEvent".to_owned(),
            open(
                "The data of `event: presence`: everybody who is at a case now.",
                vec![required("case_id", id()), required("actors", list(id(), None))],
            ),
        ),
    ];
    components.extend(EntityKind::ALL.into_iter().map(|kind| (camel(kind.name()), entity(kind))));
    components.extend(kinds().map(|kind| (item_of(kind), item(kind))));
    components
}

/// `time_entry` as `TimeEntry`.
fn camel(kind: &str) -> String {
    kind.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

fn item_of(kind: &str) -> String {
    format!("{}Item", camel(kind))
}

fn page() -> Schema {
    open(
        "A page of the feed: each entity that changed, once, at its newest state.",
        vec![
            required("epoch", text()),
            required("items", list(named("FeedItem"), None)),
            required("cursor", text()),
            required("has_more", truth()),
            required("head", whole_from(0)),
        ],
    )
}

fn any_item() -> Schema {
    let mapping = kinds().map(|kind| (kind.to_owned(), format!("#/components/schemas/{}", item_of(kind))));
    let any = kinds().fold(OneOfBuilder::new(), |any, kind| any.item(named(&item_of(kind))));
    let any = any.discriminator(Some(Discriminator::with_mapping("type", mapping)));
    any.description(Some("One entity. A later version may carry more types; leave those out.")).into()
}

fn item(kind: &'static str) -> Schema {
    open(
        &format!("A `{kind}` of the feed; `entity` is null when it is deleted, or not for this actor any more."),
        vec![
            required("seq", whole_from(1)),
            required("type", only(kind)),
            required("id", id()),
            required("revision", whole_from(1)),
            required("deleted", truth()),
            required("command_id", or_null(id())),
            required("at", moment()),
            required("entity", or_null(named(&camel(kind)))),
        ],
    )
}

/// One event of the stream, as server-sent events are read.
fn event() -> Schema {
    let data = "The JSON of a `WakeEvent`, a `SessionEvent` or a `PresenceEvent`.";
    open(
        "One event of the stream.",
        vec![required("event", one_of(["wake", "session", "presence"])), required("data", described_text(data))],
    )
}

fn member() -> Schema {
    open(
        "A person of the organization.",
        vec![
            required("id", id()),
            required("username", text()),
            required("display_name", text()),
            required("role", one_of(Role::ALL.map(Role::name))),
            required("disabled", truth()),
            required("revision", whole_from(1)),
            required("created_at", moment()),
        ],
    )
}

fn entity(kind: EntityKind) -> Schema {
    let of_case = |description: &str, own: Vec<Member>| described(description, [vec![required("case_id", id())], own]);
    match kind {
        EntityKind::Case => described("A case.", [case(), Vec::new()]),
        EntityKind::Note => of_case(
            "A note on a case.",
            vec![
                required("text", text()),
                required("redacted", truth()),
                required("redaction_reason", or_null(text())),
            ],
        ),
        EntityKind::Task => of_case(
            "A task on a case.",
            vec![required("title", text()), required("due_on", or_null(date())), required("done", truth())],
        ),
        EntityKind::TimeEntry => of_case(
            "A stretch of work on a case.",
            vec![required("minutes", whole_from(1)), required("worked_on", date()), required("note", or_null(text()))],
        ),
        EntityKind::Inspection => of_case(
            "An inspection of a case and what it found.",
            vec![
                required("kind", text()),
                required("inspected_on", date()),
                required("outcome", one_of(Outcome::ALL.map(Outcome::name))),
                required("findings", list(found(), None)),
            ],
        ),
        EntityKind::Notice => of_case(
            "A notice issued on a case.",
            vec![required("kind", text()), required("recipient", text()), required("body", text())],
        ),
        EntityKind::Notification => of_case(
            "A word to one person, whom alone the feed tells.",
            vec![
                required("recipient_id", id()),
                required("operation", operation()),
                required("read_at", or_null(moment())),
            ],
        ),
        EntityKind::Activity => of_case(
            "One line of a case's timeline: what a committed command did.",
            vec![
                required("operation", operation()),
                required(
                    "payload",
                    anything("The command's payload, without texts that an entity of their own holds."),
                ),
                required("from_status", or_null(status())),
                required("issued_at", moment()),
            ],
        ),
    }
}

/// With the members that every entity has.
fn described(description: &str, own: [Vec<Member>; 2]) -> Schema {
    let mut members = vec![
        required("id", id()),
        required("revision", whole_from(1)),
        required("created_at", moment()),
        required("created_by", id()),
    ];
    members.extend(own.into_iter().flatten());
    open(description, members)
}

fn case() -> Vec<Member> {
    let optional_texts = ["description", "address", "district", "external_id"];
    let mut members = vec![
        required("number", or_null(text())),
        required("title", text()),
        required("kind", text()),
        required("priority", one_of(Priority::ALL.map(Priority::name))),
        required("status", status()),
        required("latitude", or_null(number())),
        required("longitude", or_null(number())),
        required("due_on", or_null(date())),
        required("assignee_id", or_null(id())),
        required("tags", list(text(), None)),
        required("archived", truth()),
    ];
    members.extend(optional_texts.map(|name| required(name, or_null(text()))));
    members
}

fn found() -> Schema {
    open(
        "One thing found.",
        vec![
            optional("code", text()),
            required("text", text()),
            required("severity", one_of(Severity::ALL.map(Severity::name))),
            optional("corrective_action", text()),
        ],
    )
}

fn status() -> Schema {
    one_of(Status::ALL.map(Status::name))
}

fn operation() -> Schema {
    one_of(Operation::ALL.map(Operation::name))
}

/// A page with one item that is there and one that is gone.
pub(super) fn page_example() -> Value {
    let (note, case) = ("0197f3c2-5a10-7000-8000-0000000000c3", "0197f3c2-5a10-7000-8000-0000000000c2");
    let (actor, at) = ("0197f3c2-5a10-7000-8000-0000000000a1", "2026-11-30T09:12:01.004Z");
    json!({
        "epoch": "0197f3c2-5a10-7000-8000-0000000000e1", "cursor": "eyJvIjo5MDAxfQ", "has_more": false, "head": 9001,
        "items": [
            { "seq": 9000, "type": "note", "id": note, "revision": 1, "deleted": false,
              "command_id": "0197f3c2-5a10-7000-8000-0000000000c1", "at": at,
              "entity": { "id": note, "case_id": case, "text": "The manager was told on site.", "redacted": false,
                          "redaction_reason": null, "revision": 1, "created_at": at, "created_by": actor } },
            { "seq": 9001, "type": "task", "id": "0197f3c2-5a10-7000-8000-0000000000c4", "revision": 2, "deleted": true,
              "command_id": null, "at": at, "entity": null },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document names exactly the members that entities are written with.
    #[test]
    fn every_entity_has_the_members_that_it_is_written_with() {
        for item in page_example()["items"].as_array().unwrap() {
            let kind = item["type"].as_str().unwrap();
            assert_members(&super::item(kinds().find(|known| *known == kind).unwrap()), item);
        }
        let item: wire::FeedItem = serde_json::from_value(page_example()["items"][0].clone()).unwrap();
        let entity = serde_json::to_value(&item.entity).unwrap();
        assert_members(&super::entity(EntityKind::Note), &entity);
        assert!(matches!(item.read(), Ok(Some(wire::FeedEntity::Entity(domain::Entity::Note(_))))));
    }

    fn assert_members(schema: &Schema, value: &Value) {
        let schema = serde_json::to_value(schema).unwrap();
        let described: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let mut written: Vec<&String> = value.as_object().unwrap().keys().collect();
        written.sort();
        assert_eq!(described, written);
    }
}
