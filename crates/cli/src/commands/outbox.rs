//! `outbox`: what this computer has not got through yet, and what a person can do about it.

use clap::{Args, Subcommand};
use client::Client;
use domain::CommandId;
use engine::delivery::StateName;
use engine::engine::{Engine, SyncOptions};
use engine::ports::OutboxFilter;
use engine::view::{AskAnswer, ConflictDecision, OutboxDetail, OutboxRowView, Side};
use serde_json::json;

use super::fields::{Setting, values_by_name};
use super::save::print_saved;
use super::sync;
use crate::exit::{Exit, Failure};
use crate::output::{self, name_of, tame};
use crate::profile::Profile;

/// How long `outbox retry` and `outbox confirm` may take.
const RETRY_MS_MAX: i64 = 60_000;

/// `outbox …`.
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxCommand {
    /// List changes that are not received.
    List {
        /// Only changes in this state.
        #[arg(long, value_name = "STATE", value_parser = state)]
        state: Vec<StateName>,
        /// Also those that are received or decided.
        #[arg(long)]
        all: bool,
    },
    /// Show one change with its payload and what happened to it.
    Show {
        /// Its number.
        command_id: CommandId,
    },
    /// Send one now, whatever it waits for.
    Retry {
        /// Its number.
        command_id: CommandId,
    },
    /// Say again that one is meant that has become old, such as a notice of yesterday, and send it.
    Confirm {
        /// Its number.
        command_id: CommandId,
    },
    /// Ask the server what became of one.
    Reconcile {
        /// Its number.
        command_id: CommandId,
    },
    /// Make sure the server never applies one, unless it has.
    Seal {
        /// Its number.
        command_id: CommandId,
    },
    /// Never send one, nor what builds on it.
    Discard {
        /// Its number.
        command_id: CommandId,
        /// Really discard, even if it is in doubt and the server does not answer.
        #[arg(long)]
        yes: bool,
    },
    /// Decide a conflict.
    Resolve(Resolve),
}

/// `outbox resolve`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("decision").required(true).multiple(false))]
pub(crate) struct Resolve {
    /// Its number.
    command_id: CommandId,
    /// One side as a whole.
    #[arg(long, group = "decision", value_name = "SIDE", value_parser = side)]
    keep: Option<Side>,
    /// Field by field; what is not named stays mine where nobody else changed it, else theirs.
    #[arg(long, group = "decision", value_name = "FIELD=VALUE")]
    set: Vec<Setting>,
}

fn state(name: &str) -> Result<StateName, String> {
    serde_json::from_value(json!(name)).map_err(|_| {
        "the states are queued, claimed, sending, retryable_failed, unknown, conflict, rejected, acked".to_owned()
    })
}

fn side(name: &str) -> Result<Side, String> {
    serde_json::from_value(json!(name)).map_err(|_| "the sides are mine and theirs".to_owned())
}

pub(crate) async fn run(profile: &Profile, command: OutboxCommand) -> Result<Exit, Failure> {
    match command {
        OutboxCommand::List { state, all } => list(profile, OutboxFilter { states: state, all }).await,
        OutboxCommand::Show { command_id } => show(profile, command_id).await,
        OutboxCommand::Retry { command_id } => {
            let client = profile.writing().await?;
            client.engine()?.retry(command_id).await?;
            send_now(profile, &client, command_id).await
        }
        OutboxCommand::Confirm { command_id } => {
            let client = profile.writing().await?;
            client.engine()?.confirm(command_id).await?;
            send_now(profile, &client, command_id).await
        }
        OutboxCommand::Reconcile { command_id } => {
            let client = profile.writing().await?;
            let answer = client.engine()?.ask(command_id).await?;
            report_answer(profile, &client, command_id, answer).await
        }
        OutboxCommand::Seal { command_id } => {
            let client = profile.writing().await?;
            let answer = client.engine()?.seal(command_id).await?;
            report_answer(profile, &client, command_id, answer).await
        }
        OutboxCommand::Discard { command_id, yes } => discard(profile, command_id, yes).await,
        OutboxCommand::Resolve(resolve) => decide(profile, resolve).await,
    }
}

async fn list(profile: &Profile, filter: OutboxFilter) -> Result<Exit, Failure> {
    let engine = profile.reading().await?.engine()?;
    let rows = engine.store().outbox(filter).await?;
    if profile.json {
        output::document(&rows);
    } else {
        output::table(&rows.iter().map(line_of).collect::<Vec<_>>());
        output::message(&format!("{} changes", rows.len()));
    }
    Ok(Exit::Done)
}

fn line_of(row: &OutboxRowView) -> Vec<String> {
    let why = row.last_error.as_ref().map(|error| error.code.clone()).unwrap_or_default();
    let hold = row.hold.as_ref().map(name_of).unwrap_or_default();
    vec![row.command_id.to_string(), row.operation.name().to_owned(), name_of(&row.state), hold, tame(&why)]
}

