//! Seeded walks: an officer works, everything fails at random, the program dies at random; then the faults stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{CaseField, Status};
use onceover_engine::delivery::{Delivery, OutboxRow, StateName};
use onceover_engine::testing::build::{a_case, case_id, edit, note, tag, transition};
use onceover_engine::testing::{Dice, ManualClock};
use onceover_engine::view::{ConflictDecision, Side};
use onceover_engine::{Intent, SyncOptions};

use crate::support::Computer;

const STEPS: usize = 60;

/// How many walks; `ONCEOVER_WALKS` asks for more.
fn walks() -> u64 {
    std::env::var("ONCEOVER_WALKS").ok().and_then(|text| text.parse().ok()).unwrap_or(700)
}

/// R2, R3, R5, R6, R9 on the way; R4 and convergence when the faults stop. A failing seed is named.
#[test]
fn a_random_walk_loses_nothing_and_doubles_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for seed in 0..walks() {
        let walked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(walk(seed))));
        assert!(walked.is_ok(), "seed {seed}");
    }
}

async fn walk(seed: u64) {
    let mut dice = Dice::new(seed);
    let mut computer = Computer::with(Arc::new(ManualClock::turning()), seed << 8).await;
    computer.server.chaos(seed, 35);
    for _ in 0..STEPS {
        match dice.below(12) {
            0..5 => act(&computer, &mut dice).await,
            5..8 => {
                let options = SyncOptions { deadline_ms: 5_000, ignore_backoff: dice.chance(50) };
                drop(computer.engine.sync_once(options).await);
            }
            8 => die_while_syncing(&mut computer, &mut dice).await,
            9 => {
                let revision = computer.server.case(case_id(1)).unwrap().revision.next();
                let title = format!("Theirs {revision:?}");
                computer.server.put_case(&domain::Case { revision, ..a_case(1, &title) });
            }
            10 => decide_something(&computer, &mut dice).await,
            _ => computer.clock.advance(i64::try_from(dice.below(120_000)).unwrap()),
        }
        holds_on_the_way(&computer);
    }
    settle(&mut computer, &mut dice).await;
}

/// The officer does something; a refusal by the rules is fine, a lost change is not.
async fn act(computer: &Computer, dice: &mut Dice) {
    let number = u32::try_from(dice.below(1_000_000)).unwrap();
    let case = 1 + u32::try_from(dice.below(3)).unwrap();
    let shown = computer.shown(case_id(case)).await.case;
    let payload = match dice.below(5) {
        0 => note(number, "noted"),
        1 => tag(["fire", "water", "noise"][dice.below(3)]),
        2 => transition(*shown.status.next().first().unwrap_or(&Status::Closed)),
        _ => edit(CaseField::Title, &shown.title, &format!("Title {number}")),
    };
    let intent = Intent { intent_id: dice.id(), case_id: Some(case_id(case)), payload };
    drop(computer.engine.save(intent).await);
}

/// The process ends at some point of a sync, whatever it is doing.
async fn die_while_syncing(computer: &mut Computer, dice: &mut Dice) {
    let engine = computer.engine.clone();
    let syncing =
        tokio::spawn(async move { engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: true }).await });
    for _ in 0..dice.below(60) {
        tokio::task::yield_now().await;
    }
    syncing.abort();
    drop(syncing.await);
    computer.restart().await;
}

/// A person decides about a change that waits for one, or asks, or retries, or discards.
async fn decide_something(computer: &Computer, dice: &mut Dice) {
    let open: Vec<OutboxRow> = computer.disk.rows().into_iter().filter(OutboxRow::is_open).collect();
    let Some(row) = (!open.is_empty()).then(|| &open[dice.below(open.len())]) else { return };
    let side = if dice.chance(50) { Side::Mine } else { Side::Theirs };
    match dice.below(4) {
        0 => drop(computer.engine.ask(row.command_id).await),
        1 => drop(computer.engine.retry(row.command_id).await),
        2 => drop(computer.engine.discard(row.command_id, dice.chance(30)).await),
        _ => drop(computer.engine.resolve(row.command_id, ConflictDecision::Keep { side }).await),
    }
}

fn holds_on_the_way(computer: &Computer) {
    let rows: BTreeMap<_, _> = computer.disk.rows().into_iter().map(|row| (row.command_id, row)).collect();
    let mut effects = BTreeMap::<_, u32>::new();
    for (actor, command, hash) in computer.server.effects() {
        let row = rows.get(&command).expect("R2: every effect has its row");
        assert_eq!((row.payload_hash.as_str(), row.actor_id), (hash.as_str(), actor), "R2, R9");
        *effects.entry(command).or_default() += 1;
    }
    assert!(effects.values().all(|count| *count == 1), "R3: one effect a key");
    for row in rows.values() {
        if matches!(row.delivery, Delivery::Acked { .. }) {
            assert!(effects.contains_key(&row.command_id), "R8: nothing is received that was not applied");
        }
        if matches!(row.delivery.name(), StateName::Rejected | StateName::Conflict) {
            assert!(!effects.contains_key(&row.command_id), "R6: what was applied is never shown as refused");
        }
    }
    in_order(computer, &rows);
}

/// R5: effects of one case that do not commute come in the order of their lane.
fn in_order(computer: &Computer, rows: &BTreeMap<domain::CommandId, OutboxRow>) {
    let mut last = BTreeMap::new();
    for (_, command, _) in computer.server.effects() {
        let row = &rows[&command];
        if !row.operation.policy().commutes {
            let before = last.insert(row.target, row.lane_order()).unwrap_or_default();
            assert!(before < row.lane_order(), "R5: {} came after a later one", row.seq);
        }
    }
}

/// The faults stop. Everything reaches *received*, *conflict* or *refused* in bounded steps; decided, nothing is open, and
/// the screen shows what the server holds.
async fn settle(computer: &mut Computer, dice: &mut Dice) {
    computer.server.chaos(0, 0);
    for _ in 0..60 {
        drop(computer.engine.retry_all().await);
        let options = SyncOptions { deadline_ms: 120_000, ignore_backoff: true };
        let report = computer.engine.sync_once(options).await.unwrap();
        if report.sign_in_needed {
            computer.engine.signed_in(computer.server.session_of(computer.actor)).await.unwrap();
            continue;
        }
        holds_on_the_way(computer);
        let open: Vec<OutboxRow> = computer.disk.rows().into_iter().filter(OutboxRow::is_open).collect();
        if open.is_empty() {
            break;
        }
        for row in open {
            if matches!(row.delivery.name(), StateName::Conflict | StateName::Rejected) {
                let side = if dice.chance(50) { Side::Mine } else { Side::Theirs };
                if computer.engine.resolve(row.command_id, ConflictDecision::Keep { side }).await.is_err() {
                    drop(computer.engine.discard(row.command_id, true).await);
                }
            }
        }
    }
    let left: Vec<_> = computer.disk.rows().into_iter().filter(OutboxRow::is_open).collect();
    assert!(left.is_empty(), "R4: {left:#?}");
    for row in computer.disk.rows() {
        let is_received = matches!(row.delivery, Delivery::Acked { .. });
        let has_effect = computer.effects_of(row.command_id) == 1;
        // A row that was discarded in doubt may have been applied; nothing else may differ.
        assert!(is_received == has_effect || row.resolution.is_some(), "{row:#?}");
    }
    for case in 1..=3 {
        let shown = computer.shown(case_id(case)).await;
        assert_eq!(Some(&shown.case), computer.server.case(case_id(case)).as_ref());
        assert!(shown.pending.is_empty());
    }
}
