//! Everything a network does to requests and answers, one kind a test, between the real command line and the real
//! server: what the officer sees meanwhile, that nothing is lost, that each attempt is one request, and that each change
//! takes effect once when it is over.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::time::Duration;

use onceover_tests::officer::{Meets, Officer, Shown, Syncing};
use onceover_tests::proxy::{At, Fault, Message};
use serde_json::{Value, json};
use wire::problem::{Code, Problem};

const NOT_OURS: Shown<'_> = ("unknown", None, "not-our-answer");
const CUT: Shown<'_> = ("unknown", None, "cut");
const TIMEOUT: Shown<'_> = ("unknown", None, "timeout");

/// An answer with this status line, these headers and this body, after which the connection is closed.
fn answer(status: &str, headers: &[&str], body: &str) -> Fault {
    let (headers, length) = (headers.join("\r\n"), body.len());
    Fault::Says(format!(
        "HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))
}

fn page(status: &str, headers: &[&str]) -> Fault {
    let headers = [&["content-type: text/html; charset=utf-8"], headers].concat();
    answer(status, &headers, "<!doctype html><title>Guest network</title><p>Accept the terms to go on.</p>")
}

/// Our server's own word that it is busy and changed nothing.
fn busy(code: Code, retry_after: Option<&str>) -> Fault {
    let problem = Problem::new(code, "Busy; nothing was changed.");
    let retry_after = retry_after.map(|value| format!("retry-after: {value}"));
    let mut headers = vec!["content-type: application/problem+json"];
    headers.extend(retry_after.as_deref());
    answer(&format!("{} Busy", problem.status), &headers, &serde_json::to_string(&problem).unwrap())
}

/// Breaks the answers about a note while it is sent, waits until the officer sees it in doubt, and mends them: the
/// same call goes on to its receipt by itself.
async fn in_doubt_then_received(officer: &mut Officer, fault: Fault, shown: Shown<'_>) {
    let note = officer.notes("Water at the north wall");
    officer.breaks(Meets::Outcomes, fault);
    let syncing = officer.syncing();
    let row = officer.until_shown(&note, shown).await;
    assert_eq!(row["resolution"], Value::Null);
    officer.mends();
    let said = syncing.ends();
    assert_eq!(said.code, Some(0), "{}", said.errors);
    assert_eq!(officer.shows(&note)["state"], "acked");
}

/// The same for an answer that somebody else gives: the call ends, and the whole sender with it; the next one goes on.
async fn not_ours_then_received(officer: &mut Officer, fault: Fault) {
    let (_, opening) = officer.opens("Fence, leaning");
    let (note, later) = (officer.notes("Water at the north wall"), officer.notes("And at the south wall"));
    officer.breaks(Meets::Commands, fault);
    let said = officer.syncs();
    assert_eq!(said.code, Some(69), "{}", said.errors);
    assert!(said.errors.contains("not an Onceover server"), "{}", said.errors);
    let rows = officer.cli().run(&["outbox", "list"]).json;
    let shown: Vec<_> = rows.as_array().unwrap().iter().map(|row| (&row["state"], &row["attempt"])).collect();
    let (doubt, waits) = ((&json!("unknown"), &json!(1)), (&json!("queued"), &json!(0)));
    assert_eq!(shown, [doubt, waits, waits], "the one that was sent is in doubt, nothing more was sent");
    officer.until_shown(&opening, NOT_OURS).await;
    officer.mends();
    let said = officer.syncs();
    assert_eq!(said.code, Some(0), "{}", said.errors);
    for command in [opening, note, later] {
        assert_eq!(officer.shows(&command)["state"], "acked");
    }
}

/// CASES C3, C4: nothing listens, at first for nobody, then from after the sign-in on: the change waits for the network,
/// surely not applied, however often it is tried.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_connection_applies_nothing() {
    let mut officer = Officer::at_work().await;
    let note = officer.notes("Water at the north wall");
    officer.proxy.unplug().await;
    for _ in 0..3 {
        let said = officer.syncs();
        assert_eq!(said.code, Some(69), "{}", said.errors);
        let row = officer.row(&note).unwrap();
        assert_eq!((&row["state"], &row["attempt"]), (&json!("queued"), &json!(0)), "{row}");
    }
    for attempt in 1..=3 {
        officer.proxy.plug_in().await;
        officer.breaks(Meets::Everything, Fault::ThenRefused);
        let said = officer.syncs();
        assert_eq!(said.code, Some(69), "{}", said.errors);
        let row = officer.until_shown(&note, ("retryable_failed", Some("network"), "unreachable")).await;
        assert_eq!(row["attempt"], attempt);
    }
    assert_eq!(officer.sent(&note), 0);
    officer.mends();
    officer.proxy.plug_in().await;
    assert_eq!(officer.syncs().code, Some(0));
    officer.assert_each_took_effect_once();
}

/// CASES A1, C3: the connection is reset before the first byte of the answer, in its status line, in its head, between
/// head and body, and in its body: in doubt each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_at_any_byte_of_the_answer_leaves_doubt() {
    let mut officer = Officer::at_work().await;
    for at in [At::Start(0), At::Start(7), At::Start(60), At::Body(0), At::Body(1), At::End(1)] {
        in_doubt_then_received(&mut officer, Fault::Reset(at), CUT).await;
    }
    officer.assert_each_took_effect_once();
}

