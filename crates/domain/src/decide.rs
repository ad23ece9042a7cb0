//! The decision: from what is stored and a command to its effects, or to the reason why not.
//!
//! The server calls [`decide`]; what a command makes of its target is the reducer's to say, see [`apply`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apply::{Subject, apply};
use crate::case::Case;
use crate::entity::{Entity, EntityKind};
use crate::ids::{ActorId, CaseId, CommandId, EntityId, NotificationId, Revision, Timestamp};
use crate::merge::{held, moved_fields};
use crate::notification::Notification;
use crate::payload::{Child, Payload};
use crate::registry::{Concurrency, Operation};
use crate::timeline::Activity;

/// What the actor saw the target at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// This revision.
    Revision(Revision),
    /// The revision this command of the same actor and target leaves it with.
    After(CommandId),
}

/// A command, read and authorised.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Its id.
    pub id: CommandId,
    /// Who acts.
    pub actor: ActorId,
    /// The entity it is about, of the type that its operation's policy names.
    pub target: EntityId,
    /// What the actor saw.
    pub expected: Option<Expected>,
    /// What to do.
    pub payload: Payload,
    /// When the actor did it, by the actor's clock: data, never order.
    pub issued_at: Timestamp,
}

/// What is known of the command that `expected.after` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Committed by `actor` on `target`, leaving it at `revision`.
    Committed {
        /// Who ran it.
        actor: ActorId,
        /// On what.
        target: EntityId,
        /// The target's revision after it.
        revision: Revision,
    },
    /// Recorded as failed, or sealed.
    Failed {
        /// Who ran it.
        actor: ActorId,
        /// On what.
        target: EntityId,
    },
    /// So long ago that nobody knows any more what became of it.
    Forgotten,
}

/// What a decision needs to know, loaded beforehand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The target case, if it exists.
    pub case: Option<Case>,
    /// The entity that the payload names beside the case, or the notification that is the target, if it exists.
    pub child: Option<Entity>,
    /// Whether the new assignee is a member of the tenant; true if nobody is named.
    pub assignee_is_member: bool,
    /// Whether another case already has the new case's `external_id`.
    pub external_id_taken: bool,
    /// What `expected.after` names, if that is recorded.
    pub after: Option<After>,
    /// What of this was there once and is not any more.
    pub gone: Gone,
}

/// What was there once and is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gone {
    /// As far as is known.
    #[default]
    Nothing,
    /// What the payload names beside the target.
    Child,
    /// The target.
    Target,
}

/// Why a command has no effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// A member is out of its domain in a way only the operation knows.
    Invalid {
        /// RFC 6901 pointer into the command.
        pointer: &'static str,
        /// For a person.
        detail: &'static str,
    },
    /// The target does not exist, or this actor may not see it.
    TargetNotFound,
    /// The target takes no more commands.
    TargetDeleted,
    /// `expected.after` names a command that is not recorded.
    DependencyMissing,
    /// `expected.after` names a command that failed.
    DependencyFailed,
    /// The target is not what the actor saw.
    RevisionConflict {
        /// Its revision now.
        current_revision: Revision,
        /// What the fields that moved hold now.
        current: Value,
        /// The fields that moved.
        conflicting_fields: Vec<String>,
    },
    /// A rule says no.
    Rule(Rule),
}

/// The rules that say no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The status machine has no such step.
    IllegalTransition,
    /// An entity with this id exists already.
    AlreadyExists,
    /// Another case has this external id.
    ExternalIdTaken,
    /// The new assignee is nobody of this organization.
    UnknownAssignee,
    /// Only an archived case can be restored.
    NotArchived,
}

impl Rule {
    /// The `reason` member of the problem.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalTransition => "illegal-transition",
            Self::AlreadyExists => "already-exists",
            Self::ExternalIdTaken => "external-id-taken",
            Self::UnknownAssignee => "unknown-assignee",
            Self::NotArchived => "not-archived",
        }
    }
}

