//! Asking the server about a change, and what a person does about one: try now, seal, discard.

use domain::CommandId;
use wire::OperationStatus;

use super::request::asked;
use super::{Engine, EngineError, Trigger};
use crate::classify::{Outcome, Said, classify_status};
use crate::delivery::{Delivery, DeliveryEvent, Hold, OutboxRow, ResolutionKind, StateName, may_be_applied};
use crate::ports::{Decided, Guard, Method, OutboxFilter};
use crate::view::{AskAnswer, Discarded};

/// What a look-up came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Looked(pub(super) AskAnswer);

impl Looked {
    pub(super) fn is_received(self) -> bool {
        self.0 == AskAnswer::Committed
    }
}

impl Engine {
    /// Asks about a row and records the answer if the row is in doubt.
    pub(super) async fn look_up(&self, row: &OutboxRow) -> Result<Looked, EngineError> {
        let path = format!("/v1/operations/{}?key={}", row.command_id, row.key);
        self.inquire(row, Method::Get, &path).await
    }

    async fn inquire(&self, row: &OutboxRow, method: Method, path: &str) -> Result<Looked, EngineError> {
        let (_, result, said) = match self.read::<OperationStatus>(method, path).await {
            Ok(read) => read,
            Err(error @ (EngineError::Store(_) | EngineError::Vault(_))) => return Err(error),
            Err(_) => return Ok(Looked(AskAnswer::NoAnswer)),
        };
        let verdict = classify_status(&result, row);
        if matches!(row.delivery, Delivery::Unknown { .. }) {
            let (event, cause) = verdict.event_in_doubt(row, self.now(), self.ports.ids.fraction());
            let guard = Guard::State(StateName::Unknown);
            self.record(row, guard, event.clone(), cause, event).await?;
        }
        Ok(Looked(match verdict.outcome {
            Outcome::Received(_) => AskAnswer::Committed,
            Outcome::Conflict(_) | Outcome::Refused(_) => AskAnswer::Failed,
            Outcome::NotSeen => AskAnswer::NotSeen,
            Outcome::WindowExpired => AskAnswer::Expired,
            Outcome::Unknown | Outcome::NotApplied(_) if matches!(said, Said::Ours(_)) => AskAnswer::Processing,
            Outcome::Unknown | Outcome::NotApplied(_) => AskAnswer::NoAnswer,
        }))
    }

    /// Asks the server what became of a change, and records the answer if the change is in doubt. One that was never
    /// sent is nothing to ask about.
    pub async fn ask(&self, command: CommandId) -> Result<AskAnswer, EngineError> {
        let row = self.row(command).await?;
        Ok(match row.delivery.name() {
            StateName::Acked => AskAnswer::Committed,
            StateName::Conflict | StateName::Rejected => AskAnswer::Failed,
            StateName::Claimed | StateName::Sending => AskAnswer::Processing,
            StateName::Queued | StateName::RetryableFailed if row.attempt == 0 => {
                return Err(EngineError::NotAllowed("this change was never sent".to_owned()));
            }
            StateName::Queued | StateName::RetryableFailed | StateName::Unknown => {
                let answer = self.look_up(&row).await?.0;
                self.nudge(Trigger::Saved);
                answer
            }
        })
    }

    /// Sends a change now, whatever it waits for; one in doubt is asked about first.
    pub async fn retry(&self, command: CommandId) -> Result<(), EngineError> {
        let row = self.row(command).await?;
        if !row.is_open() {
            return Err(EngineError::NotAllowed("it is received or decided already".to_owned()));
        }
        match row.delivery.name() {
            StateName::RetryableFailed => self.put_back(&row).await?,
            StateName::Unknown => {
                if self.look_up(&row).await?.0 == AskAnswer::NoAnswer {
                    self.nudge(Trigger::TryNow);
                    return Err(EngineError::Unreachable);
                }
            }
            StateName::Conflict | StateName::Rejected => {
                return Err(EngineError::NotAllowed("it needs a decision first".to_owned()));
            }
            StateName::Queued | StateName::Claimed | StateName::Sending | StateName::Acked => {}
        }
        self.live().slow_until = None;
        self.nudge(Trigger::TryNow);
        Ok(())
    }

    /// The actor says again that a change is meant that had become too old to be sent as it was: it goes again under the
    /// same number. Whether that still holds at the server, the server decides.
    pub async fn confirm(&self, command: CommandId) -> Result<(), EngineError> {
        let row = self.row(command).await?;
        if !row.is_open() || row.delivery.hold() != Some(Hold::Confirmation) {
            return Err(EngineError::NotAllowed("it does not wait for a confirmation".to_owned()));
        }
        let (guard, event) = (Guard::State(StateName::RetryableFailed), DeliveryEvent::Confirmed { at: self.now() });
        self.ports.store.step(command, guard, event, self.plainly()).await?;
        self.tell_rows().await;
        self.nudge(Trigger::TryNow);
        Ok(())
    }