/// CASES A2, A4: nothing comes back from a request that the server never saw, nor from one that it saw; and of a third,
/// a byte each 20 s, which is slower than the limit without a byte: each is in doubt after the attempt's own deadline.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_black_hole_and_a_slow_dribble_leave_doubt_after_the_deadline_of_the_attempt() {
    let faults = [
        Fault::Swallowed { reaches: false },
        Fault::Swallowed { reaches: true },
        Fault::Dribble { head: Duration::ZERO, body: Duration::from_secs(20) },
    ];
    let mut officers = Vec::new();
    for fault in faults {
        let mut officer = Officer::at_work().await;
        let note = officer.notes("Water at the north wall");
        officer.breaks(Meets::Commands, fault);
        officer.also_breaks(Meets::Outcomes, Fault::CutRequest);
        officers.push((officer.syncing(), note, officer));
    }
    let [first, second, third] = &officers[..] else { panic!("three officers") };
    tokio::join!(until_timeout(first), until_timeout(second), until_timeout(third));
    for (syncing, note, officer) in officers {
        let said = syncing.ends();
        assert_eq!(said.code, Some(0), "{}", said.errors);
        let history = officer.shows(&note)["history"].clone();
        let waited_ms = first_at(&history, "outcome_unknown") - first_at(&history, "send_marked");
        assert!(waited_ms >= 14_000, "the deadline is the attempt's own: {waited_ms} ms");
        officer.assert_each_took_effect_once();
    }
}

async fn until_timeout((_, note, officer): &(Syncing, String, Officer)) {
    officer.until_shown(note, TIMEOUT).await;
    officer.mends();
}

/// A black hole that is deeper than the time of the whole call: the call ends in time, the change is in doubt, and says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_black_hole_does_not_hold_the_call_beyond_its_time() {
    let mut officer = Officer::at_work().await;
    let note = officer.notes("Water at the north wall");
    officer.breaks(Meets::Outcomes, Fault::Swallowed { reaches: true });
    // A machine that has much else to do may not come to send it within the first call.
    while officer.sent(&note) == 0 {
        assert_eq!(officer.cli().run(&["sync", "--timeout-s", "2"]).code, Some(3));
    }
    officer.until_shown(&note, CUT).await;
    officer.mends();
    assert_eq!(officer.syncs().code, Some(0));
    // Of a call that ended between mark and connection there is an attempt without a request; there is never a second one.
    let row = officer.shows(&note);
    assert!(row["attempt"].as_u64().is_some_and(|attempt| officer.sent(&note) as u64 <= attempt), "{row}");
    assert_eq!((&row["state"], officer.server.effects().get(&note)), (&json!("acked"), Some(&1)));
}

/// An answer that comes byte by byte, but comes, is one: nothing is sent twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dribble_faster_than_the_limit_is_an_answer() {
    let mut officer = Officer::at_work().await;
    let note = officer.notes("Water at the north wall");
    let pause = Duration::from_millis(1);
    officer.breaks(Meets::Commands, Fault::Dribble { head: pause, body: pause });
    let said = officer.syncs();
    assert_eq!(said.code, Some(0), "{}", said.errors);
    assert_eq!((&officer.shows(&note)["attempt"], officer.sent(&note)), (&json!(1), 1));
    officer.assert_each_took_effect_once();
}

