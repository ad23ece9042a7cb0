//! Decides a group in order. Pure: from what was loaded to the answers and to what is to be written.
//!
//! The key look-up comes before the rights and the revision, so a client never conflicts with its own
//! write; a repeat inside the group finds the record that its first delivery has just left.

use domain::decide::{After, Decision, Gone, Refusal};
use domain::payload::Child;
use domain::registry::{Age, Authority, Repeat};
use domain::{
    Case, CommandId, Entity, EntityId, EntityKind, Expected, Loaded, Operation, Payload, Revision, Timestamp, decide,
};
use wire::receipt::Committed;
use wire::{Code, Fence, Problem, Receipt, ResultRef};

use crate::command::answer::json;
use crate::command::{Answer, Attempt, Sender};
use crate::execution::events::event_of;
use crate::execution::ground::{Ground, Outcome, Record};
use crate::execution::lanes::Lanes;
use crate::execution::refusal::problem_of;
use crate::execution::writes::{AuditEntry, FeedChange, Writes};

/// Of a command without a record that may have had one.
pub const FORGOTTEN: &str =
    "The server keeps no record of commands this old; whether it took effect shows in what it was about.";
/// Of a key whose command id is recorded under another.
pub const USED_ELSEWHERE: &str = "This command id was used under another key.";

/// Decides every attempt of `group` in order.
pub fn fold(ground: &mut Ground, group: &[Attempt], now: Timestamp) -> (Vec<Answer>, Writes) {
    let mut writes = Writes { head: ground.head, ..Writes::default() };
    let mut lanes = Lanes::default();
    let answers = group.iter().map(|attempt| {
        let verdict = judge(ground, &mut writes, attempt, lanes.is_blocked(attempt), now);
        lanes.answered(attempt, &verdict.answer);
        writes.audit.push(ground.audit.link(entry(attempt, &verdict, now)));
        verdict.answer
    });
    let answers = answers.collect();
    (answers, writes)
}

/// The answer to one attempt, with what the audit says of it.
struct Verdict {
    answer: Answer,
    result: &'static str,
    code: Option<Code>,
    authority: Option<&'static str>,
    revisions: (Option<u32>, Option<u32>),
}

impl Verdict {
    fn refused(attempt: &Attempt, code: Code, detail: &str) -> Self {
        Self::of_problem(&Problem::new(code, detail).about(attempt.command.id))
    }

    fn of_problem(problem: &Problem) -> Self {
        let result = if problem.code == Code::RevisionConflict { "conflict" } else { "rejected" };
        Self {
            answer: Answer::problem(problem),
            result,
            code: Some(problem.code),
            authority: None,
            revisions: (None, None),
        }
    }
}

fn judge(ground: &mut Ground, writes: &mut Writes, attempt: &Attempt, behind: bool, now: Timestamp) -> Verdict {
    if let Sender::Session(session) = attempt.sender
        && ground.sessions.get(&session) != Some(&attempt.actor())
    {
        return Verdict::refused(attempt, Code::SessionRevoked, "The session was ended.");
    }
    let right = right(ground, attempt, now);
    if let Some(verdict) = recorded(ground, attempt, right.is_some()) {
        return verdict;
    }
    if behind {
        let detail = "An earlier command of this batch on the same target did not take effect.";
        return Verdict::refused(attempt, Code::DependencyMissing, detail);
    }
    if is_forgotten(attempt.command.id, ground.purge_horizon) {
        return Verdict::refused(attempt, Code::OperationWindowExpired, FORGOTTEN);
    }
    let Some(authority) = right else {
        return Verdict::refused(attempt, Code::Forbidden, "Your role does not allow this.");
    };
    if needs_confirmation(ground, attempt, now) {
        let detail = "This was decided some time ago, or before you signed in again; confirm that it still holds.";
        return Verdict::refused(attempt, Code::ConfirmationRequired, detail);
    }
    let verdict = match decide(&loaded(ground, attempt), &attempt.command, &next_number(ground), now) {
        Ok(decision) => commit(ground, writes, attempt, decision, now),
        Err(refusal) => refuse(ground, writes, attempt, refusal, now),
    };
    Verdict { authority: Some(authority), ..verdict }
}

