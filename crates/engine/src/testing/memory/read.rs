//! What windows and programs read.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use domain::{ActorId, Case, CaseId, Entity, EntityId, EntityKind, Status, Timestamp};

use super::data::Data;
use crate::delivery::{Delivery, OutboxRow, ResolutionKind};
use crate::ports::{Ambient, OutboxFilter};
use crate::present::{self, Around, SentTimes, Told};
use crate::projection::{Shown, makes, shown, shown_case};
use crate::view::{
    AssigneeFilter, CaseDetail, CasePage, CaseQuery, CaseRow, CaseSort, DueGroup, Member, NotificationView,
    OutboxDetail, OutboxPage, OutboxRowView, ViewCounts,
};

impl Data {
    /// Every case the server or this computer knows, with its pending changes and its lane.
    fn shown_cases(&self) -> Vec<(Case, Shown, Vec<OutboxRow>)> {
        let held = self.entities.values().filter(|entity| entity.kind() == EntityKind::Case);
        let mut ids: BTreeSet<CaseId> = held.map(Entity::case_id).collect();
        ids.extend(self.rows.iter().filter(|row| row.is_pending()).map(OutboxRow::case_id));
        let of = |id: CaseId| {
            let lane = self.lane(id.into());
            let shown = shown(&self.base(id), &lane);
            shown.case.clone().map(|case| (case, shown, lane))
        };
        ids.into_iter().filter_map(of).collect()
    }

    pub(super) fn case_page(&self, query: &CaseQuery, ambient: &Ambient, me: ActorId) -> CasePage {
        let mut rows: Vec<CaseRow> = self
            .shown_cases()
            .iter()
            .filter(|(case, _, lane)| matches_query(case, lane, query, me))
            .map(|(case, shown, lane)| {
                let name = case.assignee_id.and_then(|id| self.members.get(&id)).map(|m| m.display_name.clone());
                present::case_row(case, shown, lane, ambient, name, &query.today)
            })
            .collect();
        rows.sort_by(|a, b| {
            let order = compare(query.sort, a, b);
            if query.descending { order.reverse() } else { order }.then(a.id.cmp(&b.id))
        });
        let mut groups: Vec<DueGroup> = Vec::new();
        for row in rows.iter().filter(|_| query.sort == CaseSort::Due) {
            match groups.last_mut().filter(|group| group.due == row.due) {
                Some(group) => group.count += 1,
                None => groups.push(DueGroup { due: row.due, count: 1 }),
            }
        }
        let total = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let rows = rows.into_iter().skip(query.offset as usize).take(query.limit.min(500) as usize).collect();
        CasePage { rows, offset: query.offset, total, groups, version: self.versions.cases }
    }

    pub(super) fn case_detail(&self, id: CaseId, ambient: &Ambient) -> Option<CaseDetail> {
        let (base, lane) = (self.base(id), self.lane(id.into()));
        let sent = self.sent_times(&lane);
        present::case_detail(&lane, Around { ambient, base: &base, sent: &sent }, self.versions.cases)
    }

