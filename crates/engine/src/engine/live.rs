//! What the engine knows only while it runs: the link, the session's access token, who waits for what. Losing it
//! loses nothing.

use std::collections::BTreeSet;

use domain::{CommandId, Timestamp};
use secrecy::SecretString;

use super::types::{Account, Trigger};
use crate::delivery::DeliveryEvent;
use crate::ports::{Guard, StepCause, StoredSession};
use crate::view::{FirstSync, Link, Versions};

/// How many answers in a row may be missing before the server counts as gone.
const UNANSWERED_MAX: u32 = 4;
/// The longest wait between two looks for the network: it is back within five seconds (CASES D5).
const NETWORK_WAIT_MS_MAX: i64 = 4_000;

#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Live {
    pub(super) account: Account,
    pub(super) session: StoredSession,
    /// The server wants a sign-in before anything is sent.
    pub(super) needs_sign_in: bool,
    pub(super) access: Option<Access>,
    /// A refresh token that could not be stored yet; it is not used before it is.
    pub(super) unstored_refresh: Option<SecretString>,
    pub(super) link: Link,
    pub(super) link_since: Option<Timestamp>,
    pub(super) last_answer_at: Option<Timestamp>,
    /// When the server last did what it was asked.
    pub(super) served_at: Option<Timestamp>,
    unanswered: u32,
    pub(super) network: Option<NetworkWait>,
    /// The server asked everybody to slow down until then.
    pub(super) slow_until: Option<Timestamp>,
    pub(super) paused: bool,
    pub(super) stopping: bool,
    pub(super) first_sync: Option<FirstSync>,
    pub(super) triggers: BTreeSet<Trigger>,
    /// Steps that could not be stored (a full disk); stored before anything else is sent.
    pub(super) leftovers: Vec<Leftover>,
    /// Of `session` and `link`, which no store keeps, and what was last told of the others.
    pub(super) versions: Versions,
}

/// A usable access token.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) token: SecretString,
    pub(super) expires_at: Timestamp,
}

/// Nothing is sent until the server answers a look.
#[derive(Debug, Clone, Copy)]
pub(super) struct NetworkWait {
    pub(super) until: Timestamp,
    looks: u32,
    /// The server was reached and said nothing, again and again.
    is_silent: bool,
}

/// A step that is still to be stored.
#[derive(Clone)]
pub(super) struct Leftover {
    pub(super) command: CommandId,
    pub(super) guard: Guard,
    pub(super) event: DeliveryEvent,
    pub(super) cause: StepCause,
}

impl Leftover {
    /// The server has it.
    pub(super) fn is_receipt(&self) -> bool {
        matches!(self.event, DeliveryEvent::ReceiptValid(_) | DeliveryEvent::ReceiptFenced(_))
    }
}

impl Live {
    pub(super) fn new(account: Account, session: StoredSession, epoch: u64) -> Self {
        // Rises with each process that opens the store, so that it never falls across restarts.
        let first = epoch << 20;
        Self {
            account,
            session,
            needs_sign_in: !session.signed_in || session.revoked,
            access: None,
            unstored_refresh: None,
            link: Link::Unknown,
            link_since: None,
            last_answer_at: None,
            served_at: None,
            unanswered: 0,
            network: None,
            slow_until: None,
            paused: false,
            stopping: false,
            first_sync: None,
            triggers: BTreeSet::new(),
            leftovers: Vec::new(),
            versions: Versions { session: first, link: first, ..Versions::default() },
        }
    }

    /// The server itself answered. Returns whether the link changed.
    pub(super) fn answered(&mut self, now: Timestamp) -> bool {
        self.unanswered = 0;
        self.network = None;
        self.last_answer_at = Some(now);
        self.set_link(Link::Online, now)
    }

    /// No answer of ours came. Returns whether the link changed.
    pub(super) fn unanswered(&mut self, now: Timestamp, fraction: f64) -> bool {
        self.unanswered += 1;
        let is_gone = self.unanswered >= UNANSWERED_MAX || self.network.is_some();
        let is_silent = !self.is_out_of_reach();
        let changed = is_gone && self.lost(Link::Offline, now, fraction);
        if let Some(wait) = &mut self.network {
            wait.is_silent = is_silent;
        }
        changed
    }

    /// Nothing can be sent: no connection, or somebody else answers.
    pub(super) fn is_out_of_reach(&self) -> bool {
        self.network.is_some_and(|wait| !wait.is_silent)
    }

    /// A server that was silent may be sent to once more.
    pub(super) fn forgive_silence(&mut self) {
        self.network = self.network.filter(|wait| !wait.is_silent);
    }

    /// The server cannot be reached. Returns whether the link changed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 4 000 ms")]
    pub(super) fn lost(&mut self, link: Link, now: Timestamp, fraction: f64) -> bool {
        let looks = self.network.map_or(0, |wait| wait.looks.saturating_add(1));
        let bound = (1_000 << looks.min(8)).min(NETWORK_WAIT_MS_MAX);
        let wait_ms = bound / 2 + (bound as f64 / 2.0 * fraction) as i64;
        self.network = Some(NetworkWait { until: now.plus_ms(wait_ms), looks, is_silent: false });
        self.set_link(link, now)
    }

    fn set_link(&mut self, link: Link, now: Timestamp) -> bool {
        let changed = self.link != link;
        if changed {
            self.link = link;
            self.link_since = Some(now);
        }
        changed
    }

    /// When something is to be sent next: what is `due`, but not while the server asks everybody to slow down.
    pub(super) fn next_send(&self, due: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
        let slow_until = self.slow_until.filter(|until| *until > now);
        due.map(|due| due.max(slow_until.unwrap_or(due))).or(slow_until)
    }

    /// What the server has and the store does not know yet.
    pub(super) fn received(&self) -> BTreeSet<CommandId> {
        self.leftovers.iter().filter(|leftover| leftover.is_receipt()).map(|leftover| leftover.command).collect()
    }

    /// Whether a command may leave, as far as is known.
    pub(super) fn may_send(&self, now: Timestamp) -> bool {
        !self.stopping
            && !self.paused
            && !self.needs_sign_in
            && !self.session.revoked
            && self.network.is_none()
            && self.slow_until.is_none_or(|until| until <= now)
    }
}