    /// [`Self::retry`] for every change that waits for something that a retry can end. What was read back from a damaged
    /// store is looked at one by one. Returns how many.
    pub async fn retry_all(&self) -> Result<u32, EngineError> {
        let states = vec![StateName::RetryableFailed];
        let mut count = 0;
        for view in self.ports.store.outbox(OutboxFilter { states, all: false }).await? {
            if !matches!(view.hold, Some(Hold::Login | Hold::Confirmation | Hold::Person)) {
                self.put_back(&self.row(view.command_id).await?).await?;
                count += 1;
            }
        }
        self.live().slow_until = None;
        self.nudge(Trigger::TryNow);
        Ok(count)
    }

    pub(super) async fn put_back(&self, row: &OutboxRow) -> Result<(), EngineError> {
        let (guard, event) = (Guard::State(StateName::RetryableFailed), DeliveryEvent::Requeued);
        self.ports.store.step(row.command_id, guard, event, self.plainly()).await?;
        self.tell_rows().await;
        self.tell_decided(row);
        Ok(())
    }

    /// Makes the server never apply a change in doubt, unless it has.
    pub async fn seal(&self, command: CommandId) -> Result<AskAnswer, EngineError> {
        let row = self.row(command).await?;
        if !row.is_open() || !self.may_be_applied(&row).await? {
            return Err(EngineError::NotAllowed("it is not in doubt".to_owned()));
        }
        let path = format!("/v1/operations/{}/seal?key={}", row.command_id, row.key);
        Ok(self.inquire(&row, Method::Post, &path).await?.0)
    }

    /// Discards a change. One in doubt is sealed first; without an answer only `even_in_doubt` discards it, and the
    /// history says that it was in doubt.
    pub async fn discard(&self, command: CommandId, even_in_doubt: bool) -> Result<Discarded, EngineError> {
        let row = self.row(command).await?;
        if !row.is_open() {
            return Err(EngineError::NotAllowed("it is received or decided already".to_owned()));
        }
        if self.may_be_applied(&row).await? {
            match self.seal(command).await? {
                AskAnswer::Committed => return Ok(Discarded { discarded: 0 }),
                AskAnswer::Failed => {}
                _ if even_in_doubt => {}
                _ => return Err(EngineError::Unreachable),
            }
        }
        let ids = || self.ports.ids.new_id();
        let decided = self.ports.store.decide(command, Decided::Discard, self.now(), &ids).await?;
        let rows = decided.ok_or_else(|| EngineError::NotAllowed("it is being sent".to_owned()))?;
        self.tell_rows().await;
        self.tell_decided(&row);
        self.nudge(Trigger::Saved);
        let is_discarded =
            |row: &&OutboxRow| row.resolution.is_some_and(|resolution| resolution.kind == ResolutionKind::Discarded);
        Ok(Discarded { discarded: u32::try_from(rows.iter().filter(is_discarded).count()).unwrap_or(u32::MAX) })
    }

    /// In doubt, or on its way to be sent again after a doubt that nothing ended.
    pub(super) async fn may_be_applied(&self, row: &OutboxRow) -> Result<bool, EngineError> {
        Ok(row.attempt > 0 && may_be_applied(&self.ports.store.history(row.command_id).await?))
    }

    pub(super) async fn row(&self, command: CommandId) -> Result<OutboxRow, EngineError> {
        self.ports.store.row(command).await?.ok_or(EngineError::NotFound)
    }

    /// Whether the server answers under this session. Also how the network is looked for.
    pub(super) async fn is_reachable(&self) -> Result<bool, EngineError> {
        match self.read::<wire::SessionInfo>(Method::Get, "/v1/session").await {
            Ok((pass, _, said)) => {
                if let Ok(info) = asked(said)
                    && self.still_holds(&pass)
                {
                    self.heard_rights(info.actor).await?;
                }
                Ok(self.live().network.is_none())
            }
            Err(error @ (EngineError::Store(_) | EngineError::Vault(_))) => Err(error),
            Err(_) => Ok(self.live().network.is_none()),
        }
    }

    /// Role and rights as the server says now; what waited for a right is tried again.
    pub(super) async fn heard_rights(&self, actor: wire::ActorInfo) -> Result<(), EngineError> {
        let changed = {
            let mut live = self.live();
            let changed = live.account.actor.id == actor.id && live.account.actor != actor;
            if changed {
                live.account.actor = actor;
            }
            changed
        };
        if changed {
            self.ports.store.release(Hold::Grant, self.now()).await?;
            self.tell_rows().await;
            self.tell_session();
        }
        Ok(())
    }
}
