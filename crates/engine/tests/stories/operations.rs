//! Every operation of version 1 through one officer's computer, and what only a person can send on.

use domain::{Entity, EntityId, EntityKind, Role, Status};
use onceover_engine::delivery::{Hold, StateName};
use onceover_engine::testing::build::{
    ACTOR, a_notification, archive, assign, case_id, id, inspection, note, notice, read, redact, restore, set_done,
    tag, task, time, transition,
};
use onceover_engine::view::{Mark, Reason};
use onceover_engine::{EngineError, Intent};

use crate::support::Computer;

const DAY_MS: i64 = 24 * 3_600_000;

async fn supervised() -> Computer {
    let computer = Computer::new().await;
    computer.server.set_role(ACTOR, Role::Supervisor);
    computer
}

/// What was done without a network, of every kind, is shown at once, goes in its order, and takes effect once each.
#[tokio::test]
async fn a_day_of_every_operation_goes_in_order() {
    let computer = supervised().await;
    computer.server.put(a_notification(1, case_id(1)));
    computer.engine.pull().await.unwrap();
    let payloads = [
        tag("urgent"),
        assign(None, Some(ACTOR)),
        note(1, "Mrs Lee complained"),
        redact(1),
        task(1, "Call the plumber"),
        set_done(1, true),
        time(1, 45),
        inspection(1, "Cracked pipe"),
        transition(Status::UnderReview),
        notice(1, "Repair it"),
        archive(),
        restore(),
    ];
    let mut saved = Vec::new();
    for payload in payloads {
        saved.push(computer.save(1, payload).await);
    }
    let reading = Intent { intent_id: computer.new_id(), case_id: None, payload: read(1) };
    let reading = computer.engine.save(reading).await.unwrap();
    assert_eq!(reading.case_id, case_id(1));
    saved.push(reading);
    let shown = computer.shown(case_id(1)).await;
    assert_eq!((shown.notes[0].note.redacted, shown.tasks[0].task.done), (true, true));

    let report = computer.sync().await;
    assert_eq!((report.open, report.needs_attention), (0, 0));
    for one in &saved {
        assert_eq!(computer.effects_of(one.command_id), 1, "{:?}", one.operation);
        assert!(computer.row(one.command_id).projected, "{:?}", one.operation);
    }
    let held = |kind, number: u16| computer.server.child(kind, EntityId(id(number, 1))).unwrap();
    assert!(matches!(held(EntityKind::Note, 0x40), Entity::Note(note) if note.text.is_empty() && note.redacted));
    assert!(matches!(held(EntityKind::Task, 0x41), Entity::Task(task) if task.done));
    let after = computer.shown(case_id(1)).await;
    assert_eq!((after.pending.len(), after.notices.len(), after.case.archived), (0, 1, false));
    assert_eq!(after.timeline.len(), 12);
    let told = computer.engine.store().notifications(computer.engine.ambient()).await.unwrap();
    assert_eq!((told.len(), told[0].mark), (1, None));
    assert!(told[0].notification.read_at.is_some());
}

/// A notice decided yesterday is not sent before its officer says again that it is meant; then it goes as it was.
#[tokio::test]
async fn an_old_notice_goes_after_it_is_confirmed() {
    let computer = supervised().await;
    let saved = computer.save(1, notice(1, "Repair it")).await;
    let before = computer.row(saved.command_id);
    computer.clock.advance(25 * 3_600_000);
    let report = computer.sync().await;
    assert_eq!((report.open, report.needs_attention), (1, 1));
    assert_eq!(computer.row(saved.command_id).delivery.hold(), Some(Hold::Confirmation));
    assert_eq!(computer.effects_of(saved.command_id), 0);
    let shown = computer.shown(case_id(1)).await;
    assert_eq!((shown.pending[0].mark, &shown.pending[0].reason), (Mark::ConfirmToSend, &Reason::Confirmation));
    assert_eq!(computer.engine.retry_all().await, Ok(0), "nothing but a person frees it");
    computer.server.take_log();
    computer.sync().await;
    assert!(computer.commands_sent().is_empty(), "and it is not tried meanwhile");

    computer.engine.confirm(saved.command_id).await.unwrap();
    assert_eq!(computer.sync().await.open, 0);
    let after = computer.row(saved.command_id);
    assert_eq!(after.delivery.name(), StateName::Acked);
    assert_eq!((after.key, after.payload_hash, after.payload), (before.key, before.payload_hash, before.payload));
    assert_eq!(computer.effects_of(saved.command_id), 1);
    let history = computer.engine.store().history(saved.command_id).await.unwrap();
    assert_eq!(history.iter().filter(|entry| entry.event == "confirmed").count(), 1);
    let again = computer.engine.confirm(saved.command_id).await;
    assert!(matches!(again, Err(EngineError::NotAllowed(_))));
}

/// A confirmation holds as long as the first decision did: confirmed and not sent for another day, it is asked again.
#[tokio::test]
async fn a_confirmation_grows_old_too() {
    let computer = supervised().await;
    let saved = computer.save(1, notice(1, "Repair it")).await;
    computer.clock.advance(DAY_MS + 1);
    computer.sync().await;
    computer.engine.confirm(saved.command_id).await.unwrap();
    computer.clock.advance(DAY_MS + 1);
    computer.sync().await;
    assert_eq!(computer.row(saved.command_id).delivery.hold(), Some(Hold::Confirmation));
    computer.engine.confirm(saved.command_id).await.unwrap();
    assert_eq!(computer.sync().await.open, 0);
}

/// Of another person's notifications nothing comes, and none can be read.
#[tokio::test]
async fn what_others_were_told_stays_theirs() {
    let computer = Computer::new().await;
    let Entity::Notification(mut theirs) = a_notification(1, case_id(1)) else { panic!() };
    theirs.recipient_id = onceover_engine::testing::build::COLLEAGUE;
    computer.server.put(Entity::Notification(theirs));
    computer.sync().await;
    assert!(computer.engine.store().notifications(computer.engine.ambient()).await.unwrap().is_empty());
    let reading = Intent { intent_id: computer.new_id(), case_id: None, payload: read(1) };
    assert!(computer.engine.save(reading).await.is_err());
}
