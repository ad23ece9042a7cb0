//! How things stand.

use domain::Timestamp;

use super::{Account, Engine, EngineError, Trigger};
use crate::ports::Ambient;
use crate::view::{Link, SyncStatus, Versions};

impl Engine {
    /// What marks depend on besides the store.
    pub fn ambient(&self) -> Ambient {
        let live = self.live();
        Ambient {
            offline: matches!(live.link, Link::Offline | Link::NotOurServer),
            sign_in_needed: live.needs_sign_in || live.session.revoked,
            paused: live.paused,
            role: live.account.actor.role,
            received: live.received(),
        }
    }

    /// The account, with role and rights as last heard.
    pub fn account(&self) -> Account {
        self.live().account.clone()
    }

    /// The connection and the outbox in numbers; `since` bounds what was received today.
    pub async fn sync_status(&self, since: Timestamp) -> Result<SyncStatus, EngineError> {
        let counts = self.ports.store.counts(since).await?;
        let last_pull_at = self.ports.store.last_pull_at().await?;
        let live = self.live();
        Ok(SyncStatus {
            link: live.link,
            link_since: live.link_since,
            last_answer_at: live.last_answer_at,
            last_pull_at,
            paused: live.paused,
            counts,
            first_sync: live.first_sync,
        })
    }

    /// The newest version of each scope.
    pub async fn versions(&self) -> Result<Versions, EngineError> {
        let stored = self.ports.store.versions().await?;
        let live = self.live();
        Ok(Versions { session: live.versions.session, link: live.versions.link, ..stored })
    }

    /// Pauses or resumes sending. What is under way is waited for; reading goes on.
    pub fn set_paused(&self, paused: bool) {
        let changed = std::mem::replace(&mut self.live().paused, paused) != paused;
        if changed {
            self.tell_link();
            self.nudge(Trigger::Timer);
        }
    }
}
