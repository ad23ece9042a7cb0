//! The outbox: rows, their steps, what a person decides, and how they are listed.

mod accept;
mod decide;
mod deliver;
mod list;
mod read;
mod row;
mod write;

pub(super) use accept::accept;
pub(super) use decide::{Outcome as DecideOutcome, decide};
pub(super) use deliver::{
    Wanted, claim, find_lost_content, in_doubt, next_due, project, received_after, recover, release, settle, step,
};
pub(super) use list::{counts, detail, history, outbox, page};
pub(super) use read::{by_command, lane, lanes, makers, sent_times};
pub(super) use row::Columns;
pub(super) use write::insert;
