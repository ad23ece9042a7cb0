//! The databases that the same stories are told over: SQLite in a file, PostgreSQL as the tests start it.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use onceover_server::storage::Storage;
use onceover_server::storage::postgres::Postgres as OpenPostgres;
use onceover_server::storage::sqlite::Sqlite as OpenSqlite;
use sqlx::Connection as _;
use tempfile::TempDir;
use test_postgres::Database;

/// Where a program keeps its data.
pub(crate) trait Site {
    /// The folder that it works in.
    fn folder(&self) -> &Path;
    /// What it is given as `--database`.
    fn url(&self) -> String;
}

/// A folder with a file of SQLite.
impl Site for Path {
    fn folder(&self) -> &Path {
        self
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.join("server.db").display())
    }
}

/// A folder, and a database of its own with the schema in it.
pub(crate) struct Place<K> {
    folder: TempDir,
    kind: K,
}

/// What each kind of database does in its own way.
#[async_trait(?Send)]
pub(crate) trait Kind: Sized + Send + Sync + 'static {
    /// An empty database for `folder`.
    fn make(folder: &Path) -> Self;
    /// What a program is given as `--database`.
    fn url(&self, folder: &Path) -> String;
    /// Opens it.
    async fn open(&self, folder: &Path) -> Arc<dyn Storage>;
    /// A copy of this moment, for another folder: as an administrator restores a backup.
    async fn copy(&self, from: &dyn Storage, folder: &Path) -> Self;
    /// Everything that is stored, as bytes.
    fn bytes(&self, folder: &Path) -> Vec<u8>;
    /// Keeps every writer of `tenant` waiting until this is dropped.
    async fn hold(&self, folder: &Path, tenant: &str) -> Box<dyn Any + Send>;
    /// What lets the statements after it change the audit.
    const LIFT_THE_AUDITS_GUARD: &str;
    /// Runs `sql` past everything that guards the database.
    async fn sql(&self, folder: &Path, sql: &str);
    /// How many connections are inside a transaction in which nothing runs.
    async fn open_transactions(&self) -> i64;
}

impl<K: Kind> Place<K> {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let kind = K::make(folder.path());
        Self { folder, kind }
    }

    pub(crate) async fn open(&self) -> Arc<dyn Storage> {
        self.kind.open(self.folder()).await
    }

    /// A copy of this moment in a place of its own.
    pub(crate) async fn copy(&self, from: &dyn Storage) -> Self {
        let folder = TempDir::new().unwrap();
        let kind = self.kind.copy(from, folder.path()).await;
        Self { folder, kind }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.kind.bytes(self.folder())
    }

    pub(crate) async fn hold(&self, tenant: &str) -> Box<dyn Any + Send> {
        self.kind.hold(self.folder(), tenant).await
    }

    pub(crate) async fn sql(&self, sql: &str) {
        self.kind.sql(self.folder(), sql).await;
    }

    /// Runs `sql` on the audit, which is append only for everybody else.
    pub(crate) async fn past_the_audits_guard(&self, sql: &str) {
        self.sql(&format!("{};{sql}", K::LIFT_THE_AUDITS_GUARD)).await;
    }

    pub(crate) fn kind(&self) -> &K {
        &self.kind
    }

    pub(crate) async fn open_transactions(&self) -> i64 {
        self.kind.open_transactions().await
    }

    /// A file of this place.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }
}

impl<K: Kind> Site for Place<K> {
    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn url(&self) -> String {
        self.kind.url(self.folder())
    }
}

/// One file.
pub(crate) struct Sqlite;

#[async_trait(?Send)]
impl Kind for Sqlite {
    const LIFT_THE_AUDITS_GUARD: &str =
        "drop trigger if exists audit_is_append_only; drop trigger if exists audit_is_kept";

    fn make(_: &Path) -> Self {
        Self
    }

    fn url(&self, folder: &Path) -> String {
        folder.url()
    }

    async fn open(&self, folder: &Path) -> Arc<dyn Storage> {
        Arc::new(OpenSqlite::open(&folder.join("server.db")).await.unwrap())
    }

    async fn copy(&self, from: &dyn Storage, folder: &Path) -> Self {
        from.backup(&folder.join("server.db")).await.unwrap();
        Self
    }

