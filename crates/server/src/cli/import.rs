//! `import`: takes cases over from another system's file.
//!
//! Rows become the same commands that officers send, in the same transaction for a case and its note, so an
//! import that dies leaves whole cases and can be run again: what is there already, by external id, is left alone.

mod map;
mod rows;

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use domain::{ActorId, CommandId, EntityId, NoteId, Operation, Payload, Role, TenantId, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{IdempotencyKey, Problem, Target};

use crate::cli::database::Database;
use crate::cli::import::map::{ImportMap, MappedRow};
use crate::cli::import::rows::Row;
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::command::{Attempt, Sender};
use crate::password;
use crate::storage::{AdminError, NewUser, Storage};

/// Rows in one transaction: small, since a server may be waiting to write.
const ROWS_AT_ONCE: usize = 50;
/// Who imported cases are by. Nobody signs in as this.
const IMPORTER: &str = "onceover-import";

/// `import`
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The organization's slug.
    #[arg(long)]
    tenant: String,
    /// A TOML file that says how columns become fields.
    #[arg(long)]
    map: PathBuf,
    /// JSON lines (`.jsonl`) or CSV with a heading (`.csv`).
    file: PathBuf,
}

/// How many rows came to what.
#[derive(Debug, Default)]
struct Tally {
    imported: usize,
    present: usize,
    refused: usize,
}

impl Import {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let map = ImportMap::read(&self.map).map_err(Failure::Data)?;
        let rows = rows::read(&self.file).map_err(Failure::Data)?;
        let db = database.open_existing().await?;
        let (tenant, importer) = importer(db.as_ref(), &self.tenant).await?;
        let mut tally = Tally::default();
        let good = self.map_rows(&map, rows, &mut tally);
        for chunk in good.chunks(ROWS_AT_ONCE) {
            self.import(db.as_ref(), tenant, importer, chunk, &mut tally).await?;
        }
        say(&format!("imported {}, already there {}, refused {}", tally.imported, tally.present, tally.refused))?;
        if tally.refused > 0 { Err(Failure::NeedsPerson) } else { Ok(()) }
    }

    /// The rows that can be imported; the others are listed.
    fn map_rows(&self, map: &ImportMap, rows: Vec<Row>, tally: &mut Tally) -> Vec<(usize, MappedRow)> {
        let mut first_lines: HashMap<String, usize> = HashMap::new();
        let mut good = Vec::with_capacity(rows.len());
        for row in rows {
            let mapped = row.columns.and_then(|columns| map.apply(&columns)).and_then(|mapped| {
                match first_lines.insert(mapped.external_id.clone(), row.line) {
                    Some(line) => Err(format!("external_id {:?} is in line {line} already", mapped.external_id)),
                    None => Ok(mapped),
                }
            });
            match mapped {
                Ok(mapped) => good.push((row.line, mapped)),
                Err(reason) => self.refuse(row.line, &reason, tally),
            }
        }
        good
    }

    async fn import(
        &self,
        db: &dyn Storage,
        tenant: TenantId,
        importer: ActorId,
        rows: &[(usize, MappedRow)],
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let ids = rows.iter().map(|(_, row)| row.external_id.clone()).collect();
        let known: HashSet<String> = db.known_external_ids(tenant, ids).await?.into_iter().collect();
        let now = Clock::system().now();
        let (mut attempts, mut lines) = (Vec::new(), Vec::new());
        for (line, row) in rows {
            if known.contains(&row.external_id) {
                tally.present += 1;
                continue;
            }
            let commands = commands_of(row);
            lines.extend(commands.iter().map(|_| *line));
            attempts.extend(commands.into_iter().map(|command| attempt(tenant, importer, command, now)));
        }
        let executed = db.execute(tenant, attempts.into(), now).await?;
        for (line, answer) in lines.into_iter().zip(executed.answers) {
            if answer.status == 201 {
                // A note is committed with its case and not counted.
                tally.imported += usize::from(answer.body.contains(r#""result":{"type":"case""#));
            } else {
                let problem = serde_json::from_str::<Problem>(&answer.body);
                self.refuse(line, &problem.map_or(answer.body, |problem| problem.detail), tally);
            }
        }
        Ok(())
    }

    fn refuse(&self, line: usize, reason: &str, tally: &mut Tally) {
        tally.refused += 1;
        let _ = writeln!(std::io::stderr(), "{}:{line}: {reason}", self.file.display());
    }
}

/// The tenant and the member that imported cases are by, added when it is first needed.
async fn importer(db: &dyn Storage, slug: &str) -> Result<(TenantId, ActorId), Failure> {
    let user = NewUser {
        slug: slug.to_owned(),
        username: IMPORTER.to_owned(),
        display_name: "Import".to_owned(),
        role: Role::Admin,
        password_hash: password::UNUSABLE.to_owned(),
        disabled: true,
    };
    match db.add_user(user, Clock::system().now()).await {
        Ok(_) | Err(AdminError::Exists(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let account = db.find_account(slug, IMPORTER).await?;
    account
        .map(|account| (account.tenant, account.actor))
        .ok_or_else(|| Failure::Data(format!("there is no tenant {slug:?}")))
}

type NewCommand = (EntityId, Payload, Value);

/// The commands that make a row's case and its note.
fn commands_of(row: &MappedRow) -> Vec<NewCommand> {
    let case = EntityId(Uuid::now_v7());
    let mut commands = vec![(case, row.create.clone(), row.create.to_value())];
    if let Some(text) = &row.note {
        let note = Payload::NoteAdd(domain::payload::NoteAdd { note_id: NoteId(Uuid::now_v7()), text: text.clone() });
        let value = note.to_value();
        commands.push((case, note, value));
    }
    commands
}

fn attempt(tenant: TenantId, actor: ActorId, (target, payload, value): NewCommand, now: Timestamp) -> Attempt {
    let operation: Operation = payload.operation();
    let id = CommandId(Uuid::now_v7());
    let target_value = json!(Target { kind: "case".to_owned(), id: target });
    let payload_hash = wire::payload_hash(operation.name(), wire::SCHEMA_VERSION, &target_value, &Value::Null, &value);
    Attempt {
        tenant,
        sender: Sender::Import,
        key: IdempotencyKey::of(operation, target, id),
        command: domain::Command { id, actor, target, expected: None, payload, issued_at: now },
        payload_hash,
        confirmed_at: None,
        session_version: 0,
        issued_under: 0,
        request_id: "import".to_owned(),
        batch: None,
    }
}
