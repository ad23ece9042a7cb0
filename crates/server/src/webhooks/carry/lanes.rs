//! How many attempts run at once: a few for each endpoint, one for an endpoint that fails.

use std::collections::HashMap;
use std::sync::Arc;

use domain::TenantId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::storage::webhook::{Claim, Due, EndpointId};

/// Attempts at once, of one node.
const ATTEMPTS_MAX: usize = 256;
/// Of these, to one endpoint.
const LANE_MAX: usize = 8;

/// The endpoints that attempts run to, or that fail.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: HashMap<(TenantId, EndpointId), Lane>,
    passes: usize,
}

#[derive(Debug)]
struct Lane {
    room: Arc<Semaphore>,
    is_failing: bool,
}

/// Held by an attempt; its lane has its place back when it ends, however that is.
#[derive(Debug)]
pub(super) struct Permit {
    lane: (TenantId, EndpointId),
    _place: OwnedSemaphorePermit,
}

impl Lane {
    fn new() -> Self {
        Self { room: Arc::new(Semaphore::new(LANE_MAX)), is_failing: false }
    }

    fn room(&self) -> usize {
        let running = LANE_MAX - self.room.available_permits();
        let most = if self.is_failing { 1 } else { LANE_MAX };
        most.saturating_sub(running)
    }
}

impl Lanes {
    /// What may be claimed of `due` while so many attempts are `running`. Who comes first changes from call to call.
    pub(super) fn room_for(&mut self, due: &[Due], running: usize) -> Vec<Claim> {
        self.lanes.retain(|_, lane| lane.is_failing || lane.room.available_permits() < LANE_MAX);
        self.passes = self.passes.wrapping_add(1);
        let mut left = ATTEMPTS_MAX.saturating_sub(running);
        let first = self.passes % due.len().max(1);
        let (before, after) = due.split_at(first);
        let claim = |due: &Due| {
            let room = self.lanes.get(&(due.tenant, due.endpoint)).map_or(LANE_MAX, Lane::room).min(left);
            left -= room;
            let limit = u32::try_from(room).unwrap_or(0);
            (limit > 0).then_some(Claim { tenant: due.tenant, endpoint: due.endpoint, limit })
        };
        after.iter().chain(before).filter_map(claim).collect()
    }

    /// A place for an attempt; `None` if there is none, which a claim within the room given cannot meet.
    pub(super) fn enter(&mut self, tenant: TenantId, endpoint: EndpointId) -> Option<Permit> {
        let lane = (tenant, endpoint);
        let room = Arc::clone(&self.lanes.entry(lane).or_insert_with(Lane::new).room);
        let place = room.try_acquire_owned().ok()?;
        Some(Permit { lane, _place: place })
    }

    /// An attempt ended, and the endpoint took it or not.
    pub(super) fn ended(&mut self, permit: &Permit, is_delivered: bool) {
        if let Some(lane) = self.lanes.get_mut(&permit.lane) {
            lane.is_failing = !is_delivered;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn due(count: usize) -> Vec<Due> {
        let tenant = TenantId(Uuid::now_v7());
        (0..count).map(|_| Due { tenant, endpoint: EndpointId(Uuid::now_v7()), is_mail: false }).collect()
    }

    #[test]
    fn a_failing_endpoint_has_one_attempt_and_others_have_theirs() {
        let (mut lanes, due) = (Lanes::default(), due(2));
        let limits = |lanes: &mut Lanes, running| {
            let mut limits = HashMap::new();
            for claim in lanes.room_for(&due, running) {
                limits.insert(claim.endpoint, claim.limit);
            }
            due.iter().map(|due| limits.get(&due.endpoint).copied().unwrap_or(0)).collect::<Vec<_>>()
        };
        assert_eq!(limits(&mut lanes, 0), [8, 8]);
        let permits: Vec<_> = (0..3).map(|_| lanes.enter(due[0].tenant, due[0].endpoint).unwrap()).collect();
        assert_eq!(limits(&mut lanes, 3), [5, 8]);
        for permit in permits {
            lanes.ended(&permit, false);
        }
        assert_eq!(limits(&mut lanes, 0), [1, 8]);
        let permit = lanes.enter(due[0].tenant, due[0].endpoint).unwrap();
        assert_eq!(limits(&mut lanes, 1), [0, 8]);
        lanes.ended(&permit, true);
        drop(permit);
        assert_eq!(limits(&mut lanes, 0), [8, 8]);
    }

    #[test]
    fn with_more_endpoints_than_room_each_comes_first_in_turn() {
        let (mut lanes, due) = (Lanes::default(), due(100));
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            let claims = lanes.room_for(&due, 0);
            assert_eq!(claims.iter().map(|claim| claim.limit as usize).sum::<usize>(), ATTEMPTS_MAX);
            seen.extend(claims.into_iter().map(|claim| claim.endpoint));
        }
        assert_eq!(seen.len(), 100);
        assert!(lanes.room_for(&due, ATTEMPTS_MAX).is_empty());
        assert!(lanes.room_for(&[], 0).is_empty());
    }
}
