//! `sync`: send what can go, read what changed, say what is left.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use domain::Timestamp;
use engine::engine::{Engine, SyncOptions, SyncReport, Trigger};
use engine::ports::Signals;
use engine::view::{Link, Signal, SyncStatus};
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
        }));
    } else {
        output::line(&format!("{} received, {} read, {} open", report.acked, report.pulled, report.open));
    }
    tell(&report);
    client.close().await;
    Ok(exit_of(&report))
}

/// What stands in the way, for a person.
fn tell(report: &SyncReport) {
    let needs = format!("{} changes need you; see onceover outbox list", report.needs_attention);
    for (holds, text) in [
        (report.sign_in_needed, "sign-in is needed; see onceover sign-in"),
        (report.unreachable, "the server does not answer"),
        (report.asks_to_wait, "the server asks to wait"),
        (report.timed_out, "time ran out"),
        (report.needs_attention > 0, &needs),
    ] {
        if holds {
            output::message(&format!("onceover: {text}"));
        }
    }
}

/// The code of what a sync left.
pub(super) fn exit_of(report: &SyncReport) -> Exit {
    [
        (report.sign_in_needed, Exit::SignIn),
        (report.unreachable || report.asks_to_wait, Exit::Unreachable),
        (report.timed_out, Exit::TimeRanOut),
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
        said = say_changes(&engine, &changed) => said?,
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

/// A line on standard error each time something visible changed.
async fn say_changes(engine: &Engine, changed: &Changed) -> Result<(), Failure> {
    let mut said = String::new();
    loop {
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
        report.timed_out = true;
        assert_eq!(exit_of(&report), Exit::TimeRanOut);
        report.asks_to_wait = true;
        assert_eq!(exit_of(&report), Exit::Unreachable);
        report.sign_in_needed = true;
        assert_eq!(exit_of(&report), Exit::SignIn);
    }
}
