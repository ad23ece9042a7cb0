//! One attempt: send mark, one request, what its answer says. Each is a commit of its own.

use wire::{CommandRequest, Target};

use super::request::Pass;
use super::save::failed;
use super::{Engine, EngineError};
use crate::classify::{Outcome, Sender, Verdict, classify};
use crate::delivery::{Claim, Delivery, DeliveryEvent, Hold, LastError, OutboxRow, StateName};
use crate::failpoint::{Boundary, hit};
use crate::ports::{Answer, Failure, Guard, Method, Request, StepCause};

/// What one attempt came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) sent: bool,
    pub(super) received: bool,
}

impl Engine {
    /// Sends a claimed row.
    pub(super) async fn deliver(&self, row: OutboxRow, generation: u64) -> Result<Attempt, EngineError> {
        let Some(claim) = row.delivery.claim() else { return Ok(Attempt::default()) };
        if let Err(boundary) = hit(Boundary::AfterClaim) {
            self.keep_for_later(&row, Guard::Claim(claim), self.given_back(), self.plainly());
            return Err(failed(boundary));
        }
        let pass = match self.pass().await {
            Ok(pass) if pass.generation == generation && self.live().may_send(self.now()) => pass,
            Ok(_) => return self.give_back(&row, claim).await,
            Err(error) => {
                self.give_back(&row, claim).await?;
                return Err(error);
            }
        };
        let Some(request) = self.request_of(&row, &pass) else { return self.give_back(&row, claim).await };
        let was_in_doubt = match self.may_be_applied(&row).await {
            Ok(may_be) => may_be,
            Err(error) => {
                self.give_back(&row, claim).await?;
                return Err(error);
            }
        };
        let mark = DeliveryEvent::SendMarked { now: self.now() };
        let Some(row) = self.record(&row, Guard::Claim(claim), mark, self.plainly(), self.given_back()).await? else {
            return Ok(Attempt::default());
        };
        let result = self.send(&pass, request).await;
        let received = self.take_answer(&row, claim, &pass, result, was_in_doubt).await?;
        Ok(Attempt { sent: true, received })
    }

    /// The request; `None` for a row that is not this account's or whose content is lost (R9).
    fn request_of(&self, row: &OutboxRow, pass: &Pass) -> Option<Request> {
        let owner = self.ports.store.owner();
        if row.tenant_id != owner.tenant_id || row.actor_id != owner.actor_id {
            return None;
        }
        let body = CommandRequest {
            command_id: row.command_id,
            operation: row.operation,
            schema_version: row.schema_version,
            target: Target::of(row.operation, row.target),
            expected: row.expected,
            payload: row.payload.clone()?,
            payload_hash: row.payload_hash.clone(),
            issued_at: row.issued_at,
            confirmed_at: row.confirmed_at,
            session_version: pass.version,
            issued_under: row.session_version,
        };
        Some(Request {
            method: Method::Post,
            path: "/v1/commands".to_owned(),
            access: Some(pass.access.clone()),
            key: Some(row.key.to_string()),
            body: Some(serde_json::to_vec(&body).expect("plain data is JSON")),
        })
    }

    /// One request. `None` if it was cut off while it was under way.
    async fn send(&self, pass: &Pass, request: Request) -> Option<Result<Answer, Failure>> {
        if pass.generation != self.generation() || hit(Boundary::BeforeNetworkSend).is_err() {
            return Some(Err(Failure::NotConnected("given up before anything was sent".to_owned())));
        }
        let result = self.call(pass.generation, request).await;
        if hit(Boundary::AfterNetworkSendBeforeResponse).is_err() {
            return Some(Err(Failure::Cut("the answer was dropped".to_owned())));
        }
        result
    }