/// CASES A1: the server commits and the answer is cut before its first byte; a request that was cut before the server saw
/// it looks the same. A status change, which is never sent again
/// while in doubt, is asked about: it left once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_after_the_commit_is_asked_about() {
    let mut officer = Officer::at_work().await;
    in_doubt_then_received(&mut officer, Fault::CutAnswer, CUT).await;
    in_doubt_then_received(&mut officer, Fault::CutRequest, CUT).await;
    let change = officer.reviews();
    officer.breaks(Meets::Outcomes, Fault::CutAnswer);
    let syncing = officer.syncing();
    officer.until_shown(&change, CUT).await;
    officer.mends();
    assert_eq!(syncing.ends().code, Some(0));
    assert_eq!((officer.sent(&change), &officer.shows(&change)["attempt"]), (1, &json!(1)));
    officer.assert_each_took_effect_once();
}

/// CASES C3: half of the body. With the length of the whole it is a cut connection; with its own it is whole HTTP and no
/// answer of ours.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_truncated_body_leaves_doubt() {
    let mut officer = Officer::at_work().await;
    in_doubt_then_received(&mut officer, Fault::Altered(half), CUT).await;
    not_ours_then_received(&mut officer, Fault::Altered(half_with_its_own_length)).await;
    officer.assert_each_took_effect_once();
}

fn half(mut answer: Message) -> Vec<u8> {
    answer.body.truncate(answer.body.len() / 2);
    answer.bytes()
}

fn half_with_its_own_length(mut answer: Message) -> Vec<u8> {
    answer.body.truncate(answer.body.len() / 2);
    let length = format!("content-length: {}", answer.body.len());
    answer.with_header("content-length", Some(&length)).bytes()
}

/// A length that is too large, that is none, or that is two is a broken answer; one that is too small leaves half a receipt.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_length_leaves_doubt() {
    let mut officer = Officer::at_work().await;
    let broken: [fn(Message) -> Vec<u8>; 3] = [
        |answer| answer.with_header("content-length", Some("content-length: 100000")).bytes(),
        |answer| answer.with_header("content-length", Some("content-length: many")).bytes(),
        |answer| answer.with_header("content-length", Some("content-length: 20\r\ncontent-length: 30")).bytes(),
    ];
    for altered in broken {
        in_doubt_then_received(&mut officer, Fault::Altered(altered), CUT).await;
    }
    let too_small = |answer: Message| answer.with_header("content-length", Some("content-length: 20")).bytes();
    not_ours_then_received(&mut officer, Fault::Altered(too_small)).await;
    officer.assert_each_took_effect_once();
}

/// The server's own receipt under another type, or under none, is no receipt: something on the way rewrites answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_content_type_is_no_receipt() {
    let mut officer = Officer::at_work().await;
    let altered: [fn(Message) -> Vec<u8>; 3] = [
        |answer| answer.with_header("content-type", Some("content-type: text/html")).bytes(),
        |answer| answer.with_header("content-type", Some("content-type: application/problem+json")).bytes(),
        |answer| answer.with_header("content-type", None).bytes(),
    ];
    for altered in altered {
        not_ours_then_received(&mut officer, Fault::Altered(altered)).await;
    }
    officer.assert_each_took_effect_once();
}

/// CASES C12: a captive portal. Its page in place of a receipt puts the one that was sent in doubt and stops the sender;
/// its page in place of everything lets nothing leave; nothing it says is followed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_captive_portal_stops_the_sender() {
    let mut officer = Officer::at_work().await;
    let portals = [
        page("200 OK", &[]),
        page("302 Found", &["location: http://127.0.0.1:1/sign-in"]),
        page("511 Network Authentication Required", &[]),
    ];
    for portal in portals {
        not_ours_then_received(&mut officer, portal.clone()).await;
        let note = officer.notes("Nobody at home");
        officer.breaks(Meets::Everything, portal);
        let said = officer.syncs();
        assert_eq!(said.code, Some(69), "{}", said.errors);
        let row = officer.row(&note).unwrap();
        assert_eq!((&row["state"], &row["attempt"]), (&json!("queued"), &json!(0)), "{row}");
        assert_eq!(officer.cli().run(&["status"]).json["server_reachable"], false);
        officer.mends();
        assert_eq!(officer.syncs().code, Some(0));
    }
    officer.assert_each_took_effect_once();
}

