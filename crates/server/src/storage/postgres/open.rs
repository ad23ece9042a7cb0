//! Opens the database: who it is used as, how far its schema is, and bringing it up to date where that is allowed.

use std::fmt;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Row as _};
use tokio::time::timeout;

use crate::storage::postgres::pool::Pool;

static MIGRATOR: Migrator = sqlx::migrate!("migrations/postgres");
/// Earlier ones make no random ids by themselves.
const VERSION_LEAST: i32 = 130_000;
const CONNECTS_WITHIN: Duration = Duration::from_secs(10);

/// One PostgreSQL database, open.
#[derive(Debug)]
pub struct Postgres {
    pub(super) pool: Arc<Pool>,
    pub(super) finds: Arc<super::session::Finds>,
}

/// Which database, in words that hold no password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(String);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Place {
    /// The database of `url`.
    ///
    /// # Errors
    /// When it is no URL of PostgreSQL.
    pub fn of(url: &str) -> Result<Self, OpenError> {
        options(url).map(|options| Self::named(&options))
    }

    fn named(options: &PgConnectOptions) -> Self {
        let host = options.get_socket().map_or_else(
            || format!("{}:{}", options.get_host(), options.get_port()),
            |socket| socket.display().to_string(),
        );
        Self(format!("{} at {host}", options.get_database().unwrap_or_else(|| options.get_username())))
    }
}

/// Why a database cannot be used. Each says it in words for an administrator, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is no URL.
    #[error("--database is not postgres://USER@HOST/DATABASE: {0}")]
    Url(String),
    /// It does not answer, or lets nobody in.
    #[error("cannot reach the database {place}: {cause}")]
    Unreachable {
        /// Which.
        place: Place,
        /// What was said.
        cause: String,
    },
    /// It answers, and something cannot be done.
    #[error("cannot use the database {place}: {cause}")]
    Cannot {
        /// Which.
        place: Place,
        /// What was said.
        cause: String,
    },
    /// The server is too old.
    #[error("{0} is served by a PostgreSQL that is too old; version 13 or later is needed")]
    OldServer(Place),
    /// It is something else's.
    #[error("{0} holds tables, but is not an Onceover database")]
    NotOurs(Place),
    /// A newer program made it.
    #[error("{place} has schema {found}, this program knows {known}: use the newer onceover-server")]
    Newer {
        /// Which.
        place: Place,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// It is behind, and this user may not change that.
    #[error(
        "{place} has schema {found}, this program needs {known}, and {user} may not change it: \
         run `onceover-server migrate --owner-database URL` with a URL of the database's owner"
    )]
    Behind {
        /// Which.
        place: Place,
        /// Its schema; 0 if it is empty.
        found: i64,
        /// Ours.
        known: i64,
        /// Who tried.
        user: String,
    },
    /// Nobody works as `onceover_app` yet, and this user may not change that.
    #[error(
        "{user} may not work as onceover_app in {place}: let an administrator of PostgreSQL run \
         `create role onceover_app nologin` (if there is none yet) and `grant onceover_app to {user}`"
    )]
    NoRole {
        /// Which.
        place: Place,
        /// Who tried.
        user: String,
    },
    /// The role that serves is held by nothing.
    #[error(
        "onceover_app is not held by row-level security in {0}: it must be no superuser, have no BYPASSRLS \
         and own nothing"
    )]
    Unguarded(Place),
}

/// The database as found.
struct Found {
    /// How far the schema is; `None` if there is none.
    version: Option<i64>,
    user: String,
    may_migrate: bool,
}

impl Postgres {
    /// Opens the database that `url` names with at most so many connections at once, and brings its schema up to date
    /// if the URL's user may.
    ///
    /// # Errors
    /// See [`OpenError`]; nothing was changed then.
    pub async fn open(url: &str, connections_max: usize) -> Result<Self, OpenError> {
        let options = options(url)?;
        let place = Place::named(&options);
        let mut connection = connect(&options, &place).await?;
        let (found, known) = (look(&mut connection, &place).await?, known());
        let version = found.version.unwrap_or(0);
        if version < known {
            if !found.may_migrate {
                return Err(OpenError::Behind { place, found: version, known, user: found.user });
            }
            bring_up_to_date(&mut connection, &place, &found.user).await?;
        }
        work_as_app(&mut connection, &place, &found.user).await?;
        // Closing it in any other way leaves a line in the server's log.
        let _ = connection.close().await;
        let pool = Arc::new(Pool::new(options, connections_max));
        Ok(Self { pool, finds: Arc::default() })
    }

    /// Brings the schema up to date as the user of `url`, and lets `serves`, if it is another user's URL, work with it.
    /// Returns the version.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn migrate(url: &str, serves: Option<&str>) -> Result<i64, OpenError> {
        let owner = options(url)?;
        let place = Place::named(&owner);
        let mut connection = connect(&owner, &place).await?;
        let found = look(&mut connection, &place).await?;
        bring_up_to_date(&mut connection, &place, &found.user).await?;
        if let Some(serves) = serves {
            let user = options(serves)?.get_username().to_owned();
            if !is_member(&mut connection, &user).await.map_err(|error| cannot(&place, error))? {
                let grant = format!("grant onceover_app to {}", quoted(&user));
                let granted = sqlx::raw_sql(AssertSqlSafe(grant)).execute(&mut connection).await;
                granted.map_err(|_| OpenError::NoRole { place, user })?;
            }
        }
        let _ = connection.close().await;
        Ok(known())
    }
}

