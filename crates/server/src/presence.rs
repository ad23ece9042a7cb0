//! Who is at which case just now. In memory and of this node alone: it is told at most once, to the streams that are
//! open here, and nothing depends on it.
//!
//! Whether a case exists is not looked at: whoever names one that does not, or another tenant's, is told to nobody
//! but his own tenant, which he could tell himself.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{ActorId, CaseId, TenantId};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};
use wire::PresenceEvent;

/// Cases that one actor is at; more windows than this nobody looks at.
const CASES_OF_ACTOR_MAX: usize = 20;
/// Changes that a slow stream may be behind before it is told everything anew.
const BEHIND_MAX: usize = 256;

/// Everybody's presence.
#[derive(Debug, Clone)]
pub struct Presence {
    lasts: Duration,
    tenants: Arc<Mutex<HashMap<TenantId, Tenant>>>,
}

#[derive(Debug)]
struct Tenant {
    /// Until when each actor is at each case.
    cases: BTreeMap<CaseId, BTreeMap<ActorId, Instant>>,
    /// The cases at which somebody came or went.
    changes: broadcast::Sender<CaseId>,
}

impl Default for Tenant {
    fn default() -> Self {
        Self { cases: BTreeMap::new(), changes: broadcast::channel(BEHIND_MAX).0 }
    }
}

impl Presence {
    /// Presence that lasts this long unless it is said again.
    pub fn lasting(lasts: Duration) -> Self {
        Self { lasts, tenants: Arc::default() }
    }

    /// `actor` is at `case` now.
    pub fn mark(&self, tenant: TenantId, case: CaseId, actor: ActorId) {
        let until = Instant::now() + self.lasts;
        let mut tenants = self.lock();
        let of_tenant = tenants.entry(tenant).or_default();
        if let Some(known) = of_tenant.cases.get_mut(&case).and_then(|actors| actors.get_mut(&actor)) {
            *known = until;
            return;
        }
        if let Some(oldest) = of_tenant.one_too_many(actor) {
            of_tenant.remove(oldest, actor);
        }
        of_tenant.cases.entry(case).or_default().insert(actor, until);
        of_tenant.changed(case);
        drop(tenants);
        let presence = self.clone();
        tokio::spawn(async move { presence.expire(tenant, case, actor).await });
    }

    /// Follows who comes and goes in `tenant`, beginning with who is there.
    pub fn follow(&self, tenant: TenantId) -> Following {
        let mut tenants = self.lock();
        let of_tenant = tenants.entry(tenant).or_default();
        let ready = of_tenant.cases.keys().copied().collect();
        let changes = of_tenant.changes.subscribe();
        Following { presence: self.clone(), tenant, changes, ready, told: HashMap::new() }
    }

    /// Waits until `actor` has not been at `case` for long enough.
    async fn expire(&self, tenant: TenantId, case: CaseId, actor: ActorId) {
        loop {
            let until = match self.lock().get_mut(&tenant) {
                None => return,
                Some(of_tenant) => match of_tenant.cases.get(&case).and_then(|actors| actors.get(&actor)).copied() {
                    None => return,
                    Some(until) if until <= Instant::now() => return of_tenant.remove(case, actor),
                    Some(until) => until,
                },
            };
            sleep_until(until).await;
        }
    }

    fn actors(&self, tenant: TenantId, case: CaseId) -> Vec<ActorId> {
        let tenants = self.lock();
        let actors = tenants.get(&tenant).and_then(|of_tenant| of_tenant.cases.get(&case));
        actors.map(|actors| actors.keys().copied().collect()).unwrap_or_default()
    }

    fn cases(&self, tenant: TenantId) -> Vec<CaseId> {
        let tenants = self.lock();
        tenants.get(&tenant).map(|of_tenant| of_tenant.cases.keys().copied().collect()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TenantId, Tenant>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tenant {
    /// The case that `actor` would be gone from first, if he is at as many as anybody may be.
    fn one_too_many(&self, actor: ActorId) -> Option<CaseId> {
        let at = self.cases.iter().filter_map(|(case, actors)| Some((*actors.get(&actor)?, *case)));
        let at: Vec<_> = at.collect();
        if at.len() < CASES_OF_ACTOR_MAX { None } else { at.into_iter().min().map(|(_, case)| case) }
    }

    fn remove(&mut self, case: CaseId, actor: ActorId) {
        if let Some(actors) = self.cases.get_mut(&case) {
            actors.remove(&actor);
            if actors.is_empty() {
                self.cases.remove(&case);
            }
            self.changed(case);
        }
    }

    fn changed(&self, case: CaseId) {
        // Nobody may be listening.
        let _ = self.changes.send(case);
    }
}

/// One stream's view of its tenant.
#[derive(Debug)]
pub struct Following {
    presence: Presence,
    tenant: TenantId,
    changes: broadcast::Receiver<CaseId>,
    /// Cases to be looked at.
    ready: VecDeque<CaseId>,
    /// What this stream was told last of each case at which somebody is.
    told: HashMap<CaseId, Vec<ActorId>>,
}

impl Following {
    /// Waits for the next case at which somebody came or went. Nothing is lost if this is dropped while it waits.
    pub async fn next(&mut self) -> PresenceEvent {
        loop {
            while let Some(case) = self.ready.pop_front() {
                if let Some(event) = self.news_of(case) {
                    return event;
                }
            }
            match self.changes.recv().await {
                Ok(case) => self.ready.push_back(case),
                Err(RecvError::Lagged(_)) => {
                    self.ready.extend(self.presence.cases(self.tenant));
                    self.ready.extend(self.told.keys());
                }
                // Its sender lives as long as the server.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    fn news_of(&mut self, case: CaseId) -> Option<PresenceEvent> {
        let actors = self.presence.actors(self.tenant, case);
        let before = if actors.is_empty() {
            self.told.remove(&case).unwrap_or_default()
        } else {
            self.told.insert(case, actors.clone()).unwrap_or_default()
        };
        (before != actors).then_some(PresenceEvent { case_id: case, actors })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn case() -> CaseId {
        CaseId(Uuid::now_v7())
    }

    #[tokio::test]
    async fn a_stream_that_is_behind_is_told_how_it_is_now() {
        let presence = Presence::lasting(Duration::from_hours(1));
        let (tenant, first) = (TenantId(Uuid::now_v7()), case());
        let actors: Vec<ActorId> = (0..BEHIND_MAX * 2).map(|_| ActorId(Uuid::now_v7())).collect();
        let mut following = presence.follow(tenant);
        for actor in &actors {
            presence.mark(tenant, first, *actor);
        }
        let event = following.next().await;
        assert_eq!(event, PresenceEvent { case_id: first, actors });
        presence.mark(tenant, first, event.actors[0]);
        let second = case();
        presence.mark(tenant, second, event.actors[0]);
        assert_eq!(following.next().await.case_id, second, "what has not changed is not told again");
    }

    #[tokio::test]
    async fn an_actor_is_at_some_cases_only() {
        let presence = Presence::lasting(Duration::from_hours(1));
        let (tenant, actor) = (TenantId(Uuid::now_v7()), ActorId(Uuid::now_v7()));
        let cases: Vec<CaseId> = (0..CASES_OF_ACTOR_MAX * 3).map(|_| case()).collect();
        for case in &cases {
            presence.mark(tenant, *case, actor);
        }
        assert_eq!(presence.cases(tenant).len(), CASES_OF_ACTOR_MAX);
        assert!(presence.cases(tenant).contains(cases.last().unwrap()));
    }
}
