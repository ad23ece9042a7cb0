//! What a mail says of an event: enough to know which case to look at, and nothing of a notice's text.

use std::fmt::Write as _;

use domain::{Case, Command, Payload, Timestamp};

use crate::execution::events::MailText;

/// What a mail about `command` says. `case` is as the command left it, `before` as it found it.
pub(super) fn text(command: &Command, before: Option<&Case>, case: &Case, at: Timestamp) -> MailText {
    let number = case.number.as_deref().unwrap_or("without a number");
    let (happened, mut more) = (happened(&command.payload), Vec::new());
    match &command.payload {
        Payload::CaseTransition(transition) => {
            let from = before.map(|case| case.status.name()).unwrap_or_default();
            more.push(("Status", format!("{from} -> {}", transition.to.name())));
        }
        Payload::CaseAssign(assign) => {
            more.push(("Assignee", assign.to.map_or_else(|| "nobody".to_owned(), |actor| actor.to_string())));
        }
        Payload::NoticeIssue(notice) => {
            more.push(("Kind", notice.kind.clone()));
            more.push(("Recipient", notice.recipient.clone()));
        }
        _ => more.push(("Status", case.status.name().to_owned())),
    }
    let mut text = format!("{happened}.\n\n");
    let fixed = [("Case", number.to_owned()), ("Title", case.title.clone())];
    let last = [("When", at.to_string()), ("Command", command.id.to_string())];
    for (name, value) in fixed.into_iter().chain(more).chain(last) {
        let _ = writeln!(text, "{:<11}{}", format!("{name}:"), one_line(&value));
    }
    MailText { subject: one_line(&format!("{happened}: case {number}")), text }
}

fn happened(payload: &Payload) -> &'static str {
    match payload {
        Payload::CaseTransition(_) => "A case has another status",
        Payload::CaseAssign(_) => "A case was assigned",
        Payload::NoticeIssue(_) => "A notice was issued",
        _ => "A case was created",
    }
}

/// The same on one line, so that nothing written by a person passes for a line of ours.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
