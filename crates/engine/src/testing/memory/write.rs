//! Accepting, delivering and deciding.

use std::collections::BTreeSet;

use domain::{CommandId, EntityId, Timestamp};
use uuid::Uuid;

use super::data::Data;
use crate::accept::prepare;
use crate::delivery::{
    Claim, Delivery, DeliveryEvent, EventName, HistoryEntry, Hold, OutboxRow, ResolutionKind, StateName,
};
use crate::lane::claimable;
use crate::ports::{Accepted, Decided, Draft, Guard, Owner, StepCause, StoreError};
use crate::resolve::{Change, changes};

impl Data {
    pub(super) fn accept(&mut self, draft: &Draft, owner: &Owner) -> Result<Accepted, StoreError> {
        if let Some(row) = self.rows.iter().find(|row| row.intent_id == draft.intent_id) {
            return Ok(Accepted { row: row.clone(), already: true, versions: self.versions });
        }
        let base = self.base_of(draft.payload.operation().policy().target, draft.target);
        let row = prepare(draft, owner, &self.lane(draft.target), &base)?;
        let row = self.insert(row);
        Ok(Accepted { row, already: false, versions: self.versions })
    }

    fn insert(&mut self, row: OutboxRow) -> OutboxRow {
        let row = row.stored_at(self.rows.last().map_or(1, |last| last.seq + 1));
        self.note_down(&row, None, EventName::Accepted, row.created_at, None);
        self.rows.push(row.clone());
        self.touch();
        row
    }

    fn note_down(
        &mut self,
        row: &OutboxRow,
        from: Option<StateName>,
        event: EventName,
        at: Timestamp,
        code: Option<String>,
    ) {
        let to = row.delivery.name();
        let entry = HistoryEntry { at_ms: at.0, from, to, event: event.name().to_owned(), attempt: row.attempt, code };
        self.history.entry(row.command_id).or_default().push(entry);
    }

    /// A change that is no step of the delivery: projected, decided.
    pub(super) fn annotate(
        &mut self,
        command: CommandId,
        event: EventName,
        at: Timestamp,
        change: impl Fn(&mut OutboxRow),
    ) {
        let Some(row) = self.rows.iter_mut().find(|row| row.command_id == command) else { return };
        change(row);
        row.updated_at = at;
        let row = row.clone();
        self.note_down(&row, Some(row.delivery.name()), event, at, None);
        self.touch();
    }

    pub(super) fn claim(
        &mut self,
        now: Timestamp,
        limit: usize,
        ignore_backoff: bool,
        owner: &Owner,
        tokens: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let lanes: BTreeSet<EntityId> = self.rows.iter().filter(|row| row.is_open()).map(|row| row.target).collect();
        let mut due: Vec<OutboxRow> = Vec::new();
        for lane in lanes.into_iter().map(|case| self.lane(case)) {
            due.extend(claimable(&lane, now, ignore_backoff).into_iter().map(|index| lane[index].clone()));
        }
        due.sort_by_key(OutboxRow::lane_order);
        due.truncate(limit);
        let mut claimed = Vec::new();
        for row in due {
            let claim = Claim { epoch: owner.epoch, token: tokens() };
            let due_at = row.delivery.due_at().unwrap_or(now).max(now);
            let cause = StepCause { error: None, not_before: None, at: now };
            claimed.push(self.take(&row, DeliveryEvent::ClaimedBy { claim, now: due_at }, &cause)?);
        }
        Ok(claimed)
    }

    fn take(&mut self, row: &OutboxRow, event: DeliveryEvent, cause: &StepCause) -> Result<OutboxRow, StoreError> {
        let (next, entry) = row.after(event, cause).map_err(|error| StoreError::Illegal(error.to_string()))?;
        let place = self.rows.iter().position(|other| other.command_id == row.command_id);
        let place = place.ok_or_else(|| StoreError::Illegal("no such row".to_owned()))?;
        self.rows[place] = next.clone();
        self.history.entry(row.command_id).or_default().push(entry);
        self.touch();
        Ok(next)
    }

