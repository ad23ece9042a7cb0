//! The command line as it is written.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::{case, inspection, note, notice, notification, outbox, session, sync, tag, task, time};

/// Onceover on the command line: cases, the outbox and its delivery, without a window.
#[derive(Debug, Parser)]
#[command(name = "onceover", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// The profile's folder; without it, the one of this user.
    #[arg(long, global = true, env = "ONCEOVER_HOME", value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print one JSON document on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sign in; from then on this account is the one in use.
    SignIn(session::SignIn),
    /// Sign out. Changes that are not received stay, unless told otherwise.
    SignOut(session::SignOut),
    /// Cases.
    #[command(subcommand)]
    Case(case::CaseCommand),
    /// Notes on a case.
    #[command(subcommand)]
    Note(note::NoteCommand),
    /// Tags of a case.
    #[command(subcommand)]
    Tag(tag::TagCommand),
    /// Tasks on a case.
    #[command(subcommand)]
    Task(task::TaskCommand),
    /// Time worked on a case.
    #[command(subcommand)]
    Time(time::TimeCommand),
    /// Inspections of a case.
    #[command(subcommand)]
    Inspection(inspection::InspectionCommand),
    /// Notices issued on a case.
    #[command(subcommand)]
    Notice(notice::NoticeCommand),
    /// What others did with your cases.
    #[command(subcommand)]
    Notification(notification::NotificationCommand),
    /// Changes of this computer that the server has not received.
    #[command(subcommand)]
    Outbox(outbox::OutboxCommand),
    /// Send what can go and read what changed.
    Sync(sync::Sync),
    /// Who is signed in, and how much is open.
    Status,
    /// Look whether everything this program needs is in order.
    Doctor,
}