/// The newest schema that this program knows.
fn known() -> i64 {
    MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or(0)
}

fn options(url: &str) -> Result<PgConnectOptions, OpenError> {
    let options = PgConnectOptions::from_str(url).map_err(|error| OpenError::Url(error.to_string()))?;
    Ok(options.application_name("onceover-server").disable_statement_logging())
}

async fn connect(options: &PgConnectOptions, place: &Place) -> Result<PgConnection, OpenError> {
    let unreachable = |cause: String| OpenError::Unreachable { place: place.clone(), cause };
    let connecting = async {
        let mut connection = options.connect().await?;
        sqlx::raw_sql("set search_path = public").execute(&mut connection).await?;
        Ok::<_, sqlx::Error>(connection)
    };
    match timeout(CONNECTS_WITHIN, connecting).await {
        Ok(connected) => connected.map_err(|error| unreachable(error.to_string())),
        Err(_) => Err(unreachable("it does not answer".to_owned())),
    }
}

fn cannot(place: &Place, error: impl fmt::Display) -> OpenError {
    OpenError::Cannot { place: place.clone(), cause: error.to_string() }
}

/// How far the schema is, and what this user may do; refuses what is not ours, or newer.
async fn look(connection: &mut PgConnection, place: &Place) -> Result<Found, OpenError> {
    let row = sqlx::query(include_str!("open/look.sql")).fetch_one(&mut *connection).await;
    let row = row.map_err(|error| cannot(place, error))?;
    let server: i32 = row.try_get("server").map_err(|error| cannot(place, error))?;
    if server < VERSION_LEAST {
        return Err(OpenError::OldServer(place.clone()));
    }
    let flag = |column| row.try_get::<bool, _>(column).map_err(|error| cannot(place, error));
    let (is_ours, is_empty) = (flag("is_ours")?, flag("is_empty")?);
    let version = if is_ours {
        let version = sqlx::query("select max(version) as version from _sqlx_migrations").fetch_one(connection).await;
        version.and_then(|row| row.try_get("version")).map_err(|_| OpenError::NotOurs(place.clone()))?
    } else if is_empty {
        None
    } else {
        return Err(OpenError::NotOurs(place.clone()));
    };
    if let Some(found) = version.filter(|found| *found > known()) {
        return Err(OpenError::Newer { place: place.clone(), found, known: known() });
    }
    let user = row.try_get("name").map_err(|error| cannot(place, error))?;
    Ok(Found { version, user, may_migrate: flag("may_migrate")? })
}

/// Two nodes that start together wait for each other: the migrator takes a lock of the whole database.
async fn bring_up_to_date(connection: &mut PgConnection, place: &Place, user: &str) -> Result<(), OpenError> {
    let no_role = || OpenError::NoRole { place: place.clone(), user: user.to_owned() };
    if !has_app(connection).await.map_err(|error| cannot(place, error))? {
        let made = sqlx::raw_sql("create role onceover_app nologin").execute(&mut *connection).await;
        // Another node, or another database of this server, may have been first.
        if made.is_err() && !has_app(connection).await.map_err(|error| cannot(place, error))? {
            return Err(no_role());
        }
    }
    if !is_member(connection, user).await.map_err(|error| cannot(place, error))? {
        let granted = sqlx::raw_sql("grant onceover_app to current_user").execute(&mut *connection).await;
        if granted.is_err() && !is_member(connection, user).await.map_err(|error| cannot(place, error))? {
            return Err(no_role());
        }
    }
    MIGRATOR.run(&mut *connection).await.map_err(|error| cannot(place, error))
}

async fn has_app(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let has_app = "select exists (select 1 from pg_catalog.pg_roles where rolname = 'onceover_app')";
    sqlx::query_scalar(has_app).fetch_one(connection).await
}

/// Whether `user` may work as `onceover_app`.
async fn is_member(connection: &mut PgConnection, user: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(include_str!("open/is_member.sql")).bind(user).fetch_one(connection).await
}

/// Works as `onceover_app`, and makes sure that row-level security holds it.
async fn work_as_app(connection: &mut PgConnection, place: &Place, user: &str) -> Result<(), OpenError> {
    if sqlx::raw_sql("set role onceover_app").execute(&mut *connection).await.is_err() {
        return Err(OpenError::NoRole { place: place.clone(), user: user.to_owned() });
    }
    let guarded = sqlx::query_scalar::<_, bool>(include_str!("open/is_guarded.sql")).fetch_one(connection).await;
    if guarded.map_err(|error| cannot(place, error))? { Ok(()) } else { Err(OpenError::Unguarded(place.clone())) }
}

/// A name, as an identifier.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