/// By which authority the actor may run this, if by any: the rights held when it was issued, where the
/// operation says so, else those of now.
fn right(ground: &Ground, attempt: &Attempt, now: Timestamp) -> Option<&'static str> {
    if attempt.sender == Sender::Import {
        return Some("current");
    }
    let standing = ground.actors.get(&attempt.actor())?;
    let least = Operation::least_role_for(&attempt.command.payload);
    let authority = attempt.command.payload.operation().policy().authority;
    if authority == Authority::AtIntent
        && standing.role_at(attempt.command.issued_at, now).is_some_and(|role| role >= least)
    {
        return Some("intent");
    }
    let name = match authority {
        Authority::Confirmed if attempt.confirmed_at.is_some() => "confirmed",
        _ => "current",
    };
    standing.role.filter(|role| *role >= least).map(|_| name)
}

/// Whether its actor must first say again that it is meant: it is older than its operation allows since it was
/// issued and since it was confirmed, or it was issued in an older session and not confirmed since.
fn needs_confirmation(ground: &Ground, attempt: &Attempt, now: Timestamp) -> bool {
    let policy = attempt.command.payload.operation().policy();
    let Age::HoursSinceConfirmed(hours) = policy.age_max else { return false };
    if attempt.sender == Sender::Import {
        return false;
    }
    let issued = attempt.command.issued_at;
    let confirmed = attempt.confirmed_at.filter(|confirmed| *confirmed > issued);
    // A client's clock that is ahead of ours cannot make anything younger than now.
    let newest = confirmed.unwrap_or(issued).min(now);
    let is_old = newest.plus_ms(i64::from(hours) * 3_600_000) < now;
    let version = ground.actors.get(&attempt.actor()).map_or(0, |standing| standing.session_version);
    is_old || (attempt.issued_under < version && confirmed.is_none())
}

/// What is already known under the key, or under the command id.
fn recorded(ground: &Ground, attempt: &Attempt, has_right: bool) -> Option<Verdict> {
    let reused = |detail| Some(Verdict::refused(attempt, Code::IdempotencyKeyReused, detail));
    let Some(record) = ground.records.get(attempt.key.as_str()) else {
        let elsewhere = ground.keys.contains_key(&attempt.command.id);
        return if elsewhere { reused(USED_ELSEWHERE) } else { None };
    };
    if record.outcome != Outcome::Sealed {
        if record.actor != attempt.actor() {
            return reused("This key was used by somebody else.");
        }
        if record.payload_hash.as_deref() != Some(attempt.payload_hash.as_str()) {
            return reused("This key was used for another payload.");
        }
    }
    let repeat = attempt.command.payload.operation().policy().repeat;
    if record.outcome == Outcome::Committed && !has_right && repeat == Repeat::CommittedOnly {
        let detail = "It is committed, but you may no longer see the details.";
        return Some(Verdict::refused(attempt, Code::ReplayForbidden, detail));
    }
    let answer = Answer { status: record.status, body: record.body.clone(), replayed: true, retry_after_s: None };
    Some(Verdict {
        code: answer.code(),
        answer,
        result: "duplicate_returned",
        authority: None,
        revisions: (None, record.entity_revision),
    })
}

/// When a version 7 id was made, by its maker's clock.
fn made_at(id: CommandId) -> Option<Timestamp> {
    let (seconds, nanos) = id.0.get_timestamp()?.to_unix();
    Some(Timestamp(i64::try_from(seconds).ok()?.saturating_mul(1000) + i64::from(nanos / 1_000_000)))
}

fn next_number(ground: &Ground) -> String {
    format!("{:04}-{:06}", ground.year, ground.last_number + 1)
}

