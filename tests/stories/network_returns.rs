//! The network goes and returns while nobody presses anything.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::time::{Duration, Instant};

use domain::payload::{CaseCreate, NoteAdd};
use domain::{CaseField, CaseId, FieldValue, NoteId, Payload};
use engine::delivery::StateName;
use engine::engine::Intent;
use engine::view::Saved;
use onceover_tests::profile::Profile;
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::server::Server;
use onceover_tests::wait::until;
use uuid::Uuid;

async fn a_case(profile: &Profile) -> Saved {
    let fields = [
        (CaseField::Title, FieldValue::text("Leak on garage ceiling")),
        (CaseField::Kind, FieldValue::text("complaint")),
        (CaseField::Priority, FieldValue::text("high")),
    ];
    let create = CaseCreate { fields: fields.into_iter().collect(), status: None, external_id: None };
    save(profile, None, Payload::CaseCreate(create)).await
}

async fn a_note(profile: &Profile, case: CaseId) -> Saved {
    let note = NoteAdd { note_id: NoteId(Uuid::now_v7()), text: "Water at the north wall".to_owned() };
    save(profile, Some(case), Payload::NoteAdd(note)).await
}

async fn save(profile: &Profile, case_id: Option<CaseId>, payload: Payload) -> Saved {
    profile.engine().save(Intent { intent_id: Uuid::now_v7(), case_id, payload }).await.unwrap()
}

async fn until_acked(profile: &Profile, saved: Saved) {
    until("the change to be received", || async {
        let row = profile.engine().store().row(saved.command_id).await.unwrap().unwrap();
        (row.delivery.name() == StateName::Acked).then_some(())
    })
    .await;
}

/// CASES D5: the application is idle, the network returns → the drain starts within 5 s (the case's own figure).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_starts_by_itself_when_the_network_returns() {
    let server = Server::started(&[("mara", "officer")]);
    let proxy = Proxy::before(server.port(), |_, _| Fault::None).await;
    let profile = Profile::signed_in_delivering(&proxy.url(), "mara").await;
    let case = a_case(&profile).await;
    until_acked(&profile, case).await;

    proxy.set_down(true);
    let note = a_note(&profile, case.case_id).await;
    until("the engine to notice that it is offline", || async { profile.engine().ambient().offline.then_some(()) })
        .await;
    // Long enough that a back-off which grows with each failure would lie far beyond the figure.
    tokio::time::sleep(Duration::from_secs(20)).await;
    let before = proxy.requests();
    proxy.set_down(false);
    let returned = Instant::now();
    until("a request after the return", || async { (proxy.requests() > before).then_some(()) }).await;
    assert!(returned.elapsed() <= Duration::from_secs(5), "it took {:?}", returned.elapsed());
    until_acked(&profile, note).await;
    profile.client.close().await;
}

/// CASES D1: one 503 and then nothing happens → it is retried by the timer, with no action of the user.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_busy_answer_is_retried_by_the_timer() {
    const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nconnection: close\r\ncontent-length: 206\r\n\r\n{\"type\":\"urn:onceover:problem:temporarily-unavailable\",\"title\":\"Busy\",\"status\":503,\"detail\":\"The server is busy and changed nothing.....\",\"code\":\"temporarily-unavailable\",\"effect\":\"none\",\"retry\":\"same_key\"}";
    let server = Server::started(&[("mara", "officer")]);
    let once = std::sync::atomic::AtomicBool::new(true);
    let proxy = Proxy::before(server.port(), move |_, line| {
        let is_command = line.starts_with("POST /v1/commands");
        let busy = is_command && once.swap(false, std::sync::atomic::Ordering::SeqCst);
        if busy { Fault::Instead(BUSY) } else { Fault::None }
    })
    .await;
    let profile = Profile::signed_in_delivering(&proxy.url(), "mara").await;
    let case = a_case(&profile).await;
    until_acked(&profile, case).await;
    let events: Vec<String> =
        profile.engine().store().history(case.command_id).await.unwrap().into_iter().map(|entry| entry.event).collect();
    assert!(events.iter().any(|event| event == "not_applied"), "{events:?}");
    assert_eq!(server.effects().get(&case.command_id.to_string()), Some(&1));
    profile.client.close().await;
}
