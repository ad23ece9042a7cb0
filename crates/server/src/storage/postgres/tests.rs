//! What only the inside can show: a connection that is not as it should be, a commit whose answer is lost, and how the
//! queries find their rows.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::OnceLock;

use domain::Timestamp;
use sqlx::{AssertSqlSafe, Row as _};
use tempfile::TempDir;

use super::*;
use crate::storage::postgres::transaction::{Opening, Scope, run};

/// A URL of an empty database with the schema in it.
fn url() -> (String, String) {
    static SERVER: OnceLock<test_postgres::Postgres> = OnceLock::new();
    let server = SERVER.get_or_init(|| test_postgres::Postgres::of_this_run().unwrap());
    let database = server.copy_of("receiver", |url| {
        let url = url.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let migrated = std::thread::spawn(move || runtime.block_on(Postgres::migrate(&url, None)));
        Ok(migrated.join().unwrap().map(drop)?)
    });
    (database.unwrap().url, server.socket().display().to_string())
}

async fn names(db: &Postgres) -> Vec<String> {
    let tenant = db.tenant_of("acme").await.unwrap().unwrap();
    let read = run(&db.pool, Opening::read(Scope::Tenant(tenant)), |opened| {
        Box::pin(async move {
            let rows = sqlx::query("select name from tenant").fetch_all(opened.connection).await?;
            Ok(rows.iter().map(|row| row.get(0)).collect())
        })
    });
    read.await.unwrap()
}

/// CASES S37: sqlx can leave a connection inside a transaction, when what began it is dropped. Nothing runs inside that.
#[tokio::test]
async fn a_connection_left_inside_a_transaction_is_not_used() {
    let db = Postgres::open(&url().0, 2).await.unwrap();
    let tenant = db.add_tenant("acme", "Acme", Timestamp(0)).await.unwrap();
    let mut leases = Vec::new();
    for year in [1998, 1999] {
        let mut lease = db.pool.borrow().await.unwrap();
        let enter = format!("begin; select set_config('onceover.tenant', '{tenant}', true)");
        sqlx::raw_sql(AssertSqlSafe(enter)).execute(&mut lease.connection).await.unwrap();
        let foreign = "insert into case_number (tenant_id, year, last)
                       values (current_setting('onceover.tenant')::uuid, $1, 7)";
        sqlx::query(foreign).bind(year).execute(&mut lease.connection).await.unwrap();
        leases.push(lease);
    }
    // As a bug would: they come back as if they were done.
    for lease in leases {
        db.pool.give_back(lease);
    }
    assert_eq!(names(&db).await, ["Acme"]);
    db.add_tenant("other", "Other", Timestamp(0)).await.unwrap();
    let count = run(&db.pool, Opening::read(Scope::Tenant(tenant)), |opened| {
        Box::pin(async move {
            let row = sqlx::query("select count(*) from case_number").fetch_one(opened.connection).await?;
            Ok(row.get::<i64, _>(0))
        })
    });
    assert_eq!(count.await.unwrap(), 0, "what was begun there is undone");
}

/// A socket that stands for the server's, and ends every connection once a commit has been passed on.
fn cutting(server: String) -> TempDir {
    let folder = TempDir::new().unwrap();
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = UnixStream::connect(Path::new(&server).join(".s.PGSQL.5432")).unwrap();
            std::thread::spawn(move || pass(client, server));
        }
    });
    folder
}

fn pass(client: UnixStream, server: UnixStream) {
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let back = std::thread::spawn(move || std::io::copy(&mut &server, &mut &client).ok());
    let mut buffer = vec![0; 65536];
    while let Ok(read @ 1..) = from_client.read(&mut buffer) {
        let is_commit = buffer[..read].windows(7).any(|window| window == b"commit\0");
        if is_commit {
            // The answer meets a closed door, and the commit is done all the same.
            from_client.shutdown(std::net::Shutdown::Both).unwrap();
        }
        if to_server.write_all(&buffer[..read]).is_err() || is_commit {
            break;
        }
    }
    let _ = back.join();
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_unknown() {
    let (url, socket) = url();
    let door = cutting(socket.clone());
    let straight = Postgres::open(&url, 2).await.unwrap();
    let cut = Postgres::open(&url.replace(&socket, &door.path().display().to_string()), 2).await.unwrap();
    let lost = run(&cut.pool, Opening::write(Scope::Nobody), |opened| {
        Box::pin(async move {
            sqlx::query("update server set purge_horizon = 7").execute(opened.connection).await?;
            Ok(())
        })
    });
    assert!(matches!(lost.await, Err(StorageError::CommitUnknown(_))));
    // It was done, which nobody could know.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while straight.purge_horizon().await.unwrap() != Timestamp(7) {
        assert!(std::time::Instant::now() < deadline);
    }
}

/// What runs with every command, page or look-up must find its rows by more than the tenant.
#[tokio::test]
async fn no_frequent_query_reads_a_whole_tenant() {
    let db = Postgres::open(&url().0, 2).await.unwrap();
    let mut lease = db.pool.borrow().await.unwrap();
    for (name, sql) in [
        ("load", include_str!("load/all.sql")),
        ("records", include_str!("operation/records.sql")),
        ("changes", include_str!("feed/changes.sql")),
        ("session", include_str!("session/get.sql")),
        ("use", include_str!("session/use.sql")),
        ("account", include_str!("session/account.sql")),
        ("known_external_ids", include_str!("admin/known_external_ids.sql")),
    ] {
        let prepare = AssertSqlSafe(format!("prepare {name} as {sql}"));
        sqlx::raw_sql(prepare).execute(&mut lease.connection).await.unwrap();
        let count = (1..100).take_while(|n| sql.contains(&format!("${n}"))).count();
        let explain = AssertSqlSafe(format!("explain execute {name} ({})", vec!["null"; count].join(", ")));
        let plan = sqlx::raw_sql(explain).fetch_all(&mut lease.connection).await.unwrap();
        let lines: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        let plan = lines.join("\n");
        assert!(
            !plan.contains("Seq Scan")
                || plan.matches("Seq Scan").count() == plan.matches("Seq Scan on server").count(),
            "{name}:\n{plan}"
        );
        for (line, scan) in lines.iter().enumerate().filter(|(_, line)| line.contains("Index") && line.contains("Scan"))
        {
            let condition = lines[line + 1..].iter().find(|line| line.contains("Index Cond")).unwrap();
            let by_tenant_alone =
                ["on tenant ", "on tenant_head ", "on webhook_endpoint "].iter().any(|table| scan.contains(table));
            assert!(condition.contains(" AND (") || by_tenant_alone, "{name}: {scan} {condition}\n{plan}");
        }
    }
}
