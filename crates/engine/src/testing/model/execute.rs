//! Load, decide, write: the receiver at its plainest.

use domain::decide::{After, Refusal};
use domain::payload::Child;
use domain::registry::Age;
use domain::{ActorId, CaseId, Command, CommandId, Entity, EntityKind, Loaded, Operation, Payload, Timestamp, decide};
use wire::receipt::Committed;
use wire::{
    Code, CommandRequest, Fence, IdempotencyKey, LookedUpKey, Lookup, LookupAnswer, OperationState, OperationStatus,
    Problem, Receipt, ResultRef,
};

use super::fault::{of_json, of_problem};
use super::{Record, State};
use crate::ports::{Answer, Method, Request};
use crate::testing::build::TENANT;

impl State {
    /// The server's answer to a request that arrived.
    pub(super) fn serve(&mut self, request: &Request, now: Timestamp) -> Answer {
        let body = request.body.as_deref().unwrap_or_default();
        match (request.method, request.path.as_str()) {
            (Method::Post, "/v1/sessions") => return self.sign_in(body, now),
            (Method::Post, "/v1/sessions/refresh") => return self.rotate(body, now),
            _ => {}
        }
        let (actor, version) = match self.authenticate(request, now) {
            Ok(who) => who,
            Err(answer) => return *answer,
        };
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let member = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        match (request.method, path) {
            (Method::Get, "/v1/session") => of_json(200, &self.info(actor)),
            (Method::Delete, "/v1/sessions/current") => {
                Answer { status: 204, content_type: None, retry_after_ms: None, body: Vec::new() }
            }
            (Method::Get, "/v1/changes") if self.feed_is_down => {
                of_problem(&Problem::new(Code::TemporarilyUnavailable, ""))
            }
            (Method::Get, "/v1/changes") => {
                let own = format!("{}%20", self.epoch_name());
                let cursor = member("cursor").map(|cursor| cursor.strip_prefix(&own)?.parse().ok());
                if cursor == Some(None) {
                    return of_problem(&Problem::new(Code::CursorExpired, ""));
                }
                let limit = member("limit").and_then(|limit| limit.parse().ok()).unwrap_or(100);
                of_json(200, &self.changes(cursor.flatten(), limit, Some(actor)))
            }
            (Method::Post, "/v1/commands") => self.execute(request.key.as_deref(), body, actor, version, now),
            (Method::Post, "/v1/operations/lookup") => of_json(200, &self.look_up(body, actor, now)),
            (method, path) if path.starts_with("/v1/operations/") => {
                let key = member("key").unwrap_or_default().to_owned();
                let id: String = path["/v1/operations/".len()..].chars().take(36).collect();
                if method == Method::Post {
                    self.seal(&key, actor);
                }
                of_json(200, &self.status(&key, id.parse().unwrap(), actor, now))
            }
            _ => of_problem(&Problem::new(Code::NotFound, "")),
        }
    }

    fn execute(&mut self, key: Option<&str>, body: &[u8], actor: ActorId, version: u32, now: Timestamp) -> Answer {
        let problem = |code| of_problem(&Problem::new(code, ""));
        let Ok(request) = serde_json::from_slice::<CommandRequest>(body) else {
            return problem(Code::MalformedRequest);
        };
        let Some(key) = key else { return problem(Code::IdempotencyKeyMissing) };
        let hash = request.computed_hash();
        if hash != request.payload_hash {
            return problem(Code::PayloadHashMismatch);
        }
        if let Some(record) = self.records.get(key) {
            if record.hash != hash || record.actor != actor {
                return problem(Code::IdempotencyKeyReused);
            }
            return match &record.outcome {
                Ok((status, body, _)) => Answer { body: body.clone(), ..of_json(*status, &()) },
                Err(problem) => of_problem(problem),
            };
        }
        let Ok(payload) = Payload::read(request.operation, &request.payload) else {
            return problem(Code::ValidationFailed);
        };
        if self.actors[&actor].role < Operation::least_role_for(&payload) {
            return problem(Code::Forbidden);
        }
        if needs_confirmation(&request, &payload, now) {
            return problem(Code::ConfirmationRequired);
        }
        let command = Command {
            id: request.command_id,
            actor,
            target: request.target.id,
            expected: request.expected,
            payload,
            issued_at: request.issued_at,
        };
        let number = format!("2026-{:06}", 500 + self.cases.len());
        let outcome = match decide(&self.load(&command), &command, &number, now) {
            Ok(decision) => {
                let mut position = 0;
                for effect in decision.effects {
                    position = self.commit(effect, command.id, now);
                }
                self.effects.push((actor, command.id, hash.clone()));
                let (kind, id, revision) = decision.result;
                let receipt = Receipt {
                    operation_id: command.id,
                    state: Committed::Committed,
                    fence: Fence {
                        tenant_id: TENANT,
                        actor_id: actor,
                        session_version: version,
                        payload_hash: hash.clone(),
                        entity_type: command.payload.operation().policy().target.name().to_owned(),
                        entity_id: command.target,
                        entity_revision: decision.target_revision,
                    },
                    result: ResultRef { kind: kind.name().to_owned(), id, revision },
                    feed_position: position,
                    committed_at: now,
                    receipt_reduced: false,
                };
                let status = if decision.created { 201 } else { 200 };
                Ok((status, serde_json::to_vec(&receipt).unwrap(), decision.target_revision))
            }
            Err(refusal) => Err(as_problem(refusal, command.id)),
        };
        let answer = match &outcome {
            Ok((status, body, _)) => Answer { body: body.clone(), ..of_json(*status, &()) },
            Err(problem) => of_problem(problem),
        };
        if !matches!(answer.status, 404 | 424) {
            let record = Record { actor, command: command.id, target: command.target, hash, outcome };
            self.records.insert(key.to_owned(), record);
        }
        answer
    }