/// CASES E1, C3: a gateway's page says that the server is behind it: the change is in doubt, and others go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateways_page_leaves_doubt_and_others_go_on() {
    let mut officer = Officer::at_work().await;
    for status in ["503 Service Unavailable", "520 Unknown Error"] {
        in_doubt_then_received(&mut officer, page(status, &["retry-after: 3600"]), NOT_OURS).await;
    }
    let (first, (_, other)) = (officer.notes("Water at the north wall"), officer.opens("Fence, leaning"));
    officer.breaks(Meets::Commands, page("502 Bad Gateway", &[]));
    let syncing = officer.syncing();
    officer.until_shown(&first, NOT_OURS).await;
    officer.until_shown(&other, NOT_OURS).await;
    officer.mends();
    assert_eq!(syncing.ends().code, Some(0));
    officer.assert_each_took_effect_once();
}

/// CASES D1: our server is busy and says until when, or not, or nonsense: the change was surely not applied and waits for
/// time; the wish is honoured from below, and no longer than is sensible from above.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_server_is_given_the_time_it_asks_for() {
    const SECOND_MS: i64 = 1_000;
    let mut officer = Officer::at_work().await;
    for code in [Code::RateLimited, Code::TemporarilyUnavailable] {
        for (retry_after, least_ms) in [(Some("2"), 2 * SECOND_MS), (None, 0), (Some("-5"), 0)] {
            let note = officer.notes("Water at the north wall");
            officer.breaks(Meets::Commands, busy(code, retry_after));
            let syncing = officer.syncing();
            let row = officer.until_shown(&note, ("retryable_failed", Some("time"), code.name())).await;
            let wait_ms = wait_ms(&row);
            assert!((least_ms..=60 * SECOND_MS).contains(&wait_ms), "{retry_after:?}: {row}");
            officer.mends();
            let said = syncing.ends();
            assert_eq!(said.code, Some(0), "{}", said.errors);
            let history = officer.shows(&note)["history"].clone();
            let (failed_at, sent_at) = (last_at(&history, "not_applied"), last_at(&history, "send_marked"));
            assert!(sent_at - failed_at >= least_ms, "{retry_after:?}: {history}");
        }
    }
    officer.assert_each_took_effect_once();
}

/// A wish of years is an hour; no call overrides it by itself, and none waits it out; a person who says so does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wish_to_wait_for_years_is_an_hour() {
    let mut officer = Officer::at_work().await;
    for (code, retry_after) in [
        (Code::RateLimited, "99999999999999999999999"),
        (Code::TemporarilyUnavailable, "31536000"),
        (Code::TemporarilyUnavailable, "Fri, 01 Jan 2100 00:00:00 GMT"),
    ] {
        let note = officer.notes("Water at the north wall");
        officer.breaks(Meets::Commands, busy(code, Some(retry_after)));
        let said = officer.syncs();
        assert_eq!(said.code, Some(69), "{retry_after}: {}", said.errors);
        assert!(said.errors.contains("the server asks to wait"), "{}", said.errors);
        let row = officer.until_shown(&note, ("retryable_failed", Some("time"), code.name())).await;
        assert_eq!(wait_ms(&row), 3_600_000, "{retry_after}: {row}");
        officer.mends();
        assert_eq!(officer.syncs().code, Some(69), "a call does not override it");
        assert_eq!((officer.row(&note).unwrap()["attempt"].clone(), officer.sent(&note)), (json!(1), 1));
        let retried = officer.cli().run(&["outbox", "retry", &note]);
        assert_eq!((retried.code, &retried.json["state"]), (Some(0), &json!("acked")), "{}", retried.errors);
    }
    officer.assert_each_took_effect_once();
}

/// From the failure to the next try.
fn wait_ms(row: &Value) -> i64 {
    row["next_attempt_at_ms"].as_i64().unwrap() - row["last_error"]["at_ms"].as_i64().unwrap()
}

fn first_at(history: &Value, event: &str) -> i64 {
    let found = history.as_array().unwrap().iter().find(|entry| entry["event"] == event);
    found.unwrap_or_else(|| panic!("{event} in {history}"))["at_ms"].as_i64().unwrap()
}

fn last_at(history: &Value, event: &str) -> i64 {
    let found = history.as_array().unwrap().iter().rev().find(|entry| entry["event"] == event);
    found.unwrap_or_else(|| panic!("{event} in {history}"))["at_ms"].as_i64().unwrap()
}

