//! What belongs to a case, and the words to one person: accepted, ordered, drawn, decided.

use domain::decide::Rule;
use domain::{CaseField, EntityKind, Expected, NotificationId, Revision, Status};
use serde_json::json;

use super::{Profile, claim_all, ids, new_token, open_with_case, save, send, step};
use crate::accept::AcceptError;
use crate::delivery::{ConflictFound, Delivery, DeliveryEvent, Hold, KeptReceipt, ResolutionKind, StateName};
use crate::ports::{Decided, OutboxFilter, Store, StoreError};
use crate::testing::build::{
    COLLEAGUE, START, a_case, a_notification, a_task, archive, at, case_id, case_item, command_id, draft, edit,
    entity_item, id, inspection, line_item, note, note_item, notice, online, page, read, receipt, redact, restore,
    set_done, task, time, transition,
};
use crate::view::{CaseDetail, Mark};

async fn shown(store: &dyn Store) -> CaseDetail {
    store.case_detail(case_id(1), online()).await.unwrap().unwrap()
}

/// Each kind of child, made here or changed here, is shown as the server will make it, with its mark; what the server
/// said stays as it is where nothing is pending.
pub async fn what_belongs_to_a_case_is_drawn_over_what_the_server_said(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let items = vec![
        note_item(2, case_id(1), 1, "Mrs Lee of No 3 complained", None),
        note_item(3, case_id(1), 2, "wet", None),
        entity_item(4, &a_task(1, case_id(1), "Call the plumber", false), None),
        entity_item(5, &a_task(2, case_id(1), "Send the bill", true), None),
    ];
    store.apply(page(items)).await.unwrap();
    let pending = [
        redact(1),
        set_done(1, true),
        set_done(2, true),
        task(3, "Take photos"),
        set_done(3, true),
        set_done(3, false),
        time(1, 90),
        inspection(1, "Cracked pipe"),
    ];
    for (number, payload) in (1..).zip(pending) {
        save(&*store, number, 1, payload).await;
    }
    save(&*store, 9, 1, notice(1, "Repair it")).await;

    let detail = shown(&*store).await;
    let notes: Vec<_> =
        detail.notes.iter().map(|view| (view.note.text.as_str(), view.note.redacted, view.mark)).collect();
    assert_eq!(notes, [("wet", false, None), ("", true, Some(Mark::SavedHere))]);
    assert_eq!(detail.notes[1].note.redaction_reason.as_deref(), Some("a name"));
    let mut tasks: Vec<_> =
        detail.tasks.iter().map(|view| (view.task.title.as_str(), view.task.done, view.command_id)).collect();
    tasks.sort_unstable();
    let expected = [
        ("Call the plumber", true, Some(command_id(2))),
        ("Send the bill", true, None),
        ("Take photos", false, Some(command_id(6))),
    ];
    assert_eq!(tasks, expected, "what is done already is as the server says");
    assert_eq!((detail.time_entries[0].entry.minutes, detail.time_entries[0].mark), (90, Some(Mark::SavedHere)));
    assert_eq!(detail.inspections[0].inspection.findings[0].text, "Cracked pipe");
    assert_eq!((detail.notices[0].notice.body.as_str(), detail.notices[0].mark), ("Repair it", Some(Mark::Waiting)));
    assert_eq!((detail.pending.len(), detail.pending_fields.len()), (9, 0));
    let again = profile.open().await;
    assert_eq!(shown(&*again).await.tasks, detail.tasks, "and so it is in the next process");
}