    fn load(&self, command: &Command) -> Loaded {
        let after = match command.expected {
            Some(domain::Expected::After(id)) => self.records.values().find(|record| record.command == id),
            _ => None,
        };
        let target = command.payload.operation().policy().target;
        let child = match target {
            EntityKind::Case => command.payload.child().map(Child::key),
            _ => Some((target, command.target)),
        };
        Loaded {
            case: self.cases.get(&CaseId(command.target.0)).cloned(),
            child: child.and_then(|key| self.children.get(&key)).cloned(),
            assignee_is_member: true,
            external_id_taken: false,
            after: after.map(|record| match &record.outcome {
                Ok((_, _, revision)) => {
                    After::Committed { actor: record.actor, target: record.target, revision: *revision }
                }
                Err(_) => After::Failed { actor: record.actor, target: record.target },
            }),
            ..Loaded::default()
        }
    }

    fn commit(&mut self, effect: Entity, command: CommandId, now: Timestamp) -> u64 {
        let entity = serde_json::from_str(&effect.to_json().unwrap()).unwrap();
        let (kind, id, revision) = (effect.kind(), effect.id(), effect.revision());
        match effect {
            Entity::Case(case) => drop(self.cases.insert(case.id, case)),
            child => drop(self.children.insert((kind, id), child)),
        }
        self.publish(kind.name(), id, revision, Some(command), now, entity)
    }

    fn seal(&mut self, key: &str, actor: ActorId) {
        let command = key.rsplit(':').next().and_then(|id| id.parse().ok());
        let (Some(command), false) = (command, self.records.contains_key(key)) else { return };
        let sealed = Problem::new(Code::OperationSealed, "").about(command);
        let target = domain::EntityId(uuid::Uuid::nil());
        let record = Record { actor, command, target, hash: String::new(), outcome: Err(sealed) };
        self.records.insert(key.to_owned(), record);
    }

    fn look_up(&self, body: &[u8], actor: ActorId, now: Timestamp) -> LookupAnswer {
        let lookup: Lookup = serde_json::from_slice(body).unwrap();
        let found = |key: IdempotencyKey| {
            let id = key.as_str().rsplit(':').next().unwrap().parse().unwrap();
            LookedUpKey { status: self.status(key.as_str(), id, actor, now), idempotency_key: key }
        };
        LookupAnswer { results: lookup.keys.into_iter().map(found).collect() }
    }

    fn status(&self, key: &str, id: CommandId, actor: ActorId, now: Timestamp) -> OperationStatus {
        let record = self.records.get(key).filter(|record| record.actor == actor);
        let (state, result, problem) = match record.map(|record| &record.outcome) {
            None => (OperationState::NotSeen, None, None),
            Some(Ok((_, body, _))) => (OperationState::Committed, Some(serde_json::from_slice(body).unwrap()), None),
            Some(Err(problem)) => (OperationState::Failed, None, Some(problem.clone())),
        };
        let is_final = record.is_some();
        OperationStatus { operation_id: id, state, is_final, result, problem, as_of: now }
    }
}

fn as_problem(refusal: Refusal, command: CommandId) -> Problem {
    let problem = match refusal {
        Refusal::Invalid { detail, .. } => Problem::new(Code::ValidationFailed, detail),
        Refusal::TargetNotFound => Problem::new(Code::TargetNotFound, ""),
        Refusal::TargetDeleted => Problem::new(Code::TargetDeleted, ""),
        Refusal::DependencyMissing => Problem::new(Code::DependencyMissing, ""),
        Refusal::DependencyFailed => Problem::new(Code::DependencyFailed, ""),
        Refusal::Rule(rule) => {
            Problem { reason: Some(rule.name().to_owned()), ..Problem::new(Code::DomainRejected, "") }
        }
        Refusal::RevisionConflict { current_revision, current, conflicting_fields } => Problem {
            current_revision: Some(current_revision.0),
            current: Some(current),
            conflicting_fields,
            ..Problem::new(Code::RevisionConflict, "")
        },
    };
    problem.about(command)
}

/// Whether it is older than its operation allows since it was issued, and since it was confirmed.
fn needs_confirmation(request: &CommandRequest, payload: &Payload, now: Timestamp) -> bool {
    let Age::HoursSinceConfirmed(hours) = payload.operation().policy().age_max else { return false };
    let newest = request.confirmed_at.unwrap_or(request.issued_at).max(request.issued_at);
    newest.plus_ms(i64::from(hours) * 3_600_000) < now
}