async fn detail_of(engine: &Engine, command: CommandId) -> Result<OutboxDetail, Failure> {
    let detail = engine.store().outbox_detail(command, engine.ambient()).await?;
    detail.ok_or_else(|| Failure::bad_data(format!("change {command} is not known on this computer")))
}

async fn show(profile: &Profile, command: CommandId) -> Result<Exit, Failure> {
    let engine = profile.reading().await?.engine()?;
    let detail = detail_of(&engine, command).await?;
    if profile.json {
        output::document(&detail);
        return Ok(Exit::Done);
    }
    output::table(&[line_of(&detail.row)]);
    for entry in &detail.history {
        let at = domain::Timestamp(entry.at_ms);
        let code = entry.code.as_deref().map(|code| format!(" ({})", tame(code))).unwrap_or_default();
        output::line(&format!("{at}  {} -> {}{code}", entry.event, name_of(&entry.to)));
    }
    if let Some(conflict) = &detail.conflict {
        let known = |revision: Option<u32>| revision.map_or_else(|| "not known".to_owned(), |it| it.to_string());
        let (base, theirs) = (known(conflict.base_revision), known(conflict.their_revision));
        output::line(&format!("revision seen: {base}, at the server: {theirs}"));
        for (side, values) in [("base", &conflict.base), ("mine", &conflict.mine), ("theirs", &conflict.theirs)] {
            output::line(&format!("{side}: {}", tame(&values.to_string())));
        }
    }
    Ok(Exit::Done)
}

/// Sends what may go now, after a change was put back.
async fn send_now(profile: &Profile, client: &Client, command: CommandId) -> Result<Exit, Failure> {
    let engine = client.engine()?;
    let synced = engine.sync_once(SyncOptions { deadline_ms: RETRY_MS_MAX, ignore_backoff: false }).await?;
    let row = detail_of(&engine, command).await?.row;
    if profile.json {
        output::document(&row);
    } else {
        output::table(&[line_of(&row)]);
    }
    client.close().await;
    let is_over = row.resolution.is_some() || row.state == StateName::Acked;
    Ok(if is_over { Exit::Done } else { exit_of(&row).min(sync::exit_of(&synced)) })
}

/// What a row's standing means after something was tried with it.
fn exit_of(row: &OutboxRowView) -> Exit {
    use engine::delivery::Hold;
    if row.resolution.is_some() || row.state == StateName::Acked {
        return Exit::Done;
    }
    match (row.state, row.hold) {
        (_, Some(Hold::Login)) => Exit::SignIn,
        (StateName::Conflict | StateName::Rejected, _)
        | (_, Some(Hold::Grant | Hold::Confirmation | Hold::Quarantined | Hold::Person)) => Exit::NeedsPerson,
        (_, Some(Hold::Network | Hold::Time)) | (StateName::Unknown, _) => Exit::Unreachable,
        _ => Exit::Done,
    }
}

async fn report_answer(
    profile: &Profile,
    client: &Client,
    command: CommandId,
    answer: AskAnswer,
) -> Result<Exit, Failure> {
    let detail = detail_of(client.engine()?.as_ref(), command).await?;
    let (answered, state) = (name_of(&answer), name_of(&detail.row.state));
    if profile.json {
        output::document(&json!({ "command_id": command, "answer": answer, "state": detail.row.state }));
    } else {
        output::line(&format!("The server's answer: {answered}; the change is now {state}"));
    }
    client.close().await;
    Ok(match answer {
        AskAnswer::NoAnswer => Exit::Unreachable,
        AskAnswer::Expired => Exit::NeedsPerson,
        AskAnswer::Processing => Exit::TimeRanOut,
        AskAnswer::Failed | AskAnswer::Committed | AskAnswer::NotSeen => exit_of(&detail.row),
    })
}

async fn discard(profile: &Profile, command: CommandId, yes: bool) -> Result<Exit, Failure> {
    if !yes {
        return Err(Failure::usage("nothing was discarded; say --yes to discard the change and what builds on it"));
    }
    let client = profile.writing().await?;
    let discarded = client.engine()?.discard(command, true).await?;
    if profile.json {
        output::document(&discarded);
    } else {
        output::line(&match discarded.discarded {
            0 => "Nothing was discarded: the server had applied it already".to_owned(),
            count => format!("Discarded: {count}"),
        });
    }
    client.close().await;
    Ok(Exit::Done)
}

async fn decide(profile: &Profile, resolve: Resolve) -> Result<Exit, Failure> {
    let decision = match resolve.keep {
        Some(side) => ConflictDecision::Keep { side },
        None => ConflictDecision::Fields { values: values_by_name(&resolve.set)? },
    };
    let client = profile.writing().await?;
    let engine = client.engine()?;
    let case_id = detail_of(&engine, resolve.command_id).await?.row.target.id;
    match engine.resolve(resolve.command_id, decision).await? {
        Some(saved) => print_saved(profile, &engine, &saved).await,
        None if profile.json => {
            output::document(&json!({ "case_id": case_id, "command_id": null, "state": "resolved" }));
        }
        None => output::line("Decided; nothing has to be sent"),
    }
    client.close().await;
    Ok(Exit::Done)
}
