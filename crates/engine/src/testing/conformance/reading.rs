//! What windows and programs read.

use domain::{CaseField, Priority, Status};

use super::{Profile, open, open_with_case, save, send, step};
use crate::delivery::{DeliveryEvent, Hold, KeptReceipt, StateName};
use crate::ports::{Decided, OutboxFilter};
use crate::testing::build::{
    ACTOR, COLLEAGUE, START, a_case, case_id, case_item, command_id, create, edit, line_item, member_item, note,
    online, page, receipt, tag, transition,
};
use crate::view::{AssigneeFilter, CaseQuery, CaseSort, Due, Mark, OutboxGroup};

fn query() -> CaseQuery {
    CaseQuery { today: "2026-11-30".to_owned(), limit: 100, ..CaseQuery::default() }
}

/// Search, filters, orders, groups and pages, over the pending view.
pub async fn the_list_is_found_filtered_sorted_and_grouped(profile: &dyn Profile) {
    let store = open(profile).await;
    let mut items = vec![member_item(9, COLLEAGUE, "Bo")];
    let due = [None, Some("2026-11-30"), Some("2026-12-03"), Some("2026-11-01"), Some("2027-01-01")];
    for (number, due_on) in (1..).zip(due) {
        let mut case = a_case(number, ["Elm", "Dock", "Cellar", "Bridge", "Attic"][number as usize - 1]);
        case.due_on = due_on.map(str::to_owned);
        case.address = Some(format!("{number} Mill Lane"));
        case.assignee_id = (number == 2).then_some(COLLEAGUE);
        case.description = (number == 5).then(|| "Damp - about 50 % of it".to_owned());
        case.priority = if number == 3 { Priority::Urgent } else { Priority::Low };
        items.push(case_item(u64::from(number), &case, None));
    }
    store.apply(page(items)).await.unwrap();
    save(&*store, 1, 4, tag("flood")).await;
    save(&*store, 2, 6, create("Zoo gate")).await;
    let found = async |query: CaseQuery| {
        let page = store.case_page(query, online()).await.unwrap();
        page.rows.into_iter().map(|row| row.title).collect::<Vec<_>>()
    };

    let by_due = store.case_page(query(), online()).await.unwrap();
    let titles: Vec<&str> = by_due.rows.iter().map(|row| row.title.as_str()).collect();
    assert_eq!(titles, ["Bridge", "Dock", "Cellar", "Attic", "Elm", "Zoo gate"]);
    let groups: Vec<(Due, u32)> = by_due.groups.iter().map(|group| (group.due, group.count)).collect();
    let expected = [(Due::Overdue, 1), (Due::Today, 1), (Due::ThisWeek, 1), (Due::Later, 1), (Due::NoDate, 2)];
    assert_eq!(groups, expected);
    assert_eq!((by_due.total, by_due.offset), (6, 0));
    let dock = &by_due.rows[1];
    assert_eq!((dock.assignee_name.as_deref(), dock.due, dock.mark), (Some("Bo"), Due::Today, None));
    assert_eq!((by_due.rows[0].mark, by_due.rows[0].open_changes), (Some(Mark::SavedHere), 1));
    assert_eq!(by_due.rows[0].pending_fields, ["tags"]);

    let second = CaseQuery { offset: 1, limit: 2, ..query() };
    let second = store.case_page(second, online()).await.unwrap();
    assert_eq!((second.rows.len(), second.rows[0].title.as_str(), second.total), (2, "Dock", 6));
    let text = |text: &str| CaseQuery { text: Some(text.to_owned()), ..query() };
    assert_eq!(found(text("mill br")).await, ["Bridge"]);
    assert_eq!(found(text("zoo")).await, ["Zoo gate"]);
    assert_eq!(found(text("2026-000003")).await, ["Cellar"]);
    assert!(found(text("ridge")).await.is_empty(), "words are found from their beginning");
    assert_eq!(found(text("\"mill* OR (br")).await, Vec::<String>::new(), "no syntax in a search");
    assert_eq!(found(text("  ")).await.len(), 6);
    for marks in ["_", "'", "mill %_"] {
        assert_eq!(found(text(marks)).await, Vec::<String>::new(), "{marks} is looked for as it is");
    }
    for marks in ["%", "mill - 50 %"] {
        assert_eq!(found(text(marks)).await, ["Attic"]);
    }
    assert_eq!(found(CaseQuery { tag: Some("flood".into()), ..query() }).await, ["Bridge"]);
    assert_eq!(found(CaseQuery { has_changes: true, ..query() }).await, ["Bridge", "Zoo gate"]);
    assert!(found(CaseQuery { needs_you: true, ..query() }).await.is_empty());
    assert_eq!(found(CaseQuery { assignee: AssigneeFilter::Actor(COLLEAGUE), ..query() }).await, ["Dock"]);
    assert_eq!(found(CaseQuery { assignee: AssigneeFilter::Nobody, ..query() }).await.len(), 5);
    assert_eq!(found(CaseQuery { priorities: vec![Priority::Urgent], ..query() }).await, ["Cellar"]);
    assert_eq!(found(CaseQuery { due_by: Some("2026-11-30".into()), ..query() }).await, ["Bridge", "Dock"]);
    assert!(found(CaseQuery { statuses: vec![Status::Closed], ..query() }).await.is_empty());
    assert_eq!(found(CaseQuery { kinds: vec!["inspection".into()], ..query() }).await.len(), 6);
    let by_title = found(CaseQuery { sort: CaseSort::Title, ..query() }).await;
    assert_eq!(by_title, ["Attic", "Bridge", "Cellar", "Dock", "Elm", "Zoo gate"]);
    let reversed = found(CaseQuery { sort: CaseSort::Title, descending: true, ..query() }).await;
    assert!(reversed.iter().eq(by_title.iter().rev()));
    let by_number = found(CaseQuery { sort: CaseSort::Number, ..query() }).await;
    assert_eq!(by_number, ["Elm", "Dock", "Cellar", "Bridge", "Attic", "Zoo gate"]);
    let by_priority = found(CaseQuery { sort: CaseSort::Priority, descending: true, ..query() }).await;
    assert_eq!(by_priority[0], "Cellar");
    assert!(store.case_page(CaseQuery { sort: CaseSort::Title, ..query() }, online()).await.unwrap().groups.is_empty());
}