fn loaded(ground: &Ground, attempt: &Attempt) -> Loaded {
    let command = &attempt.command;
    let after = match command.expected {
        Some(Expected::After(id)) => after(ground, attempt, id),
        _ => None,
    };
    let target = (command.payload.operation().policy().target, command.target);
    let child = match target.0 {
        EntityKind::Case => command.payload.child().map(Child::key),
        _ => Some(target),
    };
    Loaded {
        case: case(ground, command.target).filter(|_| target.0 == EntityKind::Case).cloned(),
        child: child.and_then(|key| ground.entities.get(&key)).cloned(),
        assignee_is_member: match &command.payload {
            Payload::CaseAssign(assign) => assign.to.is_none_or(|actor| ground.members.contains(&actor)),
            _ => true,
        },
        external_id_taken: match &command.payload {
            Payload::CaseCreate(create) => {
                create.external_id.as_ref().is_some_and(|id| ground.external_ids.contains(id))
            }
            _ => false,
        },
        after,
        gone: match child {
            _ if is_gone(ground, attempt, target) => Gone::Target,
            Some(child) if is_gone(ground, attempt, child) => Gone::Child,
            _ => Gone::Nothing,
        },
    }
}

/// Whether it was there and is gone, as far as this actor could see it.
fn is_gone(ground: &Ground, attempt: &Attempt, key: (EntityKind, EntityId)) -> bool {
    ground.gone.get(&key).is_some_and(|seen_by| seen_by.is_none_or(|actor| actor == attempt.actor()))
}

fn after(ground: &Ground, attempt: &Attempt, id: CommandId) -> Option<After> {
    match ground.keys.get(&id).and_then(|key| ground.records.get(key)) {
        Some(record) => after_of(record, attempt),
        None => is_forgotten(id, ground.purge_horizon).then_some(After::Forgotten),
    }
}

/// Whether a command without a record may have had one.
pub fn is_forgotten(id: CommandId, purge_horizon: Timestamp) -> bool {
    made_at(id).is_some_and(|made| made < purge_horizon)
}

fn case(ground: &Ground, id: EntityId) -> Option<&Case> {
    match ground.entities.get(&(EntityKind::Case, id)) {
        Some(Entity::Case(case)) => Some(case),
        _ => None,
    }
}

/// The target's revision, if it exists.
fn target_revision(ground: &Ground, attempt: &Attempt) -> Option<u32> {
    let kind = attempt.command.payload.operation().policy().target;
    ground.entities.get(&(kind, attempt.command.target)).map(|target| target.revision().0)
}

fn after_of(record: &Record, attempt: &Attempt) -> Option<After> {
    let target = record.entity_id.parse().ok()?;
    Some(match (record.outcome, record.entity_revision) {
        (Outcome::Committed, Some(revision)) => {
            After::Committed { actor: record.actor, target, revision: Revision(revision) }
        }
        // Whoever sealed it, it will never be applied; whose it was is not known.
        (Outcome::Sealed, _) if record.payload_hash.is_none() => After::Failed { actor: attempt.actor(), target },
        _ => After::Failed { actor: record.actor, target },
    })
}

fn commit(ground: &mut Ground, writes: &mut Writes, attempt: &Attempt, decision: Decision, now: Timestamp) -> Verdict {
    let command = &attempt.command;
    let before = target_revision(ground, attempt);
    if command.payload.operation() == Operation::CaseCreate {
        ground.last_number += 1;
        writes.number = Some((ground.year, ground.last_number));
    }
    tell(ground, writes, attempt, &decision, now);
    for effect in decision.effects {
        writes.head += 1;
        writes.changes.push(FeedChange {
            seq: writes.head,
            kind: effect.kind().name(),
            id: effect.id(),
            revision: effect.revision(),
            visible_to: effect.visible_to(),
            command_id: Some(command.id),
            at: now,
            body: effect.to_json().unwrap_or_default(),
        });
        remember(ground, writes, effect);
    }
    let (kind, id, revision) = decision.result;
    let receipt = Receipt {
        operation_id: command.id,
        state: Committed::Committed,
        fence: Fence {
            tenant_id: attempt.tenant,
            actor_id: attempt.actor(),
            session_version: attempt.session_version,
            payload_hash: attempt.payload_hash.clone(),
            entity_type: command.payload.operation().policy().target.name().to_owned(),
            entity_id: command.target,
            entity_revision: decision.target_revision,
        },
        result: ResultRef { kind: kind.name().to_owned(), id, revision },
        feed_position: writes.head,
        committed_at: now,
        receipt_reduced: false,
    };
    let status = if decision.created { 201 } else { 200 };
    let revision = decision.target_revision.0;
    let answer = Answer { status, body: json(&receipt), replayed: false, retry_after_s: None };
    record(ground, writes, attempt, Outcome::Committed, &answer, Some(revision), now);
    Verdict { answer, result: "committed", code: None, authority: None, revisions: (before, Some(revision)) }
}

