//! `sync`: send what can go, read what changed, say what is left.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use client::Client;
use domain::Timestamp;
use engine::engine::{Engine, EngineError, SyncOptions, SyncReport, Trigger};
use engine::ports::Signals;
use engine::view::{Link, SessionPhase, Signal, SyncStatus};
use serde_json::json;
use tokio::sync::Notify;

use crate::exit::{Exit, Failure};
use crate::output;
use crate::profile::Profile;

/// How long a call without `--watch` may take.
const TIMEOUT_S: u64 = 60;

/// `sync`.
#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Go on until interrupted.
    #[arg(long)]
    watch: bool,
    /// End after this many seconds; without --watch, 60.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400 * 365))]
    timeout_s: Option<u64>,
}

pub(crate) async fn run(profile: &Profile, command: Sync) -> Result<Exit, Failure> {
    if command.watch { watch(profile, command.timeout_s).await } else { once(profile, command.timeout_s).await }
}

async fn once(profile: &Profile, timeout_s: Option<u64>) -> Result<Exit, Failure> {
    let client = profile.writing().await?;
    let deadline_ms = i64::try_from(timeout_s.unwrap_or(TIMEOUT_S).saturating_mul(1_000)).unwrap_or(i64::MAX);
    let report = client.engine()?.sync_once(SyncOptions { deadline_ms, ignore_backoff: true }).await?;
    if profile.json {
        output::document(&json!({
            "sent": report.sent,
            "acked": report.acked,
            "pulled": report.pulled,
            "open": report.open,
            "needs_attention": report.needs_attention,
            "unreachable": report.unreachable,
            "asks_to_wait": report.asks_to_wait,
            "sign_in_needed": report.sign_in_needed,
            "timed_out": report.timed_out,
            "waits_until": report.waits_until,
        }));
    } else {
        output::line(&format!("{} received, {} read, {} open", report.acked, report.pulled, report.open));
    }
    for text in reasons(&report, Timestamp(jiff::Timestamp::now().as_millisecond())) {
        output::message(&format!("onceover: {text}"));
    }
    client.close().await;
    Ok(exit_of(&report))
}

/// What stands in the way, for a person.
fn reasons(report: &SyncReport, now: Timestamp) -> Vec<String> {
    let next = report.waits_until.map(|until| (until.0 - now.0).max(0).saturating_add(999) / 1_000);
    let next = next.map(|seconds| format!("the next try is due in {seconds} s"));
    let mut reasons = Vec::new();
    if report.sign_in_needed {
        reasons.push("sign-in is needed; see onceover sign-in".to_owned());
    }
    if report.unreachable {
        let failure = report.failure.clone().unwrap_or(match report.link {
            Link::NotOurServer => EngineError::NotOurServer,
            Link::Unknown | Link::Online | Link::Offline => EngineError::Unreachable,
        });
        reasons.push(failure.to_string());
    }
    match (report.asks_to_wait, next) {
        (true, Some(next)) => reasons.push(format!("the server asks to wait; {next}")),
        (true, None) => reasons.push("the server asks to wait".to_owned()),
        (false, Some(next)) => reasons.push(format!("{next}, which is later than this call may take")),
        (false, None) => {}
    }
    if report.timed_out {
        reasons.push("time ran out".to_owned());
    }
    if report.needs_attention > 0 {
        reasons.push(format!("{} changes need you; see onceover outbox list", report.needs_attention));
    }
    reasons
}

/// The code of what a sync left.
pub(super) fn exit_of(report: &SyncReport) -> Exit {
    [
        (report.sign_in_needed, Exit::SignIn),
        (report.unreachable || report.asks_to_wait, Exit::Unreachable),
        (report.timed_out || report.waits_until.is_some(), Exit::TimeRanOut),
        (report.needs_attention > 0, Exit::NeedsPerson),
    ]
    .into_iter()
    .filter_map(|(holds, exit)| holds.then_some(exit))
    .min()
    .unwrap_or(Exit::Done)
}