/// The command's effects, and what its receipt says.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Each changed entity once, in the order of their feed positions.
    pub effects: Vec<Entity>,
    /// Whether something was created (201) or changed (200).
    pub created: bool,
    /// The target's revision after the command.
    pub target_revision: Revision,
    /// What was created or changed: its type, id and revision.
    pub result: (EntityKind, EntityId, Revision),
}

/// Decides `command` over `loaded`. `number` is the next case number of the tenant; it is used up only if the
/// decision creates a case. `now` is the server's clock.
///
/// # Errors
/// The [`Refusal`]; nothing may be changed then.
pub fn decide(loaded: &Loaded, command: &Command, number: &str, now: Timestamp) -> Result<Decision, Refusal> {
    check_target(loaded, command)?;
    check_expected(loaded, command)?;
    check_rules(loaded, command)?;

    let operation = command.payload.operation();
    let mut after = Subject { case: loaded.case.clone(), child: loaded.child.clone() };
    apply(&command.payload, command.target, command.actor, now, &mut after);
    if let Some(case) = &mut after.case {
        if loaded.case.is_none() {
            case.number = Some(number.to_owned());
        } else if operation.policy().raises_revision {
            case.revision = case.revision.next();
        }
    }
    let target = match operation.policy().target {
        EntityKind::Case => after.case.clone().map(Entity::Case),
        _ => after.child.clone(),
    };
    let target = target.ok_or(Refusal::TargetNotFound)?;
    let result = after.child.as_ref().unwrap_or(&target);
    let result = (result.kind(), result.id(), result.revision());
    let created = operation == Operation::CaseCreate || matches!(command.payload.child(), Some(Child::New(..)));
    let activity = Activity::of(command, target.case_id(), loaded.case.as_ref(), now);
    let mut effects = Vec::with_capacity(4);
    let notification = notification(command, after.case.as_ref(), now);
    if after.case != loaded.case {
        effects.extend(after.case.map(Entity::Case));
    }
    if after.child != loaded.child {
        effects.extend(after.child);
    }
    effects.extend(notification.map(Entity::Notification));
    effects.push(Entity::Activity(activity));
    Ok(Decision { effects, created, target_revision: target.revision(), result })
}

/// The word to the assignee when another actor assigns, changes the status, adds a note or issues a notice.
fn notification(command: &Command, case: Option<&Case>, now: Timestamp) -> Option<Notification> {
    let operation = command.payload.operation();
    let tells = matches!(
        operation,
        Operation::CaseAssign | Operation::CaseTransition | Operation::NoteAdd | Operation::NoticeIssue
    );
    let case = case.filter(|_| tells)?;
    let recipient_id = case.assignee_id.filter(|assignee| *assignee != command.actor)?;
    Some(Notification {
        id: NotificationId(command.id.0),
        case_id: case.id,
        recipient_id,
        operation,
        read_at: None,
        revision: Revision(1),
        created_at: now,
        created_by: command.actor,
    })
}

fn check_target(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    // Whatever it asks, also to make it: what is gone does not come back.
    if loaded.gone == Gone::Target {
        return Err(Refusal::TargetDeleted);
    }
    if let Payload::NotificationRead(read) = &command.payload {
        if command.target != read.notification_id.into() {
            return Err(Refusal::Invalid { pointer: "/payload/notification_id", detail: "must be the target" });
        }
        let is_own = matches!(&loaded.child, Some(Entity::Notification(it)) if it.recipient_id == command.actor);
        return if is_own { Ok(()) } else { Err(Refusal::TargetNotFound) };
    }
    match (&loaded.case, &command.payload) {
        (Some(_), Payload::CaseCreate(_)) => Err(Refusal::Rule(Rule::AlreadyExists)),
        (None, Payload::CaseCreate(_)) | (Some(_), Payload::CaseRestore(_)) => Ok(()),
        (None, _) => Err(Refusal::TargetNotFound),
        (Some(case), _) if case.archived => Err(Refusal::TargetDeleted),
        (Some(_), payload) => check_child(loaded, command.target, payload),
    }
}