/// R5: what a change adds is changed after it; others of the lane do not wait for that.
pub async fn what_another_change_makes_is_changed_after_it(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let added = save(&*store, 1, 1, task(1, "Call the plumber")).await;
    save(&*store, 2, 1, set_done(1, true)).await;
    save(&*store, 3, 1, note(1, "a name")).await;
    save(&*store, 4, 1, redact(1)).await;
    save(&*store, 5, 1, time(1, 30)).await;
    save(&*store, 6, 1, note(2, "more")).await;
    assert_eq!(ids(&claim_all(&*store, START).await), [1, 3, 5, 6].map(command_id));
    let views = store.outbox(OutboxFilter::default()).await.unwrap();
    assert_eq!((views[1].blocked_by, views[3].blocked_by), (Some(command_id(1)), Some(command_id(3))));
    step(&*store, &added, DeliveryEvent::SendMarked { now: START }, START).await;
    let failed = DeliveryEvent::NotApplied { due_at: Some(START.plus_ms(30_000)), hold: Hold::Time };
    step(&*store, &added, failed, START).await;
    assert!(claim_all(&*store, START).await.is_empty());
    assert_eq!(store.next_due().await.unwrap(), Some(START.plus_ms(30_000)));
    let again = store.claim(START, 10, true, &new_token).await.unwrap();
    assert_eq!(ids(&again), [command_id(1)]);
    let sent = step(&*store, &again[0], DeliveryEvent::SendMarked { now: START }, START).await;
    let kept = KeptReceipt::Full { receipt: receipt(&sent, 20) };
    step(&*store, &sent, DeliveryEvent::ReceiptValid(kept), START).await;
    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(2)]);
}