    pub(super) fn step(
        &mut self,
        command: CommandId,
        guard: Guard,
        event: DeliveryEvent,
        cause: &StepCause,
    ) -> Result<Option<OutboxRow>, StoreError> {
        let Some(row) = self.row(command).filter(|row| row.resolution.is_none()).cloned() else { return Ok(None) };
        let holds = match guard {
            Guard::Claim(claim) => row.delivery.claim() == Some(claim),
            Guard::State(state) => row.delivery.name() == state,
            Guard::OlderEpoch(epoch) => row.delivery.claim().is_some_and(|claim| claim.epoch < epoch),
        };
        if holds { self.take(&row, event, cause).map(Some) } else { Ok(None) }
    }

    pub(super) fn recover(&mut self, now: Timestamp, owner: &Owner) -> Result<u32, StoreError> {
        let cause = StepCause { error: None, not_before: None, at: now };
        let mut changed = 0;
        for row in self.rows.clone() {
            let guard = Guard::OlderEpoch(owner.epoch);
            let event = DeliveryEvent::ClaimEnded { ask_at: now };
            changed += u32::from(self.step(row.command_id, guard, event, &cause)?.is_some());
        }
        for row in self.rows.iter_mut().filter(|row| row.is_open()) {
            if let Some(capped) = row.with_wait_within_cap(now) {
                *row = capped;
                changed += 1;
            }
        }
        if changed > 0 {
            self.touch();
        }
        Ok(changed)
    }

    pub(super) fn release(&mut self, hold: Hold, now: Timestamp) -> Result<u32, StoreError> {
        let cause = StepCause { error: None, not_before: None, at: now };
        let is_held = |row: &&OutboxRow| {
            row.is_open() && row.delivery.hold() == Some(hold) && row.delivery.name() == StateName::RetryableFailed
        };
        let waiting: Vec<OutboxRow> = self.rows.iter().filter(is_held).cloned().collect();
        for row in &waiting {
            self.take(row, DeliveryEvent::Requeued, &cause)?;
        }
        Ok(u32::try_from(waiting.len()).unwrap_or(u32::MAX))
    }

    pub(super) fn received_after(&self, seq: i64, limit: usize) -> Vec<OutboxRow> {
        let is_received = |row: &&OutboxRow| row.seq > seq && row.delivery.name() == StateName::Acked;
        let rows = self.rows.iter().filter(is_received).filter(|row| row.resolution.is_none());
        rows.take(limit).cloned().collect()
    }

    pub(super) fn in_doubt(&self, now: Timestamp, limit: usize, all: bool) -> Vec<OutboxRow> {
        let is_due = |row: &&OutboxRow| match &row.delivery {
            Delivery::Unknown { ask_at, .. } => all || ask_at.is_some_and(|at| at <= now),
            _ => false,
        };
        let mut rows: Vec<OutboxRow> = self.rows.iter().filter(|row| row.is_open()).filter(is_due).cloned().collect();
        rows.truncate(limit);
        rows
    }

    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let goes_by_itself = |row: &&OutboxRow| row.is_open() && row.payload.is_some();
        self.rows.iter().filter(goes_by_itself).filter_map(|row| row.delivery.due_at()).min()
    }

    pub(super) fn decide(
        &mut self,
        command: CommandId,
        decided: &Decided,
        now: Timestamp,
        owner: &Owner,
        ids: &(dyn Fn() -> Uuid + Sync),
    ) -> Result<Option<Vec<OutboxRow>>, StoreError> {
        let Some(row) = self.row(command) else { return Ok(None) };
        let lane = self.lane(row.target);
        let Some(index) = lane.iter().position(|row| row.command_id == command) else { return Ok(None) };
        let base = self.base_of(row.operation.policy().target, row.target);
        let Some(changes) = changes(&lane, index, decided, &base, owner, now, &|| ids())? else { return Ok(None) };
        let mut touched = Vec::new();
        for change in changes {
            match change {
                Change::Resolve(command, resolution) => {
                    let event = match resolution.kind {
                        ResolutionKind::Superseded => EventName::Superseded,
                        ResolutionKind::Rebased => EventName::Rebased,
                        ResolutionKind::Discarded => EventName::Discarded,
                    };
                    self.annotate(command, event, now, |row| row.resolution = Some(resolution));
                    touched.extend(self.row(command).cloned());
                }
                Change::Insert(row) => touched.push(self.insert(*row)),
            }
        }
        Ok(Some(touched))
    }
}