/// What is to be changed must be there, on this case; it may still be on its way.
fn check_child(loaded: &Loaded, target: EntityId, payload: &Payload) -> Result<(), Refusal> {
    let Some(Child::Existing(..)) = payload.child() else { return Ok(()) };
    let is_there = loaded.child.as_ref().is_some_and(|child| child.case_id() == CaseId(target.0));
    match is_there {
        true => Ok(()),
        false if loaded.gone == Gone::Child => Err(Refusal::TargetDeleted),
        false => Err(Refusal::TargetNotFound),
    }
}

/// `expected` is checked whenever it is given, before any rule of the domain.
fn check_expected(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    let invalid = |detail| Err(Refusal::Invalid { pointer: "/expected", detail });
    let concurrency = command.payload.operation().policy().concurrency;
    let held = match &loaded.case {
        Some(case) => case.revision,
        None => match &loaded.child {
            Some(target) => target.revision(),
            None if command.expected.is_some() => return invalid("a new case has no revision yet"),
            None => return Ok(()),
        },
    };
    let revision = match (command.expected, loaded.after) {
        // It cannot be told any more what the actor saw: a person looks again.
        (Some(Expected::After(_)), Some(After::Forgotten)) => return Err(stale(loaded, command, held)),
        (None, _) if concurrency == Concurrency::Revision => return invalid("this operation needs it"),
        (None, _) => return Ok(()),
        (Some(Expected::After(_)), None) => return Err(Refusal::DependencyMissing),
        (Some(Expected::After(_)), Some(After::Committed { actor, target, .. } | After::Failed { actor, target }))
            if actor != command.actor || target != command.target =>
        {
            return invalid("names a command of another target or actor");
        }
        (Some(Expected::After(_)), Some(After::Failed { .. })) => return Err(Refusal::DependencyFailed),
        (Some(Expected::Revision(revision)), _)
        | (Some(Expected::After(_)), Some(After::Committed { revision, .. })) => revision,
    };
    if revision == held { Ok(()) } else { Err(stale(loaded, command, held)) }
}

/// The target is at `held`, which is not what the actor saw.
fn stale(loaded: &Loaded, command: &Command, held: Revision) -> Refusal {
    match &loaded.case {
        Some(case) => conflict(case, moved_fields(case, &command.payload)),
        None => Refusal::RevisionConflict {
            current_revision: held,
            current: Value::Object(serde_json::Map::new()),
            conflicting_fields: Vec::new(),
        },
    }
}

fn check_rules(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    let refuse = |rule| Err(Refusal::Rule(rule));
    if (loaded.child.is_some() || loaded.gone == Gone::Child) && matches!(command.payload.child(), Some(Child::New(..)))
    {
        return refuse(Rule::AlreadyExists);
    }
    if loaded.external_id_taken {
        return refuse(Rule::ExternalIdTaken);
    }
    let Some(case) = &loaded.case else { return Ok(()) };
    match &command.payload {
        Payload::CaseEdit(_) | Payload::CaseAssign(_) => {
            let moved = moved_fields(case, &command.payload);
            if !moved.is_empty() {
                return Err(conflict(case, moved));
            }
            if matches!(&command.payload, Payload::CaseAssign(_)) && !loaded.assignee_is_member {
                return refuse(Rule::UnknownAssignee);
            }
            Ok(())
        }
        Payload::CaseTransition(transition) if !case.status.may_become(transition.to) => {
            refuse(Rule::IllegalTransition)
        }
        Payload::CaseRestore(_) if !case.archived => refuse(Rule::NotArchived),
        _ => Ok(()),
    }
}

fn conflict(case: &Case, fields: Vec<String>) -> Refusal {
    let current = fields
        .iter()
        .map(|name| (name.clone(), serde_json::to_value(held(case, name)).unwrap_or(Value::Null)))
        .collect();
    Refusal::RevisionConflict {
        current_revision: case.revision,
        current: Value::Object(current),
        conflicting_fields: fields,
    }
}