/// CASES A13: each request, the one for a new token too, arrives twice at the same time over two connections: one effect,
/// and a repetition that says what the first said.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doubled_request_has_one_effect() {
    let mut officer = Officer::at_work().await;
    officer.breaks(Meets::Everything, Fault::Doubled);
    let notes: Vec<String> = (0..5).map(|number| officer.notes(&format!("Visit {number}"))).collect();
    let said = officer.syncs();
    assert_eq!(said.code, Some(0), "{}", said.errors);
    officer.mends();
    officer.assert_each_took_effect_once();
    let audit = officer.server.audit();
    for note in &notes {
        let repeats = audit.iter().filter(|row| row["command_id"] == note.as_str());
        assert!(repeats.clone().any(|row| row["result"] == "duplicate_returned"), "{:?}", repeats.collect::<Vec<_>>());
    }
}

/// CASES A4, E10: what was sent is held up on the way; meanwhile the change is in doubt, a later one of its lane waits,
/// and the client sends again. Then the delayed requests arrive, the last one first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_arrive_late_and_in_another_order_change_nothing() {
    let mut officer = Officer::at_work().await;
    let (case, (other, _)) = (officer.case.clone(), officer.opens("Fence, leaning"));
    assert_eq!(officer.syncs().code, Some(0));
    let (first, second) = (officer.retitles(&case, "Leak"), officer.retitles(&case, "Leak, large"));
    let elsewhere = officer.retitles(&other, "Fence");
    officer.breaks(Meets::Outcomes, Fault::Kept);
    let syncing = officer.syncing();
    officer.until_shown(&first, CUT).await;
    officer.until_shown(&elsewhere, CUT).await;
    let waits = officer.row(&second).unwrap();
    assert_eq!((&waits["state"], &waits["blocked_by"], officer.sent(&second)), (&json!("queued"), &json!(first), 0));
    officer.mends();
    assert_eq!(syncing.ends().code, Some(0));
    let answers = officer.proxy.deliver_kept().await;
    let repeats = answers.iter().filter(|answer| answer.header(wire::REPLAYED_HEADER) == Some("true"));
    assert!(repeats.count() >= 2, "{:?}", answers.iter().map(Message::line).collect::<Vec<_>>());
    assert_eq!(officer.syncs().code, Some(0));
    assert_eq!(officer.cli().run(&["case", "show", &case]).json["case"]["title"], "Leak, large");
    officer.assert_each_took_effect_once();
}

/// CASES A13's neighbour: the delayed requests arrive first, in the other order, and the client asks afterwards: it hears
/// that they took effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_arrive_after_their_connection_was_cut_count() {
    let mut officer = Officer::at_work().await;
    let (change, (_, opening)) = (officer.reviews(), officer.opens("Fence, leaning"));
    officer.breaks(Meets::Outcomes, Fault::Kept);
    let syncing = officer.syncing();
    officer.until_shown(&change, CUT).await;
    officer.until_shown(&opening, CUT).await;
    assert_eq!(officer.server.effects().get(&change), None);
    let answers = officer.proxy.deliver_kept().await;
    assert!(answers.iter().any(|answer| answer.line().contains(" 201 ")), "{answers:?}");
    officer.mends();
    assert_eq!(syncing.ends().code, Some(0));
    assert_eq!(officer.sent(&change), 1, "it was asked about, not sent again");
    officer.assert_each_took_effect_once();
}

/// A copy of an edit arrives long after a later edit: the later one stands.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_copy_does_not_undo_a_later_edit() {
    let mut officer = Officer::at_work().await;
    let case = officer.case.clone();
    for title in ["Leak, large", "Leak on garage ceiling", "Leak, small"] {
        officer.retitles(&case, title);
        officer.breaks(Meets::Commands, Fault::Copied);
        assert_eq!(officer.syncs().code, Some(0));
    }
    officer.mends();
    let answers = officer.proxy.deliver_kept().await;
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert_eq!(answer.header(wire::REPLAYED_HEADER), Some("true"), "{}", answer.line());
    }
    assert_eq!(officer.syncs().code, Some(0));
    assert_eq!(officer.cli().run(&["case", "show", &case]).json["case"]["title"], "Leak, small");
    officer.assert_each_took_effect_once();
}
