//! The audit in an administrator's words: who did what, and what came of it. For reading; programs take `--json`.

use std::collections::HashMap;

use wire::Code;

use crate::storage::AuditRow;

/// Beyond these a column is not widened for all lines.
const WHO_MAX: usize = 24;
const WHAT_MAX: usize = 72;

/// One line for each row, its columns under one another; `names` says who has which id.
pub(super) fn lines(rows: &[AuditRow], names: &HashMap<String, String>) -> Vec<String> {
    let told: Vec<_> = rows.iter().map(|row| (name(&row.actor_id, names), what(row, names))).collect();
    let width = |texts: &mut dyn Iterator<Item = &String>, max: usize| {
        texts.map(|text| text.chars().count()).max().unwrap_or_default().min(max)
    };
    let who_width = width(&mut told.iter().map(|(who, _)| who), WHO_MAX);
    let what_width = width(&mut told.iter().map(|(_, what)| what), WHAT_MAX);
    let line = |(row, (who, what)): (&AuditRow, &(String, String))| {
        let (at, result) = (row.occurred_at, result(row));
        let command = if is_deed(row) { String::new() } else { format!("  (command {})", row.command_id) };
        format!("{at}  {who:who_width$}  {what:what_width$}  {result}{command}")
    };
    rows.iter().zip(&told).map(line).collect()
}

/// Whether it was done without a command: by an administrator, by the server, by signing out.
fn is_deed(row: &AuditRow) -> bool {
    row.idempotency_key.is_empty() && row.result == "committed"
}

fn name(id: &str, names: &HashMap<String, String>) -> String {
    names.get(id).cloned().unwrap_or_else(|| id.to_owned())
}

fn what(row: &AuditRow, names: &HashMap<String, String>) -> String {
    let target = match row.entity_type.as_str() {
        "member" => format!("user {}", name(&row.entity_id, names)),
        "" => "something".to_owned(),
        kind => format!("{kind} {}", row.entity_id).trim_end().to_owned(),
    };
    match doing(&row.operation) {
        Some(doing) => format!("{doing} {target}"),
        None if row.operation.is_empty() => format!("do something to {target}"),
        None => format!("{} on {target}", row.operation),
    }
}

/// What is done, up to the name of what it is done to.
fn doing(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "case.create" => "open",
        "case.edit" => "edit",
        "case.transition" => "change the status of",
        "case.assign" => "assign",
        "case.archive" => "archive",
        "case.restore" => "restore",
        "tag.add" => "add a tag to",
        "tag.remove" => "remove a tag from",
        "note.add" => "add a note to",
        "note.redact" => "redact a note of",
        "task.add" => "add a task to",
        "task.set_done" => "tick a task of",
        "time.log" => "log time on",
        "inspection.record" => "record an inspection of",
        "notice.issue" => "issue a notice on",
        "attachment.add" => "add a file to",
        "attachment.remove" => "remove a file of",
        "notification.read" => "read",
        "user.add" | "webhook.add" => "add",
        "user.set-role" => "change the role of",
        "user.revoke" => "end all sessions of",
        "user.disable" | "webhook.disable" => "disable",
        "user.enable" | "webhook.enable" => "enable",
        "user.set-password" => "set the password of",
        "session.end" => "end",
        "webhook.remove" => "remove",
        "webhook.rotate" => "change the secret of",
        "purge" => "purge",
        "new-epoch" => "begin a new epoch of",
        _ => return None,
    })
}

fn result(row: &AuditRow) -> String {
    let code = row.code.as_deref();
    match (row.result.as_str(), code) {
        ("committed", Some(more)) if is_deed(row) => format!("done: {more}"),
        ("committed", _) if is_deed(row) => "done".to_owned(),
        ("committed", _) => applied(row),
        ("duplicate_returned", None) => "sent again: got the first answer, nothing changed".to_owned(),
        ("duplicate_returned", Some(code)) => format!("sent again: refused as before, {}", title(code)),
        ("conflict", _) => format!("conflict: {}", title(code.unwrap_or_default())),
        (_, Some("operation-sealed")) => "sealed: it will never be applied".to_owned(),
        (_, Some("operation-in-progress")) => "sent again while it was still running".to_owned(),
        (_, Some("replay-forbidden")) => {
            "sent again without the right to: told that it is committed, no more".to_owned()
        }
        (_, code) => format!("refused: {}", title(code.unwrap_or_default())),
    }
}

