//! A list's question as SQL: fixed fragments, every value bound.

use domain::ActorId;
use engine::view::{AssigneeFilter, CaseQuery, CaseSort};

use crate::sqlite::text::json;

/// A restriction with the values it binds, in order.
pub(super) struct Restriction {
    /// `true`, or fragments joined by `and`.
    pub(super) sql: String,
    /// One for each `?` in it.
    pub(super) values: Vec<String>,
}

/// What `query` restricts the list `c` to.
pub(super) fn restriction(query: &CaseQuery, me: ActorId) -> Restriction {
    let mut fragments: Vec<&'static str> = Vec::new();
    let mut values = Vec::new();
    let mut add = |fragment, value: Option<String>| {
        fragments.push(fragment);
        values.extend(value);
    };
    if let Some(words) = query.text.as_deref().and_then(match_expression) {
        add("c.place in (select rowid from case_text where case_text match ?)", Some(words));
    }
    for marks in query.text.as_deref().into_iter().flat_map(marks) {
        add(HOLDS, Some(marks.to_owned()));
    }
    if !query.statuses.is_empty() {
        add("c.status in (select value from json_each(?))", Some(json(&query.statuses)));
    }
    if !query.kinds.is_empty() {
        add("c.kind in (select value from json_each(?))", Some(json(&query.kinds)));
    }
    if !query.priorities.is_empty() {
        add("c.priority in (select value from json_each(?))", Some(json(&query.priorities)));
    }
    match query.assignee {
        AssigneeFilter::Any => {}
        AssigneeFilter::Nobody => add("c.assignee_id is null", None),
        AssigneeFilter::Me => add("c.assignee_id = ?", Some(me.to_string())),
        AssigneeFilter::Actor(actor) => add("c.assignee_id = ?", Some(actor.to_string())),
    }
    if let Some(tag) = &query.tag {
        add("c.place in (select place from case_tag where tag = ?)", Some(tag.clone()));
    }
    if let Some(day) = &query.due_by {
        add("(c.due_on is null) = 0 and c.due_on <= ?", Some(day.clone()));
    }
    if query.has_changes {
        add("c.live_changes > 0", None);
    }
    if query.needs_you {
        add("c.live_changes > 0 and c.needs_you = 1", None);
    }
    let sql = if fragments.is_empty() { "true".to_owned() } else { fragments.join(" and ") };
    Restriction { sql, values }
}

/// The order: what is absent stands last, ties are broken by id.
pub(super) fn order(query: &CaseQuery) -> &'static str {
    match (query.sort, query.descending) {
        (CaseSort::Due, false) => "c.due_on is null, c.due_on, c.id",
        (CaseSort::Due, true) => "c.due_on is null desc, c.due_on desc, c.id",
        (CaseSort::Title, false) => "c.title collate nocase, c.id",
        (CaseSort::Title, true) => "c.title collate nocase desc, c.id",
        (CaseSort::Number, false) => "c.number is null, c.number, c.id",
        (CaseSort::Number, true) => "c.number is null desc, c.number desc, c.id",
        (CaseSort::Status, false) => "c.status_rank, c.id",
        (CaseSort::Status, true) => "c.status_rank desc, c.id",
        (CaseSort::Priority, false) => "c.priority_rank, c.id",
        (CaseSort::Priority, true) => "c.priority_rank desc, c.id",
        (CaseSort::Assignee, false) => "c.assignee_name is null, c.assignee_name collate nocase, c.id",
        (CaseSort::Assignee, true) => "c.assignee_name is null desc, c.assignee_name collate nocase desc, c.id",
    }
}

/// An FTS5 expression: each word begins some word of the case. Only letters and digits are left of what a person
/// typed, each word in quotes, so that nothing of it can be read as FTS5's own syntax.
fn match_expression(text: &str) -> Option<String> {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.map(|word| format!("\"{word}\"*")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

/// Whether a text of the case holds something.
const HOLDS: &str = "instr(c.title || char(10) || coalesce(c.number, '') || char(10) || coalesce(c.external_id, '') \
                     || char(10) || coalesce(c.address, '') || char(10) || coalesce(c.description, ''), ?) > 0";

/// What a person typed between blanks that has no letter and no digit, such as `%`: the index knows nothing of it, so
/// it is looked for as it is.
fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|part| !part.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::{marks, match_expression};

    #[test]
    fn marks_without_a_word_are_searched_as_they_are() {
        assert_eq!(marks("50 % of _' (a)").collect::<Vec<_>>(), ["%", "_'"]);
        assert_eq!(marks(" ").next(), None);
    }

    #[test]
    fn nothing_a_person_types_is_syntax() {
        for (text, expected) in [
            ("bridge fire", Some("\"bridge\"* \"fire\"*")),
            ("2026-000123", Some("\"2026\"* \"000123\"*")),
            ("\"a\" OR b* NEAR(", Some("\"a\"* \"OR\"* \"b\"* \"NEAR\"*")),
            (" -- ( \0", None),
            ("Straße", Some("\"Straße\"*")),
        ] {
            assert_eq!(match_expression(text).as_deref(), expected, "{text}");
        }
    }
}
