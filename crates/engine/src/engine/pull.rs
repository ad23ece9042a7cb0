//! Reading the feed from its cursor to its end.

use domain::Operation;
use wire::{ChangesPage, FeedEntity};

use super::request::{Pass, asked};
use super::{Engine, EngineError, PullReport};
use crate::classify::Said;
use crate::ports::{FeedPage, Method};
use crate::view::FirstSync;

/// How many items a page may have.
const PAGE_ITEMS: u32 = 500;

impl Engine {
    /// Reads the feed to its end.
    pub async fn pull(&self) -> Result<PullReport, EngineError> {
        let _one = self.pulling.lock().await;
        let (mut cursor, was_complete) = self.ports.store.cursor().await?;
        let (mut report, mut has_started_over) = (PullReport::default(), false);
        while !report.complete {
            let path = match &cursor {
                Some(cursor) => format!("/v1/changes?limit={PAGE_ITEMS}&cursor={}", percent_encoded(cursor)),
                None => format!("/v1/changes?limit={PAGE_ITEMS}"),
            };
            let (pass, _, said) = self.read::<ChangesPage>(Method::Get, &path).await?;
            if let Said::Problem(problem) = &said {
                let is_old = problem.is("cursor-expired") || problem.is("cursor-invalid");
                if is_old && !has_started_over {
                    has_started_over = true;
                    self.ports.store.forget_cursor().await?;
                    cursor = None;
                    continue;
                }
            }
            let page = usable(asked(said)?, cursor.as_deref())?;
            report.found_again += self.compare_epoch(&page.epoch, cursor.is_some()).await?;
            cursor = Some(self.put(page, pass, cursor.is_none(), &mut report).await?);
            self.show_progress(!was_complete && !report.complete, &mut report).await?;
        }
        Ok(report)
    }

    /// Applies one page and returns the cursor after it.
    async fn put(
        &self,
        page: ChangesPage,
        pass: Pass,
        starts_over: bool,
        report: &mut PullReport,
    ) -> Result<String, EngineError> {
        let (cursor, own_role) = (page.cursor.clone(), self.own_role(&page));
        report.items += u32::try_from(page.items.len()).unwrap_or(u32::MAX);
        report.complete = !page.has_more;
        report.head = page.head;
        let feed = FeedPage { page, session_version: pass.version, starts_over, now: self.now() };
        let applied = self.ports.store.apply(feed).await?;
        if !applied.applied {
            return Err(EngineError::SignInNeeded);
        }
        report.settled += u32::try_from(applied.settled.len()).unwrap_or(u32::MAX);
        self.tell_versions(applied.versions);
        if let Some(actor) = own_role {
            self.heard_rights(actor).await?;
        }
        Ok(cursor)
    }

    /// The actor with the role that the page says, if it says one.
    fn own_role(&self, page: &ChangesPage) -> Option<wire::ActorInfo> {
        let mut actor = self.account().actor;
        let mut members = page.items.iter().rev().filter(|item| item.kind == "member" && item.id.0 == actor.id.0);
        match members.next()?.read() {
            Ok(Some(FeedEntity::Member(member))) if member.role != actor.role => {
                actor.role = member.role;
                actor.rights = Operation::rights_of(member.role).iter().map(|right| right.name().to_owned()).collect();
                Some(actor)
            }
            _ => None,
        }
    }

    async fn show_progress(&self, is_first: bool, report: &mut PullReport) -> Result<(), EngineError> {
        let first_sync = if is_first {
            Some(FirstSync { entities: self.ports.store.entity_count().await?, head: Some(report.head) })
        } else {
            None
        };
        let changed = std::mem::replace(&mut self.live().first_sync, first_sync) != first_sync;
        if changed {
            self.tell_link();
        }
        Ok(())
    }
}

/// A page whose entities can be read, and that leads somewhere.
fn usable(page: ChangesPage, cursor: Option<&str>) -> Result<ChangesPage, EngineError> {
    let is_stuck = page.has_more && (page.items.is_empty() || Some(page.cursor.as_str()) == cursor);
    if is_stuck || page.items.iter().any(|item| item.read().is_err()) {
        return Err(EngineError::NotOurServer);
    }
    Ok(page)
}

fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if is_plain(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]);
        }
        encoded
    })
}

fn hex_digit(half: u8) -> char {
    char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase()
}
