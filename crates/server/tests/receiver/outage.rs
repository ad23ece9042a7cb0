//! PostgreSQL is away, or takes no writes, under a running server: it says so, records nothing, and serves again by
//! itself.

use domain::Role;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::support::database::{Postgres, postgres};
use crate::support::server::Server;
use crate::support::{Person, Sent, a_case};

/// A superuser's connection to another database of the same server.
struct Operator {
    connection: PgConnection,
    database: String,
}

impl Operator {
    async fn of(server: &Server<Postgres>) -> Self {
        let connection = PgConnection::connect(&postgres().url("postgres", "postgres")).await.unwrap();
        Self { connection, database: server.place.kind().0.name.clone() }
    }

    /// Changes the database so, and ends every connection to it, as a restart would.
    async fn alter(&mut self, how: &str) {
        let database = &self.database;
        let alter = format!("alter database \"{database}\" {how}");
        let end = format!("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '{database}'");
        // Each by itself: the first must be committed before anybody connects again.
        for sql in [alter, end] {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.connection).await.unwrap();
        }
    }
}

async fn one_more(ana: &Person) -> Sent {
    let create = a_case("t");
    assert_eq!(ana.send(&create).await.status, 201);
    create
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_database_that_is_away_is_unavailable_until_it_is_back() {
    let server: Server<Postgres> = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let first = one_more(&ana).await;
    let mut operator = Operator::of(&server).await;
    operator.alter("allow_connections false").await;
    let create = a_case("t");
    for _ in 0..3 {
        let reply = ana.send(&create).await;
        reply.assert_problem(503, "temporarily-unavailable");
        assert!(reply.header("retry-after").is_some());
    }
    for path in ["/v1/changes", "/v1/session", "/readyz", "/v1/events"] {
        ana.get(path).await.assert_problem(503, "temporarily-unavailable");
    }
    assert_eq!(ana.get("/healthz").await.status, 200);
    server
        .try_sign_in("acme", "ana", crate::support::server::PASSWORD)
        .await
        .assert_problem(503, "temporarily-unavailable");
    operator.alter("allow_connections true").await;
    let reply = ana.send(&create).await;
    assert_eq!((reply.status, reply.is_replayed()), (201, false), "{}", reply.body);
    assert!(ana.send(&first).await.is_replayed());
    // Restarted so quickly that nobody notices.
    operator.alter("allow_connections true").await;
    one_more(&ana).await;
    server.assert_whole().await;
}

/// CASES S19: a server that was made a standby, or whose disk is full for an administrator, takes no writes: nothing is
/// recorded, reading goes on, and the retry executes.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_database_that_takes_no_writes_is_read_and_written_later() {
    let server: Server<Postgres> = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let first = one_more(&ana).await;
    let mut operator = Operator::of(&server).await;
    operator.alter("set default_transaction_read_only = on").await;
    let create = a_case("t");
    ana.send(&create).await.assert_problem(503, "temporarily-unavailable");
    assert_eq!(ana.feed().await.iter().filter(|item| item["type"] == "case").count(), 1);
    let known = format!("/v1/operations/{}?key={}", first.id(), first.key);
    assert_eq!(ana.get(&known).await.json()["state"], "committed");
    // Whether somebody is at work on an unseen one takes a lock to tell, so that is not guessed.
    let unseen = format!("/v1/operations/{}?key={}", create.id(), create.key);
    ana.get(&unseen).await.assert_problem(503, "temporarily-unavailable");
    ana.get("/readyz").await.assert_problem(503, "temporarily-unavailable");
    operator.alter("set default_transaction_read_only = off").await;
    let reply = ana.send(&create).await;
    assert_eq!((reply.status, reply.is_replayed()), (201, false), "{}", reply.body);
    assert!(ana.send(&first).await.is_replayed());
    server.assert_whole().await;
}
