//! The bare SQLite receiver: an axum handler over one writing task that commits all waiting `receipt + effect`
//! inserts together, WAL, `synchronous = FULL`. It reads nothing of a request but the key, checks nobody, keeps no
//! cases and no audit; a repeat gets the stored answer. That is the least a receiver with keys does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use clap::Args;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _, SqliteConnection};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

/// Requests in one commit at most.
const GROUP_MAX: usize = 100;

/// `bare`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The database file, made new
    #[arg(long)]
    database: PathBuf,
}

/// What one request waits for: the answer, and whether it was stored before.
type Reply = oneshot::Sender<(Arc<str>, bool)>;

struct Waiting {
    key: String,
    body: Bytes,
    reply: Reply,
}

/// Serves until it is ended.
///
/// # Errors
/// The file or the port cannot be opened.
#[allow(clippy::print_stdout, reason = "the line its starter waits for")]
pub(crate) fn serve(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("start a runtime")?;
    runtime.block_on(async {
        let connection = open(&options.database).await?;
        let (jobs, waiting) = mpsc::channel(4096);
        tokio::spawn(write(connection, waiting));
        let router = Router::new().route("/v1/commands", post(receive)).with_state(jobs);
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listen")?;
        println!("ready {{\"url\":\"http://{}\"}}", listener.local_addr().context("listen")?);
        axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router)
            .await
            .context("serve")
    })
}

async fn open(file: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    let mut connection = options.disable_statement_logging().connect().await.context("open the database")?;
    let schema = "create table receipt (key text not null primary key, answer text not null) strict, without rowid;
                  create table effect (seq integer primary key, key text not null, body text not null) strict;";
    sqlx::raw_sql(schema).execute(&mut connection).await.context("make the tables")?;
    Ok(connection)
}

async fn receive(State(jobs): State<mpsc::Sender<Waiting>>, headers: axum::http::HeaderMap, body: Bytes) -> Response {
    let Some(key) = headers.get("idempotency-key").and_then(|key| key.to_str().ok()) else {
        return axum::http::StatusCode::BAD_REQUEST.into_response();
    };
    let (reply, answered) = oneshot::channel();
    let sent = jobs.send(Waiting { key: key.to_owned(), body, reply }).await;
    match (sent, answered.await) {
        (Ok(()), Ok((answer, is_replay))) => {
            let kind = [("content-type", "application/json")];
            let replayed = is_replay.then_some([("idempotent-replayed", "true")]);
            let status = axum::http::StatusCode::CREATED;
            let body = answer.as_bytes().to_vec();
            match replayed {
                Some(replayed) => (status, kind, replayed, body).into_response(),
                None => (status, kind, body).into_response(),
            }
        }
        _ => axum::http::StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Commits everything that waits, again and again.
async fn write(mut connection: SqliteConnection, mut waiting: mpsc::Receiver<Waiting>) {
    let mut seq = 0;
    let mut group = Vec::with_capacity(GROUP_MAX);
    while waiting.recv_many(&mut group, GROUP_MAX).await > 0 {
        match commit(&mut connection, &group, &mut seq).await {
            Ok(answers) => {
                for (waiting, answer) in group.drain(..).zip(answers) {
                    let _ = waiting.reply.send(answer);
                }
            }
            Err(error) => {
                eprintln!("a group was not committed: {error}");
                return;
            }
        }
    }
}

/// One transaction in two calls, three if there are repeats: sqlx pays for each call, not for each statement.
async fn commit(
    connection: &mut SqliteConnection,
    group: &[Waiting],
    seq: &mut i64,
) -> Result<Vec<(Arc<str>, bool)>, sqlx::Error> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(group.len());
    for (place, waiting) in group.iter().enumerate() {
        first.entry(&waiting.key).or_insert(place);
    }
    let mut distinct: Vec<usize> = first.values().copied().collect();
    distinct.sort_unstable();
    let base = *seq;
    let answers: Vec<String> = distinct.iter().zip(base + 1..).map(|(_, seq)| answer(seq)).collect();

    let sql = format!(
        "begin immediate; insert into receipt (key, answer) values {} on conflict (key) do nothing returning key",
        places("(?, ?)", distinct.len())
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for (place, answer) in distinct.iter().zip(&answers) {
        query = query.bind(&group[*place].key).bind(answer);
    }
    let rows = query.fetch_all(&mut *connection).await?;
    let mut known: HashMap<&str, (Arc<str>, bool)> = HashMap::with_capacity(group.len());
    let is_new: std::collections::HashSet<&str> = rows.iter().map(|row| row.get(0)).collect();

    let old: Vec<usize> =
        distinct.iter().copied().filter(|place| !is_new.contains(group[*place].key.as_str())).collect();
    if !old.is_empty() {
        let sql = format!("select key, answer from receipt where key in ({})", places("?", old.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for place in &old {
            query = query.bind(&group[*place].key);
        }
        for row in query.fetch_all(&mut *connection).await? {
            if let Some((key, _)) = first.get_key_value(row.get::<&str, _>(0)) {
                known.insert(key, (Arc::from(row.get::<&str, _>(1)), true));
            }
        }
    }
    let new = distinct
        .iter()
        .zip(&answers)
        .zip(base + 1..)
        .filter(|((place, _), _)| is_new.contains(group[**place].key.as_str()));
    let new: Vec<((&usize, &String), i64)> = new.collect();
    if new.is_empty() {
        sqlx::query("commit").execute(&mut *connection).await?;
    } else {
        let sql = format!("insert into effect (seq, key, body) values {}; commit", places("(?, ?, ?)", new.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for ((place, _), seq) in &new {
            let waiting = &group[**place];
            query = query.bind(*seq).bind(&waiting.key).bind(String::from_utf8_lossy(&waiting.body).into_owned());
        }
        query.execute(&mut *connection).await?;
    }
    for ((place, answer), _) in new {
        known.insert(&group[*place].key, (Arc::from(answer.as_str()), false));
    }
    *seq = base + i64::try_from(distinct.len()).unwrap_or(0);
    let missing = || (Arc::from("{}"), false);
    Ok(group
        .iter()
        .enumerate()
        .map(|(place, waiting)| {
            let (answer, is_replay) = known.get(waiting.key.as_str()).cloned().unwrap_or_else(missing);
            (answer, is_replay || first.get(waiting.key.as_str()) != Some(&place))
        })
        .collect())
}

fn places(one: &str, count: usize) -> String {
    vec![one; count].join(", ")
}

fn answer(seq: i64) -> String {
    format!(r#"{{"state":"committed","feed_position":{seq},"committed_at":"2026-11-30T09:12:01.004Z"}}"#)
}