/// Wakes the line that is printed.
struct Changed(Notify);

impl Signals for Changed {
    fn emit(&self, _: Signal) {
        self.0.notify_one();
    }
}

async fn watch(profile: &Profile, timeout_s: Option<u64>) -> Result<Exit, Failure> {
    let changed = Arc::new(Changed(Notify::new()));
    let client = profile.writing_with(Arc::clone(&changed) as Arc<dyn Signals>).await?;
    let engine = client.engine()?;
    let delivery = tokio::spawn(Arc::clone(&engine).run());
    engine.nudge(Trigger::TryNow);
    let time_is_up = async {
        match timeout_s {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        said = say_changes(&client, &engine, &changed) => said?,
        () = time_is_up => {}
        () = interrupted() => {}
    }
    let status = engine.sync_status(Timestamp(0)).await?;
    engine.stop().await;
    let _ = delivery.await;
    if profile.json {
        output::document(&status.counts);
    }
    let (sign_in_needed, open) = (engine.ambient().sign_in_needed, status.counts.open);
    client.close().await;
    Ok(exit_of(&SyncReport {
        sign_in_needed,
        unreachable: open > 0 && matches!(status.link, Link::Offline | Link::NotOurServer),
        timed_out: open > 0,
        needs_attention: status.counts.needs_attention,
        ..SyncReport::default()
    }))
}

/// A line on standard error each time something visible changed, until nothing can change any more: nobody else can
/// sign in while this process owns the profile.
async fn say_changes(client: &Client, engine: &Engine, changed: &Changed) -> Result<(), Failure> {
    let mut said = String::new();
    loop {
        if engine.ambient().sign_in_needed {
            let is_revoked = client.session().await?.phase == SessionPhase::Revoked;
            let why = if is_revoked { "the server ended this account's sessions" } else { "sign-in is needed" };
            output::message(&format!("onceover: {why}; see onceover sign-in"));
            return Ok(());
        }
        let line = line_of(&engine.sync_status(Timestamp(0)).await?);
        if line != said {
            output::message(&line);
            said = line;
        }
        changed.0.notified().await;
    }
}

fn line_of(status: &SyncStatus) -> String {
    let counts = &status.counts;
    format!("{}: {} open, {} need you", output::name_of(&status.link), counts.open, counts.needs_attention)
}

async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_several_hold_the_first_of_the_contract_is_the_code() {
        let mut report = SyncReport { needs_attention: 1, ..SyncReport::default() };
        assert_eq!(exit_of(&SyncReport::default()), Exit::Done);
        assert_eq!(exit_of(&report), Exit::NeedsPerson);
        report.waits_until = Some(Timestamp(9_000));
        assert_eq!(exit_of(&report), Exit::TimeRanOut);
        (report.waits_until, report.timed_out) = (None, true);
        assert_eq!(exit_of(&report), Exit::TimeRanOut);
        report.asks_to_wait = true;
        assert_eq!(exit_of(&report), Exit::Unreachable);
        report.sign_in_needed = true;
        assert_eq!(exit_of(&report), Exit::SignIn);
    }

    #[test]
    fn the_reasons_say_what_it_waits_for_and_what_answered() {
        let said = |report: SyncReport| reasons(&report, Timestamp(1_000)).join("; ");
        let report = SyncReport { waits_until: Some(Timestamp(78_001)), ..SyncReport::default() };
        assert_eq!(said(report.clone()), "the next try is due in 78 s, which is later than this call may take");
        let report = SyncReport { asks_to_wait: true, ..report };
        assert_eq!(said(report), "the server asks to wait; the next try is due in 78 s");
        let report = SyncReport { unreachable: true, link: Link::NotOurServer, ..SyncReport::default() };
        assert_eq!(said(report.clone()), "what answers there is not an Onceover server");
        let report = SyncReport { failure: Some(EngineError::Tls), timed_out: true, ..report };
        assert_eq!(said(report), "the server's certificate is not trusted; time ran out");
    }
}