/// Puts down what other systems are to be told. Cases taken over from elsewhere are no news to anybody.
fn tell(ground: &Ground, writes: &mut Writes, attempt: &Attempt, decision: &Decision, now: Timestamp) {
    if !ground.has_endpoints || attempt.sender == Sender::Import {
        return;
    }
    let before = case(ground, attempt.command.target);
    let after = decision.effects.iter().find_map(|effect| match effect {
        Entity::Case(case) => Some(case),
        _ => None,
    });
    if let Some(case) = after.or(before) {
        writes.events.extend(event_of(&attempt.command, before, case, &decision.effects, now));
    }
}

/// Moves the ground on, so that later commands of the group see this one's effects.
fn remember(ground: &mut Ground, writes: &mut Writes, effect: Entity) {
    if let Entity::Case(case) = &effect
        && let Some(external_id) = &case.external_id
        && ground.external_ids.insert(external_id.clone())
        && !ground.entities.contains_key(&(EntityKind::Case, effect.id()))
    {
        writes.external_ids.push((external_id.clone(), effect.id()));
    }
    ground.entities.insert((effect.kind(), effect.id()), effect);
}

fn refuse(ground: &mut Ground, writes: &mut Writes, attempt: &Attempt, refusal: Refusal, now: Timestamp) -> Verdict {
    let revision = target_revision(ground, attempt);
    let (problem, is_final) = problem_of(refusal);
    let problem = problem.about(attempt.command.id);
    let verdict = Verdict { revisions: (revision, None), ..Verdict::of_problem(&problem) };
    if is_final {
        record(ground, writes, attempt, Outcome::Failed, &verdict.answer, None, now);
    }
    verdict
}

fn record(
    ground: &mut Ground,
    writes: &mut Writes,
    attempt: &Attempt,
    outcome: Outcome,
    answer: &Answer,
    entity_revision: Option<u32>,
    now: Timestamp,
) {
    let record = Record {
        key: attempt.key.as_str().to_owned(),
        command_id: attempt.command.id,
        actor: attempt.actor(),
        operation: attempt.command.payload.operation().name().to_owned(),
        entity_type: attempt.command.payload.operation().policy().target.name().to_owned(),
        entity_id: attempt.command.target.to_string(),
        payload_hash: Some(attempt.payload_hash.clone()),
        outcome,
        status: answer.status,
        body: answer.body.clone(),
        entity_revision,
        recorded_at: now,
    };
    ground.keys.insert(record.command_id, record.key.clone());
    ground.records.insert(record.key.clone(), record.clone());
    writes.records.push(record);
}

/// What the audit says of an attempt that was refused with `code` without being decided.
pub fn refused_entry(attempt: &Attempt, code: Code, now: Timestamp) -> AuditEntry {
    entry(attempt, &Verdict::refused(attempt, code, ""), now)
}

fn entry(attempt: &Attempt, verdict: &Verdict, now: Timestamp) -> AuditEntry {
    AuditEntry {
        command_id: attempt.command.id.to_string(),
        key: attempt.key.as_str().to_owned(),
        actor_id: attempt.actor().to_string(),
        entity_type: attempt.command.payload.operation().policy().target.name().to_owned(),
        entity_id: attempt.command.target.to_string(),
        operation: attempt.command.payload.operation().name().to_owned(),
        previous_revision: verdict.revisions.0,
        next_revision: verdict.revisions.1,
        result: verdict.result.into(),
        code: verdict.code.map(|code| code.name().into()),
        authority: verdict.authority.map(Into::into),
        session_version: attempt.session_version,
        issued_under: attempt.issued_under,
        request_id: attempt.request_id.clone(),
        occurred_at: now,
    }
}
