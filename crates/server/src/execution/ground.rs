//! What a group of commands needs to know before it is decided, and where each actor stands.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::payload::Child;
use domain::{ActorId, CommandId, Entity, EntityId, EntityKind, Expected, Payload, Role, TenantId, Timestamp};
use uuid::Uuid;

use crate::command::{Attempt, Sender};
use crate::execution::chain::Chain;

/// Everything loaded for one group; the fold moves it on as it decides.
#[derive(Debug)]
pub struct Ground {
    /// The records of the group's keys.
    pub records: HashMap<String, Record>,
    /// The key of each recorded command id that the group names.
    pub keys: HashMap<CommandId, String>,
    /// Which of the group's sessions still stand, and for whom.
    pub sessions: HashMap<Uuid, ActorId>,
    /// The group's actors.
    pub actors: HashMap<ActorId, Standing>,
    /// The targets, and what the payloads name beside them.
    pub entities: HashMap<(EntityKind, EntityId), Entity>,
    /// Which of these are gone, and who alone could see them.
    pub gone: HashMap<(EntityKind, EntityId), Option<ActorId>>,
    /// Which of the external ids the group names are taken.
    pub external_ids: HashSet<String>,
    /// Which of the assignees the group names are members whose account is not disabled.
    pub members: HashSet<ActorId>,
    /// The tenant's newest feed position.
    pub head: u64,
    /// The year that case numbers are given in now.
    pub year: i16,
    /// The last case number given in that year.
    pub last_number: u64,
    /// Commands made before this have no record any more.
    pub purge_horizon: Timestamp,
    /// Where the tenant's audit ends.
    pub audit: Chain,
    /// Whether the tenant has endpoints that are told of events.
    pub has_endpoints: bool,
}

impl Ground {
    /// What is known before anything is loaded.
    pub fn at(year: i16) -> Self {
        Self {
            records: HashMap::new(),
            keys: HashMap::new(),
            sessions: HashMap::new(),
            actors: HashMap::new(),
            entities: HashMap::new(),
            gone: HashMap::new(),
            external_ids: HashSet::new(),
            members: HashSet::new(),
            head: 0,
            year,
            last_number: 0,
            purge_horizon: Timestamp(0),
            audit: Chain::default(),
            has_endpoints: false,
        }
    }
}

/// The key record of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The idempotency key.
    pub key: String,
    /// The command id.
    pub command_id: CommandId,
    /// Who ran, or sealed, it.
    pub actor: ActorId,
    /// The operation, as the key names it.
    pub operation: String,
    /// The target's type.
    pub entity_type: String,
    /// The target, as the key names it.
    pub entity_id: String,
    /// The payload's hash; `None` if the key was sealed before it was seen.
    pub payload_hash: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// The answer's status.
    pub status: u16,
    /// The answer's body, byte for byte.
    pub body: String,
    /// Committed: the target's revision after it.
    pub entity_revision: Option<u32>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}

/// What became of a recorded command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Committed,
    /// It had no effect and never will.
    Failed,
    /// It was sealed, so that it never will.
    Sealed,
}

impl Outcome {
    /// The name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::Failed => "failed",
            Self::Sealed => "sealed",
        }
    }

    /// The outcome of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Committed, Self::Failed, Self::Sealed].into_iter().find(|outcome| outcome.name() == name)
    }
}

/// An actor's rights, now and before.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// The role now; `None` if the account is disabled.
    pub role: Option<Role>,
    /// The version of the sessions that stand now.
    pub session_version: u32,
    /// Every role the actor has had, oldest first.
    pub history: Vec<(Timestamp, Role)>,
    /// When the actor's first session began.
    pub first_session_at: Option<Timestamp>,
}

impl Standing {
    /// The role held at `at`, clamped into the life of the actor's sessions so far: a wrong client clock
    /// can neither reach before them nor beyond `now`.
    pub fn role_at(&self, at: Timestamp, now: Timestamp) -> Option<Role> {
        let at = at.max(self.first_session_at?).min(now);
        self.history.iter().rev().find(|(since, _)| *since <= at).map(|(_, role)| *role)
    }
}

/// What to load for a group, each id once and in order, so that locks are taken in one order.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "each names what to load")]
pub struct Needs {
    pub commands: BTreeSet<CommandId>,
    pub sessions: BTreeSet<Uuid>,
    pub actors: BTreeSet<ActorId>,
    pub entities: BTreeSet<(EntityKind, EntityId)>,
    pub external_ids: BTreeSet<String>,
    pub members: BTreeSet<ActorId>,
}

impl Needs {
    /// What answering `group` needs, whatever is recorded.
    pub fn of(group: &[Attempt]) -> Self {
        let mut needs = Self::of_answers(group);
        needs.decide(group);
        needs
    }

    /// What tells whether `group` is recorded already, and who asks. Only the rest needs [`Needs::decide`].
    pub fn of_answers(group: &[Attempt]) -> Self {
        let mut needs = Self::default();
        for attempt in group {
            needs.commands.insert(attempt.command.id);
            if let Some(Expected::After(after)) = attempt.command.expected {
                needs.commands.insert(after);
            }
            if let Sender::Session(session) = attempt.sender {
                needs.sessions.insert(session);
            }
            needs.actors.insert(attempt.actor());
        }
        needs
    }

    /// What deciding `attempts` needs beyond that.
    pub fn decide<'a>(&mut self, attempts: impl IntoIterator<Item = &'a Attempt>) {
        for attempt in attempts {
            let payload = &attempt.command.payload;
            self.entities.insert((payload.operation().policy().target, attempt.command.target));
            self.entities.extend(payload.child().map(Child::key));
            match payload {
                Payload::CaseCreate(create) => self.external_ids.extend(create.external_id.clone()),
                Payload::CaseAssign(assign) => self.members.extend(assign.to),
                _ => {}
            }
        }
    }
}

/// The tenant of a group: every attempt of it has the same.
pub fn tenant_of(group: &[Attempt]) -> Option<TenantId> {
    group.first().map(|attempt| attempt.tenant)
}