    /// Stores what the answer says about the row, then what it says about everything else. Returns whether the row
    /// was received.
    async fn take_answer(
        &self,
        row: &OutboxRow,
        claim: Claim,
        pass: &Pass,
        result: Option<Result<Answer, Failure>>,
        was_in_doubt: bool,
    ) -> Result<bool, EngineError> {
        let holds = self.still_holds(pass);
        let Some(result) = result else {
            self.record_cut_off(row, claim).await?;
            return Ok(false);
        };
        let verdict = classify(&result, row);
        let (now, fraction) = (self.now(), self.ports.ids.fraction());
        let served_at = self.live().served_at;
        let (event, cause) = verdict.event(row, now, fraction, served_at, was_in_doubt);
        let event = match event {
            DeliveryEvent::ReceiptValid(receipt) if !holds => DeliveryEvent::ReceiptFenced(receipt),
            // What an older session lacked says nothing about the one that is now.
            DeliveryEvent::NotApplied { hold: Hold::Login, .. } if !holds => {
                DeliveryEvent::NotApplied { due_at: Some(now), hold: Hold::Time }
            }
            event => event,
        };
        if let Err(boundary) = hit(Boundary::AfterResponseBeforeAck) {
            self.keep_for_later(row, Guard::Claim(claim), event, cause);
            return Err(failed(boundary));
        }
        // The link first, so that whoever is told of the row sees it as it is.
        if holds {
            self.note(verdict.sender, verdict.retry_after_ms);
        }
        self.record(row, Guard::Claim(claim), event.clone(), cause, event).await?;
        if holds {
            self.follow(row, pass, &verdict).await?;
        }
        hit(Boundary::AfterAckBeforeProjection).map_err(failed)?;
        Ok(matches!(verdict.outcome, Outcome::Received(_)))
    }

    /// What an answer asks of the sender.
    pub(super) async fn follow(&self, row: &OutboxRow, pass: &Pass, verdict: &Verdict) -> Result<(), EngineError> {
        match verdict.sender {
            Sender::Refreshes => match self.refresh(Some(&pass.access)).await {
                Ok(()) => self.requeue(row).await,
                Err(error) if is_about_link(&error) => Ok(()),
                Err(error) => Err(error),
            },
            Sender::SignsIn => self.session_ended(false).await,
            Sender::Revoked => self.session_ended(true).await,
            Sender::GoesOn => {
                if !matches!(verdict.outcome, Outcome::Unknown | Outcome::NotApplied(_)) {
                    self.live().served_at = Some(self.now());
                }
                Ok(())
            }
            Sender::Unanswered | Sender::Offline | Sender::NotOurServer | Sender::SlowsDown => Ok(()),
        }
    }

    /// A row that waited for the token that is here now.
    async fn requeue(&self, row: &OutboxRow) -> Result<(), EngineError> {
        let guard = Guard::State(StateName::RetryableFailed);
        let event = DeliveryEvent::Requeued;
        self.record(row, guard, event.clone(), self.plainly(), event).await.map(drop)
    }

    /// The request was cut off under way: the server may have it.
    async fn record_cut_off(&self, row: &OutboxRow, claim: Claim) -> Result<(), EngineError> {
        let now = self.now();
        let event = DeliveryEvent::OutcomeUnknown { ask_at: now };
        let message = "stopped while it was being sent".to_owned();
        let cause =
            StepCause { error: Some(LastError { code: "cut".to_owned(), message, at_ms: now.0 }), ..self.plainly() };
        self.record(row, Guard::Claim(claim), event.clone(), cause, event).await.map(drop)
    }

    async fn give_back(&self, row: &OutboxRow, claim: Claim) -> Result<Attempt, EngineError> {
        debug_assert!(matches!(row.delivery, Delivery::Claimed { .. }));
        self.record(row, Guard::Claim(claim), self.given_back(), self.plainly(), self.given_back()).await?;
        Ok(Attempt::default())
    }

    fn given_back(&self) -> DeliveryEvent {
        DeliveryEvent::ClaimEnded { ask_at: self.now() }
    }

    pub(super) fn plainly(&self) -> StepCause {
        StepCause { error: None, not_before: None, at: self.now() }
    }
}

/// Errors that say how the link or the session stands: noted already, and no failure of a drain.
pub(super) fn is_about_link(error: &EngineError) -> bool {
    !matches!(error, EngineError::Store(_) | EngineError::Vault(_))
}