    fn bytes(&self, folder: &Path) -> Vec<u8> {
        let files = ["server.db", "server.db-wal"].map(|file| std::fs::read(folder.join(file)).unwrap_or_default());
        files.concat()
    }

    async fn hold(&self, folder: &Path, _: &str) -> Box<dyn Any + Send> {
        let mut connection = sqlx::SqliteConnection::connect(&folder.url()).await.unwrap();
        sqlx::query("begin immediate").execute(&mut connection).await.unwrap();
        Box::new(connection)
    }

    async fn sql(&self, folder: &Path, sql: &str) {
        let mut connection = sqlx::SqliteConnection::connect(&folder.url()).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The database says nothing of them; one that writes would keep every other writer out.
    async fn open_transactions(&self) -> i64 {
        0
    }
}

/// A database of the PostgreSQL of this run.
pub(crate) struct Postgres(pub(crate) Database);

/// The server, used by this process until its end.
pub(crate) fn postgres() -> &'static test_postgres::Postgres {
    static SERVER: OnceLock<test_postgres::Postgres> = OnceLock::new();
    SERVER.get_or_init(|| test_postgres::Postgres::of_this_run().unwrap())
}

/// Prepares the database that the others are copies of. In a thread of its own, since a test's own waits for it.
fn migrate(url: &str) -> anyhow::Result<()> {
    let url = url.to_owned();
    let migrated = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(OpenPostgres::migrate(&url, None)).map(drop).map_err(anyhow::Error::from)
    });
    migrated.join().expect("it does not panic")
}

/// A URL for the superuser, whom nothing guards.
fn superuser(database: &Database) -> String {
    postgres().url("postgres", &database.name)
}

#[async_trait(?Send)]
impl Kind for Postgres {
    const LIFT_THE_AUDITS_GUARD: &str = "set session_replication_role = replica";

    fn make(_: &Path) -> Self {
        Self(postgres().copy_of("receiver", migrate).unwrap())
    }

    fn url(&self, _: &Path) -> String {
        self.0.url.clone()
    }

    async fn open(&self, _: &Path) -> Arc<dyn Storage> {
        Arc::new(OpenPostgres::open(&self.0.url, 16).await.unwrap())
    }

    async fn copy(&self, _: &dyn Storage, folder: &Path) -> Self {
        let copy = postgres().database().unwrap();
        let dump = folder.join("dump");
        let program = |name: &str| {
            let mut command = Command::new(postgres().programs().join(name));
            command.arg(format!("--host={}", postgres().socket().display())).arg("--username=postgres");
            command
        };
        let mut write = program("pg_dump");
        write.args(["--format=custom", "--file"]).arg(&dump).arg(&self.0.name);
        assert!(write.status().unwrap().success());
        let mut read = program("pg_restore");
        read.args(["--exit-on-error", "--dbname", &copy.name]).arg(&dump);
        assert!(read.status().unwrap().success());
        Self(copy)
    }

    fn bytes(&self, _: &Path) -> Vec<u8> {
        let mut command = Command::new(postgres().programs().join("pg_dump"));
        command.arg(format!("--host={}", postgres().socket().display()));
        command.args(["--username=postgres", "--inserts", &self.0.name]).output().unwrap().stdout
    }

    async fn hold(&self, _: &Path, tenant: &str) -> Box<dyn Any + Send> {
        let mut connection = sqlx::PgConnection::connect(&superuser(&self.0)).await.unwrap();
        sqlx::raw_sql("begin").execute(&mut connection).await.unwrap();
        let lock = "select 1 from tenant_head join tenant using (tenant_id) where slug = $1 for update of tenant_head";
        assert!(sqlx::query(lock).bind(tenant).fetch_optional(&mut connection).await.unwrap().is_some());
        Box::new(connection)
    }

    async fn sql(&self, _: &Path, sql: &str) {
        let mut connection = sqlx::PgConnection::connect(&superuser(&self.0)).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    async fn open_transactions(&self) -> i64 {
        let mut connection = sqlx::PgConnection::connect(&superuser(&self.0)).await.unwrap();
        let count =
            "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'";
        sqlx::query_scalar(count).fetch_one(&mut connection).await.unwrap()
    }
}
