//! What other systems are told of, in the transaction in which it happened.

mod mail;

use domain::{Case, Command, Entity, Payload, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One event, to be delivered to whoever wants its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingEvent {
    /// The same for every delivery and attempt: `msg_<command id>`.
    pub id: String,
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// When it was committed.
    pub at: Timestamp,
    /// The JSON that is posted, byte for byte. It names things by their ids: who may know more asks for it.
    pub body: String,
    /// What a mail says, for a person who has nothing to ask with.
    pub mail: MailText,
}

/// What a mail says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "plain")]
pub struct MailText {
    pub subject: String,
    pub text: String,
}

/// The kinds of events (CONTRACT 7).
pub const KINDS: [&str; 4] = ["case.created", "case.transitioned", "case.assigned", "notice.issued"];

/// The event that `command` makes, if its operation makes one. `case` is as the command left it, `before` as it found it.
pub fn event_of(
    command: &Command,
    before: Option<&Case>,
    case: &Case,
    effects: &[Entity],
    at: Timestamp,
) -> Option<OutgoingEvent> {
    let (kind, more) = match &command.payload {
        Payload::CaseCreate(_) => ("case.created", json!({ "kind": case.kind, "status": case.status })),
        Payload::CaseTransition(transition) => (
            "case.transitioned",
            json!({
                "from": before.map(|case| case.status),
                "to": transition.to,
                "reason_code": transition.reason_code,
            }),
        ),
        Payload::CaseAssign(assign) => ("case.assigned", json!({ "from": assign.from, "to": assign.to })),
        Payload::NoticeIssue(_) => {
            let notice = effects.iter().find_map(|effect| match effect {
                Entity::Notice(notice) => Some(notice),
                _ => None,
            })?;
            ("notice.issued", json!({ "notice_id": notice.id, "kind": notice.kind }))
        }
        _ => return None,
    };
    let mut data = json!({
        "case_id": case.id,
        "number": case.number,
        "revision": case.revision,
        "command_id": command.id,
        "actor_id": command.actor,
    });
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    let body = json!({ "type": kind, "timestamp": at, "data": data }).to_string();
    let mail = mail::text(command, before, case, at);
    Some(OutgoingEvent { id: format!("msg_{}", command.id), kind, at, body, mail })
}