/// A case as its window shows it: pending view, both sides, marks and next steps.
pub async fn a_case_is_shown_with_what_is_pending(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    save(&*store, 1, 1, transition(Status::UnderReview)).await;
    save(&*store, 2, 1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    save(&*store, 3, 1, note(1, "wet")).await;
    let detail = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!((detail.case.status, detail.case.title.as_str()), (Status::UnderReview, "Drain"));
    assert_eq!(detail.base.unwrap().status, Status::Open);
    assert_eq!(detail.pending_fields, ["status", "title"]);
    let marks: Vec<Mark> = detail.pending.iter().map(|pending| pending.mark).collect();
    assert_eq!(marks, [Mark::SavedHere, Mark::Waiting, Mark::Waiting]);
    assert_eq!(detail.pending[0].from_status, Some(Status::Open));
    assert_eq!(detail.notes[0].command_id, Some(command_id(3)));
    assert!(detail.next_statuses.iter().any(|next| next.to == Status::Resolved && next.allowed));
    assert_eq!(detail.version, store.versions().await.unwrap().cases);
    assert_eq!(store.case_detail(case_id(9), online()).await.unwrap(), None);
}

/// CONTRACT 8: open rows by default, all when asked, by state; the sync centre in its groups.
pub async fn the_outbox_is_listed_for_programs_and_people(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let acked = save(&*store, 1, 1, note(1, "received")).await;
    let acked = send(&*store, &acked).await;
    let kept = KeptReceipt::Full { receipt: receipt(&acked, 50) };
    step(&*store, &acked, DeliveryEvent::ReceiptValid(kept), START).await;
    save(&*store, 2, 1, note(2, "discarded")).await;
    store.decide(command_id(2), Decided::Discard, START, &super::new_token).await.unwrap().unwrap();
    let held = save(&*store, 3, 2, create("Held")).await;
    send(&*store, &held).await;
    step(&*store, &held, DeliveryEvent::NotApplied { due_at: None, hold: Hold::Grant }, START).await;
    let doubt = save(&*store, 4, 3, create("In doubt")).await;
    send(&*store, &doubt).await;
    step(&*store, &doubt, DeliveryEvent::OutcomeUnknown { ask_at: START.plus_ms(5_000) }, START).await;
    save(&*store, 5, 4, create("Waiting")).await;

    let listed = async |filter| {
        let views = store.outbox(filter).await.unwrap();
        views.into_iter().map(|view| view.command_id).collect::<Vec<_>>()
    };
    assert_eq!(listed(OutboxFilter::default()).await, [3, 4, 5].map(command_id));
    assert_eq!(listed(OutboxFilter { all: true, ..OutboxFilter::default() }).await, [1, 2, 3, 4, 5].map(command_id));
    let unknown = OutboxFilter { states: vec![StateName::Unknown], all: false };
    assert_eq!(listed(unknown).await, [command_id(4)]);
    let views = store.outbox(OutboxFilter { all: true, ..OutboxFilter::default() }).await.unwrap();
    assert_eq!(views[2].hold, Some(Hold::Grant));
    assert_eq!(views[3].next_attempt_at_ms, Some(START.0 + 5_000));
    assert_eq!((views[0].attempt, views[0].state), (1, StateName::Acked));
    assert!(views[1].resolution.is_some());

    let page = store.outbox_page(START, online()).await.unwrap();
    let mut groups: Vec<OutboxGroup> = page.lines.iter().map(|line| line.group).collect();
    assert_eq!(groups[..3], [OutboxGroup::NeedsYou, OutboxGroup::InDoubt, OutboxGroup::Waiting]);
    groups.sort_by_key(|group| format!("{group:?}"));
    assert!(groups.contains(&OutboxGroup::Received) && groups.contains(&OutboxGroup::Discarded));
    assert_eq!(page.lines[0].case_title, "Held");
    assert_eq!(page.version, store.versions().await.unwrap().outbox);
    assert_eq!(store.outbox_page(START.plus_ms(1), online()).await.unwrap().lines.len(), 3);

    let detail = store.outbox_detail(command_id(4), online()).await.unwrap().unwrap();
    assert_eq!(detail.history.len(), 4);
    assert_eq!(detail.payload.unwrap()["title"], "In doubt");
    assert_eq!(detail.line.change.mark, Mark::InDoubt);
    assert_eq!(store.outbox_detail(command_id(9), online()).await.unwrap(), None);
    let counts = store.counts(START).await.unwrap();
    assert_eq!((counts.open, counts.needs_attention, counts.in_doubt, counts.waiting), (3, 1, 1, 1));
    assert_eq!((counts.open_cases, counts.received_today), (3, 1));
    assert_eq!(counts.by_state.get(&StateName::Acked), Some(&1));
    assert_eq!(counts.by_state.values().sum::<u32>(), 4);
}

/// UI, section 4: "Sent at …, no answer came back", "Next try …": in every list, without another question.
pub async fn lines_say_when_they_were_sent_and_are_tried_next(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let (soon, later) = (START.plus_ms(5_000), START.plus_ms(60_000));
    let doubt = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Drain")).await;
    send(&*store, &doubt).await;
    let sending = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!((sending.pending[0].mark, sending.pending[0].sent_at), (Mark::Sending, Some(START)));
    step(&*store, &doubt, DeliveryEvent::OutcomeUnknown { ask_at: START }, START.plus_ms(15_000)).await;
    step(&*store, &doubt, DeliveryEvent::StillUnknown { ask_at: soon }, START.plus_ms(20_000)).await;
    let retried = save(&*store, 2, 2, create("Retried")).await;
    send(&*store, &retried).await;
    step(&*store, &retried, DeliveryEvent::NotApplied { due_at: Some(later), hold: Hold::Network }, START).await;
    save(&*store, 3, 2, tag("waits")).await;

    let lines = store.outbox_page(START, online()).await.unwrap().lines;
    let times: Vec<_> = lines.iter().map(|line| (line.change.sent_at, line.change.next_attempt_at)).collect();
    assert_eq!(times, [(Some(START), Some(soon)), (None, Some(later)), (None, None)]);
    let detail = store.outbox_detail(command_id(1), online()).await.unwrap().unwrap();
    assert_eq!(detail.line, lines[0]);
    let shown = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
    assert_eq!(shown.pending, [lines[0].change.clone()]);
    let mut rows = store.case_page(query(), online()).await.unwrap().rows;
    rows.sort_by_key(|row| row.id);
    let marks: Vec<_> = rows.iter().map(|row| (row.mark, row.next_attempt_at)).collect();
    assert_eq!(marks, [(Some(Mark::InDoubt), Some(soon)), (Some(Mark::WillRetry), Some(later))]);
}

/// UI, section 4: "Dana Ruiz changed the same fields at 13:51", and what both had seen before.
pub async fn a_conflict_says_who_changed_its_fields_and_when(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let (opened, retitled, tagged) = (START.plus_ms(-9_000), START.plus_ms(2_000), START.plus_ms(3_000));
    let before = edit(CaseField::Title, "Drain", "Blocked drain");
    store.apply(page(vec![line_item(2, 91, case_id(1), &before, ACTOR, opened)])).await.unwrap();
    let row = save(&*store, 1, 1, edit(CaseField::Title, "Blocked drain", "Mine")).await;
    super::conflicting(&*store, &row).await;
    let said = async || {
        let line = store.outbox_page(START, online()).await.unwrap().lines.remove(0);
        let detail = store.outbox_detail(command_id(1), online()).await.unwrap().unwrap();
        let shown = store.case_detail(case_id(1), online()).await.unwrap().unwrap();
        assert_eq!((&detail.line, &shown.pending[0]), (&line, &line.change));
        let conflict = detail.conflict.unwrap();
        assert_eq!((conflict.their_actor, conflict.their_at), (line.change.their_actor, line.change.their_at));
        (conflict.their_actor, conflict.their_at, conflict.base_at)
    };
    assert_eq!(said().await, (None, None, Some(opened)), "the feed has not said so yet");
    let theirs = edit(CaseField::Title, "Blocked drain", "Theirs");
    let lines = vec![
        line_item(3, 92, case_id(1), &theirs, COLLEAGUE, retitled),
        line_item(4, 93, case_id(1), &tag("deep"), ACTOR, tagged),
    ];
    store.apply(page(lines)).await.unwrap();
    assert_eq!(said().await, (Some(COLLEAGUE), Some(retitled), Some(opened)));
    store.decide(command_id(1), Decided::Discard, START, &super::new_token).await.unwrap().unwrap();
    let line = store.outbox_page(START, online()).await.unwrap().lines.remove(0);
    assert_eq!((line.group, line.change.their_actor), (OutboxGroup::Discarded, None));
}

/// People by name; the rail's views by their counts.
pub async fn people_and_views_are_counted(profile: &dyn Profile) {
    let store = open(profile).await;
    let mut mine = a_case(1, "Mine");
    mine.assignee_id = Some(ACTOR);
    mine.due_on = Some("2026-12-05".to_owned());
    let mut later = a_case(2, "Mine, later");
    later.assignee_id = Some(ACTOR);
    later.due_on = Some("2027-12-05".to_owned());
    let items = vec![
        member_item(1, COLLEAGUE, "Zoe"),
        member_item(2, ACTOR, "Ana"),
        case_item(3, &mine, None),
        case_item(4, &later, None),
        case_item(5, &a_case(3, "Nobody's"), None),
    ];
    store.apply(page(items)).await.unwrap();
    let names: Vec<String> = store.members().await.unwrap().into_iter().map(|member| member.display_name).collect();
    assert_eq!(names, ["Ana", "Zoe"]);
    let counts = store.view_counts("2026-11-30".to_owned()).await.unwrap();
    assert_eq!((counts.all, counts.mine, counts.unassigned, counts.due_soon), (3, 2, 1, 1));
}
