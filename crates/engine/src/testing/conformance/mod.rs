//! What every store does, whatever it is made of: one suite, run by each store's crate through
//! [`store_conformance!`](crate::store_conformance).

mod accepting;
mod children;
mod deciding;
mod delivering;
mod pulling;
mod reading;
mod steps;
mod walk;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Payload, Timestamp};

pub use self::accepting::*;
pub use self::children::*;
pub use self::deciding::*;
pub use self::delivering::*;
pub use self::pulling::*;
pub use self::reading::*;
pub use self::steps::*;
pub use self::walk::*;
use super::build::{START, a_case, at, case_item, draft, page};
use crate::delivery::{Claim, ConflictFound, DeliveryEvent, OutboxRow};
use crate::ports::{Guard, Store, StoredSession};

/// A new, empty store of [`super::build::TENANT`] and [`super::build::ACTOR`] that survives its processes.
#[async_trait]
pub trait Profile: Send + Sync {
    /// Opens it as a new process for writing: the epoch rises.
    async fn open(&self) -> Arc<dyn Store>;
}

/// Makes a `#[tokio::test]` of every case of the suite. `$profile` is an async function giving a new [`Profile`](crate::testing::conformance::Profile).
#[macro_export]
macro_rules! store_conformance {
    ($profile:expr) => {
        $crate::store_conformance! { @each $profile;
            a_saved_intent_is_one_row_with_its_history
            the_same_intent_twice_is_one_row
            a_chain_of_offline_edits_is_fixed_when_it_is_made
            a_refused_intent_leaves_nothing
            what_nobody_knows_or_an_archived_case_is_not_changed
            rows_are_claimed_in_order_one_a_lane
            commuting_rows_of_a_lane_go_together
            opposite_changes_of_one_tag_keep_their_order
            what_another_change_makes_is_changed_after_it
            a_lane_waits_behind_an_open_row
            back_off_is_kept_unless_told_to_hurry
            a_step_without_its_guard_changes_nothing
            a_process_that_lost_the_store_writes_nothing
            what_a_dead_process_left_is_freed_by_epoch
            waits_beyond_their_cap_are_pulled_back
            a_hold_is_released_for_its_rows_only
            rows_in_doubt_are_listed_when_due
            the_session_is_kept
            every_step_is_taken_or_refused_as_the_states_say
            a_discarded_row_is_never_claimed
            discarding_a_new_case_takes_its_lane
            discarding_what_makes_a_task_takes_its_changes
            restoring_what_is_not_archived_any_more_is_a_conflict
            a_superseded_row_gives_its_followers_the_new_name
            a_decision_takes_the_place_of_what_it_decides
            a_later_edit_follows_a_decision_to_another_value
            keeping_theirs_sends_nothing
            a_row_being_sent_cannot_be_decided
            a_decision_survives_a_restart
            applying_a_page_twice_is_applying_it_once
            a_pull_before_the_answer_keeps_the_pending_value
            a_row_in_doubt_is_settled_by_the_feed
            a_received_row_is_drawn_until_the_base_contains_it
            a_read_from_the_start_drops_what_vanished
            a_page_of_another_session_changes_nothing
            forgetting_the_cursor_keeps_what_is_held
            what_was_received_is_listed_and_may_come_back
            the_list_is_found_filtered_sorted_and_grouped
            a_case_is_shown_with_what_is_pending
            what_belongs_to_a_case_is_drawn_over_what_the_server_said
            what_a_case_has_is_found_by_its_id
            a_notification_is_read_in_a_lane_of_its_own
            a_confirmed_row_goes_again_as_it_was
            a_conflict_about_the_revision_says_what_moved
            the_outbox_is_listed_for_programs_and_people
            lines_say_when_they_were_sent_and_are_tried_next
            a_conflict_says_who_changed_its_fields_and_when
            people_and_views_are_counted
            counts_equal_the_table_after_any_walk
        }
    };
    (@each $profile:expr; $($name:ident)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                let profile = ($profile)().await;
                $crate::testing::conformance::$name(&profile).await;
            }
        )*
    };
}

/// Opens a store with a session of version 1.
async fn open(profile: &dyn Profile) -> Arc<dyn Store> {
    let store = profile.open().await;
    store.set_session(StoredSession { version: 1, revoked: false, signed_in: true }).await.unwrap();
    store
}

/// Opens a store that holds the case 1, "Blocked drain".
async fn open_with_case(profile: &dyn Profile) -> Arc<dyn Store> {
    let store = open(profile).await;
    store.apply(page(vec![case_item(1, &a_case(1, "Blocked drain"), None)])).await.unwrap();
    store
}

/// Saves `payload` on the case `case` as the intent `number`.
async fn save(store: &dyn Store, number: u32, case: u32, payload: Payload) -> OutboxRow {
    store.accept(draft(number, super::build::case_id(case), payload)).await.unwrap().row
}

/// Takes one step that is legal.
async fn step(store: &dyn Store, row: &OutboxRow, event: DeliveryEvent, now: Timestamp) -> OutboxRow {
    let guard = Guard::State(store.row(row.command_id).await.unwrap().unwrap().delivery.name());
    store.step(row.command_id, guard, event, at(now)).await.unwrap().unwrap()
}

/// Claims every row that may go.
async fn claim_all(store: &dyn Store, now: Timestamp) -> Vec<OutboxRow> {
    store.claim(now, 100, false, &new_token).await.unwrap()
}

/// Brings a queued row to *sending*.
async fn send(store: &dyn Store, row: &OutboxRow) -> OutboxRow {
    let claim = Claim { epoch: store.owner().epoch, token: new_token() };
    step(store, row, DeliveryEvent::ClaimedBy { claim, now: START }, START).await;
    step(store, row, DeliveryEvent::SendMarked { now: START }, START).await
}

/// Brings a queued edit of the title into conflict.
async fn conflicting(store: &dyn Store, row: &OutboxRow) -> OutboxRow {
    send(store, row).await;
    let conflict = ConflictFound {
        current_revision: Some(2),
        current: serde_json::json!({"title": "Theirs"}),
        conflicting_fields: vec!["title".to_owned()],
    };
    step(store, row, DeliveryEvent::ConflictFound(conflict), START).await
}

fn new_token() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}

fn ids(rows: &[OutboxRow]) -> Vec<domain::CommandId> {
    rows.iter().map(|row| row.command_id).collect()
}
