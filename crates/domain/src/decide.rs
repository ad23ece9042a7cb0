//! The decision: from what is stored and a command to its effects, or to the reason why not.
//!
//! [`apply`] is the reducer; the server calls it through [`decide`], the client to draw what is pending.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::{Case, Status};
use crate::ids::{ActorId, CaseId, CommandId, EntityId, Revision, Timestamp};
use crate::merge::{held, moved_fields};
use crate::note::Note;
use crate::payload::{CaseCreate, Payload, priority_of};
use crate::registry::Concurrency;
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
    /// The case it is about.
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
}

/// What a decision needs to know, loaded beforehand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The target case, if it exists.
    pub case: Option<Case>,
    /// Whether an entity with the id the command would create exists already.
    pub child_exists: bool,
    /// Whether the new assignee is a member of the tenant; true if nobody is named.
    pub assignee_is_member: bool,
    /// Whether another case already has the new case's `external_id`.
    pub external_id_taken: bool,
    /// What `expected.after` names, if that is recorded.
    pub after: Option<After>,
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
}

impl Rule {
    /// The `reason` member of the problem.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalTransition => "illegal-transition",
            Self::AlreadyExists => "already-exists",
            Self::ExternalIdTaken => "external-id-taken",
            Self::UnknownAssignee => "unknown-assignee",
        }
    }
}

/// An entity as it is after the command.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each entity describes itself")]
#[allow(clippy::large_enum_variant, reason = "a handful a command, moved once")]
pub enum Effect {
    Case(Case),
    Note(Note),
    Activity(Activity),
}

/// The command's effects, and what its receipt says.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Each changed entity once, in the order of their feed positions.
    pub effects: Vec<Effect>,
    /// Whether something was created (201) or changed (200).
    pub created: bool,
    /// The target's revision after the command.
    pub target_revision: Revision,
    /// What was created or changed: its feed type, id and revision.
    pub result: (&'static str, EntityId, Revision),
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

    let mut case = loaded.case.clone();
    let mut note = None;
    apply(&command.payload, CaseId(command.target.0), command.actor, now, &mut case, &mut note);
    let mut case = case.ok_or(Refusal::TargetNotFound)?;
    let created = loaded.case.is_none() || note.is_some();
    if loaded.case.is_none() {
        case.number = Some(number.to_owned());
    } else if command.payload.operation().policy().raises_revision {
        case.revision = case.revision.next();
    }
    let result = match &note {
        Some(note) => ("note", note.id.into(), note.revision),
        None => ("case", case.id.into(), case.revision),
    };
    let activity = Activity::of(command, &command.payload, loaded.case.as_ref(), now);
    let target_revision = case.revision;
    let mut effects = Vec::with_capacity(3);
    if loaded.case.as_ref() != Some(&case) {
        effects.push(Effect::Case(case));
    }
    effects.extend(note.map(Effect::Note));
    effects.push(Effect::Activity(activity));
    Ok(Decision { effects, created, target_revision, result })
}

/// The reducer: what `payload` makes of the case, without asking whether it may.
///
/// The server calls it after all checks; the client calls it to show what is pending over whatever the
/// server last said. Numbers and revisions are the server's to give and are left alone.
pub fn apply(
    payload: &Payload,
    target: CaseId,
    actor: ActorId,
    now: Timestamp,
    case: &mut Option<Case>,
    note: &mut Option<Note>,
) {
    if let Payload::CaseCreate(create) = payload {
        case.get_or_insert_with(|| new_case(create, target, actor, now));
        return;
    }
    if let Payload::NoteAdd(add) = payload {
        *note = Some(Note {
            id: add.note_id,
            case_id: target,
            text: add.text.clone(),
            revision: Revision(1),
            created_at: now,
            created_by: actor,
        });
        return;
    }
    let Some(case) = case else { return };
    match payload {
        Payload::CaseEdit(edit) => {
            for (field, change) in &edit.changes {
                field.set(case, change.to.clone());
            }
        }
        Payload::CaseTransition(transition) => case.status = transition.to,
        Payload::CaseAssign(assign) => case.assignee_id = assign.to,
        Payload::TagAdd(tag) => {
            if let Err(place) = case.tags.binary_search(&tag.tag) {
                case.tags.insert(place, tag.tag.clone());
            }
        }
        Payload::TagRemove(tag) => case.tags.retain(|held| *held != tag.tag),
        Payload::CaseCreate(_) | Payload::NoteAdd(_) => {}
    }
}

fn new_case(create: &CaseCreate, id: CaseId, actor: ActorId, now: Timestamp) -> Case {
    let mut case = Case {
        id,
        number: None,
        title: String::new(),
        kind: String::new(),
        priority: priority_of(create),
        status: create.status.unwrap_or(Status::Draft),
        description: None,
        address: None,
        district: None,
        latitude: None,
        longitude: None,
        due_on: None,
        external_id: create.external_id.clone(),
        assignee_id: None,
        tags: Vec::new(),
        archived: false,
        revision: Revision(1),
        created_at: now,
        created_by: actor,
    };
    for (field, value) in &create.fields {
        field.set(&mut case, value.clone());
    }
    case
}

fn check_target(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    match (&loaded.case, &command.payload) {
        (Some(_), Payload::CaseCreate(_)) => Err(Refusal::Rule(Rule::AlreadyExists)),
        (None, Payload::CaseCreate(_)) => Ok(()),
        (None, _) => Err(Refusal::TargetNotFound),
        (Some(case), _) if case.archived => Err(Refusal::TargetDeleted),
        (Some(_), _) => Ok(()),
    }
}

/// `expected` is checked whenever it is given, before any rule of the domain.
fn check_expected(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    let invalid = |detail| Err(Refusal::Invalid { pointer: "/expected", detail });
    let concurrency = command.payload.operation().policy().concurrency;
    let Some(case) = &loaded.case else {
        return if command.expected.is_some() { invalid("a new case has no revision yet") } else { Ok(()) };
    };
    let revision = match (command.expected, loaded.after) {
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
    if revision == case.revision { Ok(()) } else { Err(conflict(case, moved_fields(case, &command.payload))) }
}

fn check_rules(loaded: &Loaded, command: &Command) -> Result<(), Refusal> {
    let refuse = |rule| Err(Refusal::Rule(rule));
    if loaded.child_exists {
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
