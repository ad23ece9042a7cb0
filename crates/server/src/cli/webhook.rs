//! `webhook`: where events go, and what is on its way there. Works beside a running server, which hears of it at once.

mod rotate;

use std::fmt::Write as _;
use std::io::Read as _;

use clap::{Args, Subcommand, ValueEnum};
use domain::TenantId;
use uuid::Uuid;

use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::command::answer::json;
use crate::execution::events::KINDS;
use crate::key_file::ServerKey;
use crate::sealed;
use crate::storage::webhook::{
    DeliveryFilter, DeliveryRow, DeliveryState, EndpointChange, EndpointId, EndpointRow, NewEndpoint, WhichEndpoint,
};
use crate::storage::{AdminError, Storage};
use crate::webhooks::carry::attempt::secret_place;
use crate::webhooks::secret::Secret;
use crate::webhooks::target::Target;

#[derive(Debug, Subcommand)]
pub(super) enum Webhook {
    /// Add an endpoint; prints its id.
    Add {
        #[command(flatten)]
        of: Of,
        /// `https://…`, or `mailto:clerk@example.org`
        #[arg(long)]
        url: String,
        /// Read the secret (`whsec_…`) from stdin; there is no other way, so that it stays out of the process list.
        #[arg(long)]
        secret_stdin: bool,
        /// An event it wants; all if none is named.
        #[arg(long = "event", value_parser = KINDS)]
        events: Vec<String>,
        /// Allow http:// and addresses that are not on the public internet: for development.
        #[arg(long)]
        allow_private: bool,
    },
    /// List the endpoints.
    List {
        #[command(flatten)]
        of: Of,
        /// One JSON array instead of lines.
        #[arg(long)]
        json: bool,
    },
    /// Remove an endpoint; what waits for it is never sent.
    Remove {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        which: Which,
    },
    /// Let an endpoint take deliveries again that was disabled when it answered 410 Gone.
    Enable {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        which: Which,
    },
    /// Sign with another secret, and for a while with the one before it as well, so that receivers can change.
    Rotate {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        which: Which,
        /// Read the new secret (`whsec_…`) from stdin.
        #[arg(long, required = true)]
        secret_stdin: bool,
        /// Hours that the former secret signs as well; 0: not any more, as when it became known.
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(0..=720))]
        grace_h: u16,
    },
    /// Send an event again, with the same id and the same body, to the endpoints it was for.
    Resend {
        #[command(flatten)]
        of: Of,
        /// `msg_…`
        #[arg(long)]
        id: String,
        /// The id of an endpoint: to this one only
        #[arg(long)]
        endpoint: Option<Uuid>,
    },
    /// List deliveries, newest first.
    Deliveries {
        #[command(flatten)]
        of: Of,
        /// In this state only.
        #[arg(long)]
        state: Option<State>,
        /// At most so many.
        #[arg(long, default_value_t = 1000)]
        limit: u32,
        /// One JSON array instead of lines.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct Of {
    /// The organization's slug.
    #[arg(long)]
    tenant: String,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Which {
    /// Its id.
    #[arg(long)]
    id: Option<Uuid>,
    /// Its URL, as it is listed.
    #[arg(long)]
    url: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum State {
    Waiting,
    Delivered,
    Dead,
    Cancelled,
}

impl From<State> for DeliveryState {
    fn from(state: State) -> Self {
        match state {
            State::Waiting => Self::Waiting,
            State::Delivered => Self::Delivered,
            State::Dead => Self::Dead,
            State::Cancelled => Self::Cancelled,
        }
    }
}

impl Webhook {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let db = database.open_existing().await?;
        match self {
            Self::Add { of, url, secret_stdin, events, allow_private } => {
                let tenant = of.find(db.as_ref()).await?;
                let target = Target::read(&url, allow_private).map_err(|error| Failure::Data(error.to_string()))?;
                let secret = secret_for(&target, secret_stdin)?;
                let id = EndpointId(Uuid::now_v7());
                let secret = match secret {
                    Some(secret) => {
                        let key = database.key(db.as_ref()).await?;
                        Some(sealed_secret(&key, tenant, id, &secret)?)
                    }
                    None => None,
                };
                let events = KINDS.into_iter().filter(|event| events.is_empty() || events.iter().any(|e| e == event));
                let endpoint = NewEndpoint { id, url: target.url(), secret, events: events.collect(), allow_private };
                db.add_endpoint(tenant, endpoint, Clock::system().now()).await?;
                say(&id.to_string())
            }
            Self::List { of, json } => list(&db.endpoints(of.find(db.as_ref()).await?).await?, json, endpoint_line),
            Self::Remove { of, which } => change(db.as_ref(), of, which, EndpointChange::Remove).await,
            Self::Enable { of, which } => change(db.as_ref(), of, which, EndpointChange::Enable).await,
            Self::Rotate { of, which, secret_stdin: _, grace_h } => {
                rotate::run(database, db.as_ref(), of, which, grace_h).await
            }
            Self::Resend { of, id, endpoint } => {
                let tenant = of.find(db.as_ref()).await?;
                match db.resend(tenant, &id, endpoint.map(EndpointId), Clock::system().now()).await? {
                    0 => Err(Failure::Data(format!("nothing of {id:?} is kept for an endpoint that takes deliveries"))),
                    1 => say("1 delivery is due"),
                    n => say(&format!("{n} deliveries are due")),
                }
            }
            Self::Deliveries { of, state, limit, json } => {
                let filter = DeliveryFilter { state: state.map(Into::into), limit };
                list(&db.deliveries(of.find(db.as_ref()).await?, filter).await?, json, delivery_line)
            }
        }
    }
}

impl Which {
    /// What it is called, and which it is.
    fn named(self) -> (String, WhichEndpoint) {
        if let Some(id) = self.id {
            return (id.to_string(), WhichEndpoint::Id(EndpointId(id)));
        }
        let url = self.url.unwrap_or_default();
        // As it is listed, or as it was typed.
        let listed = Target::read(&url, true).map_or(url, |target| target.url());
        (listed.clone(), WhichEndpoint::Url(listed))
    }
}

impl Of {
    async fn find(&self, db: &dyn Storage) -> Result<TenantId, Failure> {
        let tenant = db.tenant_of(&self.tenant).await?;
        tenant.ok_or_else(|| AdminError::Unknown(format!("tenant {:?}", self.tenant)).into())
    }
}

async fn change(db: &dyn Storage, of: Of, which: Which, change: EndpointChange) -> Result<(), Failure> {
    let tenant = of.find(db).await?;
    let (named, which) = which.named();
    let is_there = db.change_endpoint(tenant, which, change, Clock::system().now()).await?;
    if is_there { Ok(()) } else { Err(AdminError::Unknown(format!("endpoint {named}")).into()) }
}

/// The secret on stdin, which a signed endpoint must have and a mailbox cannot.
fn secret_for(target: &Target, secret_stdin: bool) -> Result<Option<Secret>, Failure> {
    match target {
        Target::Mail(_) if secret_stdin => {
            Err(Failure::Usage("mail is not signed: leave out --secret-stdin".to_owned()))
        }
        Target::Mail(_) => {
            let hint = "mail leaves once serve has smtp_url and smtp_from\n";
            let _ = std::io::Write::write_all(&mut std::io::stderr(), hint.as_bytes());
            Ok(None)
        }
        Target::Http(_) if !secret_stdin => {
            Err(Failure::Usage("--secret-stdin is missing: deliveries are signed with the secret on stdin".to_owned()))
        }
        Target::Http(_) => read_secret().map(Some),
    }
}

/// The first line of stdin. What is wrong with it is said without it.
fn read_secret() -> Result<Secret, Failure> {
    let mut input = String::new();
    let read = std::io::stdin().take(64 << 10).read_to_string(&mut input);
    read.map_err(|error| Failure::Data(format!("cannot read the secret from stdin: {error}")))?;
    let line = input.lines().next().unwrap_or_default().trim();
    Secret::read(line).map_err(|error| Failure::Data(error.to_string()))
}

fn sealed_secret(key: &ServerKey, tenant: TenantId, id: EndpointId, secret: &Secret) -> Result<Vec<u8>, Failure> {
    let cannot = |error| Failure::Storage(format!("cannot seal the secret: {error}"));
    sealed::seal(key, &secret_place(tenant, id), secret.bytes()).map_err(cannot)
}

fn list<T: serde::Serialize>(rows: &[T], as_json: bool, line: impl Fn(&T) -> String) -> Result<(), Failure> {
    if as_json {
        return say(&json(&rows));
    }
    rows.iter().try_for_each(|row| say(&line(row)))
}

fn endpoint_line(row: &EndpointRow) -> String {
    let mut line = format!("{}  {}  {}", row.endpoint_id, row.url, row.events.join(","));
    let _ = write!(line, "  waiting {}  dead {}", row.waiting, row.dead);
    if row.allow_private {
        line.push_str("  private addresses allowed");
    }
    if let Some(until) = row.former_secret_until.filter(|until| *until > Clock::system().now()) {
        let _ = write!(line, "  signed with its former secret too until {until}");
    }
    if let Some(since) = row.disabled_at {
        let _ = write!(line, "  disabled since {since}: it answered 410 Gone");
    }
    line
}

fn delivery_line(row: &DeliveryRow) -> String {
    let mut line = format!("{}  {:<9}  {}  {}  {}", row.created_at, row.state, row.webhook_id, row.event, row.url);
    let _ = write!(line, "  attempt {}", row.attempt);
    if let Some(failure) = &row.failure {
        let _ = write!(line, "  {failure}");
    }
    if let Some(status) = row.status {
        let _ = write!(line, " {status}");
    }
    if let Some(note) = &row.note {
        let _ = write!(line, " {note:?}");
    }
    if let Some(due_at) = row.due_at {
        let _ = write!(line, "  next {due_at}");
    }
    line
}
