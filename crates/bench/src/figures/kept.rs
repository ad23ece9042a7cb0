//! How many bytes of the database a case and a command take, for the capacity model.

use anyhow::Result;

use crate::bench::Bench;
use crate::cases;
use crate::figure::Figure;
use crate::figures::work::{CONNECTIONS, Office, Store, TENANT};
use crate::load::count;

const CASES: usize = 10_000;
const COMMANDS: usize = 20_000;

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let folder = bench.folder(&format!("{}-kept", store.name()))?;
    let server = store.server(bench, &folder)?;
    server.add_tenant(TENANT)?;
    let empty = server.bytes(bench)?;
    server.import(TENANT, &bench.map, &cases::first(&bench.cases, CASES, &folder)?)?;
    let with_cases = server.bytes(bench)?;
    let office = Office::open_again(&server)?;
    office.send(office.commands(COMMANDS), CONNECTIONS)?;
    office.process.stop();
    let with_commands = server.bytes(bench)?;
    let each = |more: u64, less: u64, number: usize| {
        count(usize::try_from(more.saturating_sub(less)).unwrap_or(usize::MAX)) / count(number)
    };
    let case = each(with_cases, empty, CASES);
    let command = each(with_commands, with_cases, COMMANDS);
    let of_case = "Bytes of the database per case.create of a made-up case, its receipt, activity and audit with it";
    let of_command = "Bytes of the database per note.add with 1 KB of text, its receipt, activity and audit with it";
    Ok(vec![
        Figure::told(store, "bytes_per_case", of_case, case, "bytes"),
        Figure::told(store, "bytes_per_command", of_command, command, "bytes"),
    ])
}