fn applied(row: &AuditRow) -> String {
    let revision = match (row.previous_revision, row.next_revision) {
        (Some(before), Some(after)) if before != after => format!(", revision {before} to {after}"),
        (_, Some(after)) => format!(", revision {after}"),
        _ => String::new(),
    };
    let authority = match row.authority.as_deref() {
        Some("intent") => ", by the rights held when it was decided",
        Some("confirmed") => ", confirmed by its sender",
        _ => "",
    };
    format!("applied{revision}{authority}")
}

/// The problem in words, or its code if it is none that this program knows.
fn title(code: &str) -> String {
    let Some(known) = Code::ALL.iter().find(|known| known.name() == code) else { return code.to_owned() };
    let (_, _, _, title) = known.meaning();
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use domain::{Operation, Timestamp};

    use super::*;

    fn row(operation: &str, result: &str, code: Option<&str>) -> AuditRow {
        AuditRow {
            audit_id: "1".to_owned(),
            hash: String::new(),
            command_id: "c1".to_owned(),
            idempotency_key: "k1".to_owned(),
            actor_id: "a1".to_owned(),
            tenant_id: "t1".to_owned(),
            entity_type: "case".to_owned(),
            entity_id: "e1".to_owned(),
            operation: operation.to_owned(),
            previous_revision: None,
            next_revision: None,
            result: result.to_owned(),
            code: code.map(str::to_owned),
            authority: None,
            session_version: 1,
            issued_under: 1,
            request_id: "r1".to_owned(),
            occurred_at: Timestamp(1_796_032_800_000),
        }
    }

    #[test]
    fn every_line_says_who_what_and_what_came_of_it() {
        let names = HashMap::from([("a1".to_owned(), "mara".to_owned()), ("a2".to_owned(), "sven".to_owned())]);
        let deed = AuditRow {
            idempotency_key: String::new(),
            actor_id: "administrator".to_owned(),
            entity_type: "member".to_owned(),
            entity_id: "a2".to_owned(),
            ..row("user.set-role", "committed", Some("viewer"))
        };
        let edit = AuditRow {
            previous_revision: Some(1),
            next_revision: Some(2),
            authority: Some("intent".to_owned()),
            ..row("case.edit", "committed", None)
        };
        let rows = [
            AuditRow { next_revision: Some(1), ..row("case.create", "committed", None) },
            row("case.create", "duplicate_returned", None),
            edit,
            row("note.redact", "rejected", Some("session-revoked")),
            deed,
        ];
        let at = Timestamp(1_796_032_800_000).to_string();
        let expected = [
            "mara           open case e1                  applied, revision 1  (command c1)",
            "mara           open case e1                  sent again: got the first answer, nothing changed  (command c1)",
            "mara           edit case e1                  applied, revision 1 to 2, by the rights held when it was decided  (command c1)",
            "mara           redact a note of case e1      refused: the session was ended  (command c1)",
            "administrator  change the role of user sven  done: viewer",
        ];
        assert_eq!(lines(&rows, &names), expected.map(|line| format!("{at}  {line}")));
    }

    #[test]
    fn every_operation_and_every_code_has_words() {
        for operation in Operation::ALL {
            assert!(doing(operation.name()).is_some(), "{}", operation.name());
        }
        for code in Code::ALL {
            let told = result(&row("case.edit", "rejected", Some(code.name())));
            assert!(!told.contains(code.name()), "{told}");
        }
        assert_eq!(result(&row("case.edit", "rejected", Some("of-tomorrow"))), "refused: of-tomorrow");
        assert_eq!(what(&row("", "rejected", None), &HashMap::new()), "do something to case e1");
    }
}