    fn sent_times<'a>(&self, rows: impl IntoIterator<Item = &'a OutboxRow>) -> SentTimes {
        let asked = rows.into_iter().filter(|row| present::is_sent_time_asked(row));
        let last = |row: &OutboxRow| present::last_sent(self.history.get(&row.command_id)?);
        asked.filter_map(|row| Some((row.command_id, last(row)?))).collect()
    }

    pub(super) fn case_of(&self, kind: EntityKind, id: EntityId) -> Option<CaseId> {
        let held = self.entities.get(&(kind, id)).map(Entity::case_id);
        held.or_else(|| self.rows.iter().find(|row| makes(row, (kind, id))).map(OutboxRow::case_id))
    }

    pub(super) fn notifications(&self, ambient: &Ambient) -> Vec<NotificationView> {
        let told = self.entities.values().filter_map(|entity| match entity {
            Entity::Notification(notification) => Some(Told {
                notification: notification.clone(),
                case: shown_case(&self.base(notification.case_id), &self.lane(notification.case_id.into())),
                lane: self.lane(notification.id.into()),
            }),
            _ => None,
        });
        let mut views: Vec<NotificationView> = told.map(|told| present::notification(told, ambient)).collect();
        present::newest_first(&mut views, |view| (view.notification.created_at, view.notification.id));
        views
    }

    pub(super) fn view_counts(&self, today: &str, me: ActorId) -> ViewCounts {
        let within_seven_days = present::due::plus_days(today, 7);
        let mut counts = ViewCounts::default();
        for (case, _, _) in self.shown_cases() {
            let is_mine = case.assignee_id == Some(me);
            let is_closed = matches!(case.status, Status::Closed | Status::Withdrawn);
            let is_near = case.due_on.as_ref().is_some_and(|day| *day <= within_seven_days);
            counts.all += 1;
            counts.mine += u32::from(is_mine);
            counts.unassigned += u32::from(case.assignee_id.is_none());
            counts.due_soon += u32::from(is_mine && !is_closed && is_near);
        }
        counts
    }

    pub(super) fn members(&self) -> Vec<Member> {
        let mut members: Vec<Member> = self
            .members
            .values()
            .map(|member| Member {
                id: member.id,
                username: member.username.clone(),
                display_name: member.display_name.clone(),
                role: member.role,
                disabled: member.disabled,
            })
            .collect();
        members.sort_by(|a, b| a.display_name.cmp(&b.display_name).then(a.id.cmp(&b.id)));
        members
    }

    pub(super) fn outbox(&self, filter: &OutboxFilter) -> Vec<OutboxRowView> {
        let is_listed = |row: &&OutboxRow| {
            (filter.all || row.is_open()) && (filter.states.is_empty() || filter.states.contains(&row.delivery.name()))
        };
        self.rows.iter().filter(is_listed).map(|row| present::row_view(row, &self.lane(row.target))).collect()
    }

    pub(super) fn outbox_page(&self, since: Timestamp, ambient: &Ambient) -> OutboxPage {
        let line = |row: &OutboxRow| {
            let (base, sent) = (self.base(row.case_id()), self.sent_times([row]));
            present::outbox_line(row, &self.lane(row.target), Around { ambient, base: &base, sent: &sent })
        };
        let is_over = |row: &&OutboxRow| match row.resolution {
            Some(resolution) => resolution.kind == ResolutionKind::Discarded && resolution.at >= since,
            None => matches!(row.delivery, Delivery::Acked { .. }) && row.updated_at >= since,
        };
        let mut over: Vec<&OutboxRow> = self.rows.iter().filter(is_over).collect();
        present::newest_first(&mut over, |row| (row.updated_at, row.seq));
        let open = self.rows.iter().filter(|row| row.is_open());
        OutboxPage { lines: open.chain(over).map(line).collect(), version: self.versions.outbox }
    }

    pub(super) fn outbox_detail(&self, command: domain::CommandId, ambient: &Ambient) -> Option<OutboxDetail> {
        let row = self.row(command)?;
        let base = self.base(row.case_id());
        let history = self.history.get(&command).cloned().unwrap_or_default();
        Some(present::outbox_detail(row, &self.lane(row.target), &base, history, ambient))
    }
}

fn matches_query(case: &Case, lane: &[OutboxRow], query: &CaseQuery, me: ActorId) -> bool {
    let any = |list: &[String], value: &str| list.is_empty() || list.iter().any(|one| one == value);
    let fits_assignee = match query.assignee {
        AssigneeFilter::Any => true,
        AssigneeFilter::Me => case.assignee_id == Some(me),
        AssigneeFilter::Nobody => case.assignee_id.is_none(),
        AssigneeFilter::Actor(actor) => case.assignee_id == Some(actor),
    };
    fits_assignee
        && (query.statuses.is_empty() || query.statuses.contains(&case.status))
        && any(&query.kinds, &case.kind)
        && (query.priorities.is_empty() || query.priorities.contains(&case.priority))
        && query.tag.as_ref().is_none_or(|tag| case.tags.contains(tag))
        && query.due_by.as_ref().is_none_or(|day| case.due_on.as_ref().is_some_and(|due| due <= day))
        && (!query.has_changes || lane.iter().any(OutboxRow::is_pending))
        && (!query.needs_you || lane.iter().any(OutboxRow::needs_attention))
        && query.text.as_ref().is_none_or(|text| has_words(case, text))
}

/// Every word of `text` begins some word of the case's texts, whatever the letters' case; what has no letter and no
/// digit is in one of them as it is.
fn has_words(case: &Case, text: &str) -> bool {
    let texts = [
        Some(&case.title),
        case.number.as_ref(),
        case.external_id.as_ref(),
        case.address.as_ref(),
        case.description.as_ref(),
    ];
    let mut marks = text.split_whitespace().filter(|part| !part.contains(char::is_alphanumeric));
    let has_marks = marks.all(|part| texts.into_iter().flatten().any(|text| text.contains(part)));
    let held: Vec<String> = texts.into_iter().flatten().flat_map(|text| words(text)).collect();
    has_marks && words(text).iter().all(|word| held.iter().any(|other| other.starts_with(word.as_str())))
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|char: char| !char.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

fn compare(sort: CaseSort, a: &CaseRow, b: &CaseRow) -> Ordering {
    let absent_last = |a: &Option<String>, b: &Option<String>| (a.is_none(), a).cmp(&(b.is_none(), b));
    let place = |status: Status| Status::ALL.iter().position(|other| *other == status);
    match sort {
        CaseSort::Due => (a.due_on.is_none(), &a.due_on).cmp(&(b.due_on.is_none(), &b.due_on)),
        CaseSort::Title => a.title.to_lowercase().cmp(&b.title.to_lowercase()),
        CaseSort::Number => absent_last(&a.number, &b.number),
        CaseSort::Status => place(a.status).cmp(&place(b.status)),
        CaseSort::Priority => a.priority.cmp(&b.priority),
        CaseSort::Assignee => absent_last(&a.assignee_name, &b.assignee_name),
    }
}
