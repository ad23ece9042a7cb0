//! The few shapes that all our JSON is made of, written short, so that the pages beside this one read as lists.

use domain::Operation;
use serde_json::{Value, json};
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, ObjectBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Schema};

/// A schema, or the name of one.
pub(super) type Shape = RefOr<Schema>;

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const UUID_7: &str = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

/// One member of an object.
pub(super) struct Member {
    name: &'static str,
    shape: Shape,
    is_required: bool,
}

/// A member that must be there.
pub(super) fn required(name: &'static str, shape: impl Into<Shape>) -> Member {
    Member { name, shape: shape.into(), is_required: true }
}

/// A member that may be absent.
pub(super) fn optional(name: &'static str, shape: impl Into<Shape>) -> Member {
    Member { name, shape: shape.into(), is_required: false }
}

/// An object of a request: whatever else it has is refused.
pub(super) fn closed(description: &str, members: Vec<Member>) -> Schema {
    object(description, members).additional_properties(Some(AdditionalProperties::FreeForm(false))).into()
}

/// An object of an answer: a later version may give it more members.
pub(super) fn open(description: &str, members: Vec<Member>) -> Schema {
    object(description, members).into()
}

fn object(description: &str, members: Vec<Member>) -> ObjectBuilder {
    let object = ObjectBuilder::new().schema_type(Type::Object).description(Some(description));
    members.into_iter().fold(object, |object, member| {
        let object = object.property(member.name, member.shape);
        if member.is_required { object.required(member.name) } else { object }
    })
}

/// The component of this name.
pub(super) fn named(name: &str) -> Shape {
    Ref::from_schema_name(name).into()
}

/// This, or null.
pub(super) fn or_null(shape: impl Into<Shape>) -> Schema {
    any_of([shape.into(), nothing().into()])
}

/// Any of these.
pub(super) fn any_of(shapes: impl IntoIterator<Item = Shape>) -> Schema {
    shapes.into_iter().fold(AnyOfBuilder::new(), AnyOfBuilder::item).into()
}

/// Items of this shape, at most `most` of them.
pub(super) fn list(item: impl Into<Shape>, most: Option<usize>) -> Schema {
    ArrayBuilder::new().items(item.into()).max_items(most).into()
}

/// A text of this pattern.
pub(super) fn pattern(pattern: &str) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
}

/// Any text.
pub(super) fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

/// Any text, with a word about it.
pub(super) fn described_text(description: &str) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).into()
}

/// A text that somebody writes: not empty, without NUL.
pub(super) fn words() -> Schema {
    pattern("^[^\\u0000]+$")
}

/// The same, at most so many characters.
pub(super) fn words_up_to(most: usize) -> Schema {
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[^\\u0000]+$"));
    text.min_length(Some(1)).max_length(Some(most)).into()
}

/// A text that may be missing: null and the empty text say the same as its absence.
pub(super) fn no_or_words() -> Schema {
    let types = SchemaType::from_iter([Type::String, Type::Null]);
    ObjectBuilder::new().schema_type(types).pattern(Some("^[^\\u0000]*$")).into()
}

/// `[a-z0-9_]{1,40}`
pub(super) fn slug() -> Schema {
    pattern("^[a-z0-9_]{1,40}$")
}

/// A UUID in lower case.
pub(super) fn id() -> Schema {
    pattern(&format!("^{UUID}$"))
}

/// A UUIDv7 in lower case: an id made by the sender says when.
pub(super) fn new_id() -> Schema {
    pattern(&format!("^{UUID_7}$"))
}

/// An idempotency key, bare.
pub(super) fn key() -> Schema {
    pattern(&format!("^{}$", key_pattern()))
}

/// An idempotency key as a header may hold it.
pub(super) fn key_header() -> Schema {
    pattern(&format!("^({0}|\"{0}\")$", key_pattern()))
}

fn key_pattern() -> String {
    let names: Vec<String> = Operation::ALL.iter().map(|operation| operation.name().replace('.', "\\.")).collect();
    format!("({}):{UUID}:{UUID_7}", names.join("|"))
}

/// A time, RFC 3339.
pub(super) fn moment() -> Schema {
    formatted("date-time")
}

/// A time that may be missing; see [`no_or_words`].
pub(super) fn no_or_moment() -> Schema {
    any_of([moment().into(), only("").into(), nothing().into()])
}

/// Null.
pub(super) fn nothing() -> Schema {
    ObjectBuilder::new().schema_type(Type::Null).into()
}

/// `YYYY-MM-DD`
pub(super) fn date() -> Schema {
    formatted("date")
}

/// A date that may be missing; see [`no_or_words`].
pub(super) fn no_or_date() -> Schema {
    any_of([date().into(), only("").into(), nothing().into()])
}

fn formatted(format: &str) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::Custom(format.to_owned()))).into()
}

/// An integer of this range.
pub(super) fn whole(least: i64, most: i64) -> Schema {
    #[expect(clippy::cast_precision_loss, reason = "bounds that JSON numbers hold exactly")]
    let (least, most) = (least as f64, most as f64);
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(Some(most)).into()
}

/// An integer that does not fall below this.
pub(super) fn whole_from(least: u32) -> Schema {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(f64::from(least))).into()
}

/// A number of at most this size that may be missing; see [`no_or_words`].
pub(super) fn no_or_number(most: f64) -> Schema {
    let types = SchemaType::from_iter([Type::Number, Type::Null]);
    let number: Schema = ObjectBuilder::new().schema_type(types).minimum(Some(-most)).maximum(Some(most)).into();
    any_of([number.into(), only("").into()])
}

/// Any number.
pub(super) fn number() -> Schema {
    ObjectBuilder::new().schema_type(Type::Number).into()
}

/// A text or nothing, whatever it is.
pub(super) fn no_or_text() -> Schema {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null])).into()
}

/// A session version, a revision and the like, as a request writes them.
pub(super) fn version() -> Schema {
    whole(0, i64::from(u32::MAX))
}

/// `true` or `false`
pub(super) fn truth() -> Schema {
    ObjectBuilder::new().schema_type(Type::Boolean).into()
}

/// One of these texts.
pub(super) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
}

/// This text or number only.
pub(super) fn only(value: impl Into<Value>) -> Schema {
    let value = value.into();
    let kind = if value.is_number() { Type::Integer } else { Type::String };
    ObjectBuilder::new().schema_type(kind).enum_values(Some([value])).into()
}

/// Any JSON.
pub(super) fn anything(description: &str) -> Schema {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(Some(description)).into()
}

/// The same with an example.
pub(super) fn as_example(schema: Schema, value: &str) -> Schema {
    match schema {
        Schema::Object(mut object) => {
            object.examples = vec![json!(value)];
            Schema::Object(object)
        }
        other => other,
    }
}