/// What neither the server nor a pending change made is not changed here; an archived case takes nothing but its
/// restoring. Nothing is saved then.
pub async fn what_nobody_knows_or_an_archived_case_is_not_changed(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let refused = async |number, case, payload| match store.accept(draft(number, case_id(case), payload)).await {
        Err(StoreError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(1, 1, set_done(1, true)).await, AcceptError::Unknown(EntityKind::Task));
    assert_eq!(refused(1, 1, redact(1)).await, AcceptError::Unknown(EntityKind::Note));
    assert_eq!(refused(1, 9, redact(1)).await, AcceptError::UnknownCase);
    let reading =
        store.accept(crate::ports::Draft { target: domain::EntityId(id(0x45, 1)), ..draft(1, case_id(1), read(1)) });
    assert_eq!(reading.await, Err(StoreError::Refused(AcceptError::Unknown(EntityKind::Notification))));
    store.apply(page(vec![entity_item(2, &a_task(1, case_id(2), "Of another case", false), None)])).await.unwrap();
    assert_eq!(refused(1, 1, set_done(1, true)).await, AcceptError::Unknown(EntityKind::Task));
    assert_eq!(refused(1, 1, restore()).await, AcceptError::Rule(Rule::NotArchived));

    save(&*store, 2, 1, note(1, "x")).await;
    assert_eq!(refused(3, 1, note(1, "the same note again")).await, AcceptError::Rule(Rule::AlreadyExists));
    save(&*store, 4, 1, archive()).await;
    for payload in [note(2, "y"), edit(CaseField::Title, "Blocked drain", "z"), archive(), notice(1, "z")] {
        assert_eq!(refused(5, 1, payload).await, AcceptError::Archived);
    }
    let restored = save(&*store, 6, 1, restore()).await;
    assert_eq!(restored.expected, Some(Expected::After(command_id(4))));
    assert!(!shown(&*store).await.case.archived);
    assert_eq!(store.counts(START).await.unwrap().open, 3);
}

/// CASES E9: a task that is not added any more takes what was to be done with it along; the rest of the lane stays.
pub async fn discarding_what_makes_a_task_takes_its_changes(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    for (number, payload) in [(1, task(1, "Call")), (2, set_done(1, true)), (3, task(2, "Write")), (4, note(1, "x"))] {
        save(&*store, number, 1, payload).await;
    }
    save(&*store, 5, 1, redact(1)).await;
    let changed = store.decide(command_id(1), Decided::Discard, START, &new_token).await.unwrap().unwrap();
    assert_eq!(ids(&changed), [1, 2].map(command_id));
    assert!(changed.iter().all(|row| row.resolution.unwrap().kind == ResolutionKind::Discarded));
    let detail = shown(&*store).await;
    assert_eq!(detail.tasks.len(), 1);
    assert_eq!(ids(&claim_all(&*store, START).await), [3, 4].map(command_id));
    // Said in other words, the note is still there to be redacted.
    let refusal = crate::delivery::Refusal { code: "domain-rejected".into(), reason: None, detail: String::new() };
    let row = store.row(command_id(4)).await.unwrap().unwrap();
    step(&*store, &row, DeliveryEvent::SendMarked { now: START }, START).await;
    step(&*store, &row, DeliveryEvent::Refused(refusal), START).await;
    let instead = draft(6, case_id(1), note(1, "in other words"));
    store.decide(command_id(4), Decided::Supersede(Box::new(instead)), START, &new_token).await.unwrap().unwrap();
    let lane = store.lane(case_id(1).into()).await.unwrap();
    assert_eq!(ids(&lane), [3, 6, 5].map(command_id));
}

/// What a decision leaves without sense is a conflict that a person sees, and it says what about.
pub async fn restoring_what_is_not_archived_any_more_is_a_conflict(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    save(&*store, 1, 1, archive()).await;
    save(&*store, 2, 1, restore()).await;
    let changed = store.decide(command_id(1), Decided::Discard, START, &new_token).await.unwrap().unwrap();
    let conflicting = changed.last().unwrap();
    let Delivery::Conflict { conflict } = &conflicting.delivery else { panic!("{conflicting:?}") };
    assert_eq!(
        (conflict.conflicting_fields.as_slice(), &conflict.current),
        (&["archived".to_owned()][..], &json!({"archived": false}))
    );
    assert_eq!(changed[1].resolution.unwrap().successor, Some(conflicting.command_id));
}

/// A note, a task, whatever belongs to a case, is known by its id alone, also before the server knows it.
pub async fn what_a_case_has_is_found_by_its_id(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let items = vec![
        entity_item(2, &a_task(1, case_id(1), "Call", false), None),
        entity_item(3, &a_notification(1, case_id(1)), None),
    ];
    store.apply(page(items)).await.unwrap();
    save(&*store, 1, 1, task(2, "Write")).await;
    save(&*store, 2, 1, note(1, "x")).await;
    let found =
        async |kind, kind_of_id, number| store.case_of(kind, domain::EntityId(id(kind_of_id, number))).await.unwrap();
    assert_eq!(found(EntityKind::Task, 0x41, 1).await, Some(case_id(1)));
    assert_eq!(found(EntityKind::Task, 0x41, 2).await, Some(case_id(1)));
    assert_eq!(found(EntityKind::Note, 0x40, 1).await, Some(case_id(1)));
    assert_eq!(found(EntityKind::Notification, 0x45, 1).await, Some(case_id(1)));
    assert_eq!(found(EntityKind::Note, 0x41, 1).await, None);
    store.decide(command_id(2), Decided::Discard, START, &new_token).await.unwrap().unwrap();
    assert_eq!(found(EntityKind::Note, 0x40, 1).await, None, "what was discarded is nowhere");
}

/// A notification is its own target and lane: reading it waits for nothing of its case, and is shown at once.
pub async fn a_notification_is_read_in_a_lane_of_its_own(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let told = vec![
        entity_item(2, &a_notification(1, case_id(1)), None),
        entity_item(3, &a_notification(2, case_id(1)), None),
    ];
    store.apply(page(told)).await.unwrap();
    let first = save(&*store, 1, 1, transition(Status::UnderReview)).await;
    send(&*store, &first).await;
    let target = NotificationId(id(0x45, 1)).into();
    let reading = crate::ports::Draft { target, ..draft(2, case_id(1), read(1)) };
    let row = store.accept(reading).await.unwrap().row;
    assert_eq!((row.target, row.case_id(), row.expected), (target, case_id(1), None));
    let told = store.notifications(online()).await.unwrap();
    let said: Vec<_> = told.iter().map(|view| (view.notification.id.0, view.notification.read_at, view.mark)).collect();
    assert_eq!(said, [(id(0x45, 2), None, None), (id(0x45, 1), Some(START), Some(Mark::SavedHere))], "newest first");
    assert_eq!((told[0].case_title.as_str(), told[0].case_label.as_deref()), ("Blocked drain", Some("2026-000001")));
    assert_eq!(shown(&*store).await.pending.len(), 1, "it is no change of the case");
    assert_eq!(store.counts(START).await.unwrap().open_cases, 1);

    assert_eq!(ids(&claim_all(&*store, START).await), [command_id(2)]);
    let view = store.outbox(OutboxFilter::default()).await.unwrap().remove(1);
    assert_eq!((view.target.kind.as_str(), view.target.id), ("notification", target));
    let line = store.outbox_page(START, online()).await.unwrap().lines.remove(1);
    assert_eq!((line.change.case_id, line.case_title.as_str()), (case_id(1), "Blocked drain"));
    let again = profile.open().await;
    assert_eq!(again.row(command_id(2)).await.unwrap().unwrap().payload, row.payload, "its hash still fits");
    again.recover(START).await.unwrap();
    assert_eq!(again.lane(target).await.unwrap().len(), 1);
}

/// CONTRACT 8, `outbox confirm`: what is sent is the same, and the history says that it was confirmed.
pub async fn a_confirmed_row_goes_again_as_it_was(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    let row = save(&*store, 1, 1, notice(1, "Repair it")).await;
    let sent = send(&*store, &row).await;
    step(&*store, &sent, DeliveryEvent::NotApplied { due_at: None, hold: Hold::Confirmation }, START).await;
    assert_eq!(store.counts(START).await.unwrap().needs_attention, 1);
    assert!(store.claim(START, 10, true, &new_token).await.unwrap().is_empty(), "no hurry frees it");
    let confirmed_at = START.plus_ms(90_000_000);
    let guard = crate::ports::Guard::State(StateName::RetryableFailed);
    let event = DeliveryEvent::Confirmed { at: confirmed_at };
    store.step(row.command_id, guard, event, at(confirmed_at)).await.unwrap().unwrap();
    let store = profile.open().await;
    let again = store.row(row.command_id).await.unwrap().unwrap();
    assert_eq!((again.delivery.name(), again.confirmed_at), (StateName::Queued, Some(confirmed_at)));
    assert_eq!((&again.key, &again.payload_hash, again.issued_at), (&row.key, &row.payload_hash, row.issued_at));
    assert_eq!(store.history(row.command_id).await.unwrap().last().unwrap().event, "confirmed");
    assert_eq!(ids(&claim_all(&*store, confirmed_at).await), [command_id(1)]);
}

/// A change that sets no field but stands on a revision says which revision it saw, which there is, and what moved in
/// between, once the feed has said it.
pub async fn a_conflict_about_the_revision_says_what_moved(profile: &dyn Profile) {
    let store = open_with_case(profile).await;
    for (number, payload) in [(1, archive()), (2, notice(1, "Repair it"))] {
        let case = number + 10;
        store.apply(page(vec![case_item(u64::from(number) + 1, &a_case(case, "Blocked drain"), None)])).await.unwrap();
        let row = save(&*store, number, case, payload).await;
        let row = send(&*store, &row).await;
        let found = ConflictFound { current_revision: Some(2), current: json!({}), conflicting_fields: Vec::new() };
        step(&*store, &row, DeliveryEvent::ConflictFound(found), START).await;
        let conflict =
            async || store.outbox_detail(command_id(number), online()).await.unwrap().unwrap().conflict.unwrap();
        let before = conflict().await;
        assert_eq!((before.base_revision, before.their_revision), (Some(1), Some(2)));
        assert_eq!((&before.theirs, before.their_actor), (&json!({}), None), "the feed has not said it yet");
        let mut theirs = a_case(case, "Blocked drain, deep");
        (theirs.revision, theirs.status) = (Revision(2), Status::UnderReview);
        let retitled = edit(CaseField::Title, "Blocked drain", "Blocked drain, deep");
        let said = START.plus_ms(2_000);
        let items = vec![
            case_item(u64::from(number) * 10, &theirs, None),
            line_item(u64::from(number) * 10 + 1, 90 + number, case_id(case), &retitled, COLLEAGUE, said),
        ];
        store.apply(page(items)).await.unwrap();
        let conflict = conflict().await;
        assert_eq!(conflict.base["title"], "Blocked drain");
        assert_eq!(
            (&conflict.theirs["title"], &conflict.theirs["status"]),
            (&json!("Blocked drain, deep"), &json!("under_review"))
        );
        assert_eq!((conflict.their_actor, conflict.their_at), (Some(COLLEAGUE), Some(said)));
        let archived = [&conflict.base, &conflict.mine, &conflict.theirs].map(|side| side.get("archived").cloned());
        let expected =
            if number == 1 { [Some(json!(false)), Some(json!(true)), Some(json!(false))] } else { [const { None }; 3] };
        assert_eq!(archived, expected);
        assert_eq!(conflict.fields.iter().filter(|field| field.moved).count(), 2);
    }
}
