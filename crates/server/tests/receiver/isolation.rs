//! Who sees what in PostgreSQL: row-level security holds the role that serves on every table, and the owner too.

use domain::Role;
use onceover_server::storage::webhook::{EndpointId, NewEndpoint};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use uuid::Uuid;

use crate::support::a_case;
use crate::support::database::{Postgres, Site as _};
use crate::support::server::Server;

/// Two tenants with something in every table, and their ids.
async fn two_tenants() -> (Server<Postgres>, Vec<String>) {
    let server: Server<Postgres> = Server::start().await;
    let mut tenants = Vec::new();
    for slug in ["acme", "other"] {
        let person = server.person(slug, "ana", Role::Officer).await;
        assert_eq!(server.refresh(&person.refresh_token, "d1").await.status, 200);
        let tenant = server.storage.tenant_of(slug).await.unwrap().unwrap();
        let endpoint = NewEndpoint {
            id: EndpointId(Uuid::now_v7()),
            url: "mailto:clerk@example.org".to_owned(),
            secret: None,
            events: vec!["case.created"],
            allow_private: false,
        };
        server.storage.add_endpoint(tenant, endpoint, server.now()).await.unwrap();
        let payload = json!({ "title": slug, "kind": "other", "priority": "low", "external_id": "X-1" });
        assert_eq!(person.send(&a_case(slug).with("payload", payload)).await.status, 201);
        tenants.push(tenant.to_string());
    }
    (server, tenants)
}

/// A connection of the owner, working as `role`.
async fn connect(server: &Server<Postgres>, role: &str) -> PgConnection {
    let mut connection = PgConnection::connect(&server.place.url()).await.unwrap();
    let set = AssertSqlSafe(format!("set role {role}"));
    sqlx::raw_sql(set).execute(&mut connection).await.unwrap();
    connection
}

async fn texts(connection: &mut PgConnection, sql: &str) -> Vec<String> {
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(connection).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// The tables of the schema, by whether each row belongs to a tenant.
async fn tables(connection: &mut PgConnection, of_tenants: bool) -> Vec<String> {
    let has = if of_tenants { "exists" } else { "not exists" };
    let sql = format!(
        "select relname::text from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> '_sqlx_migrations'
            and {has} (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id')
          order by 1"
    );
    texts(connection, &sql).await
}

async fn set(connection: &mut PgConnection, name: &str, value: &str) {
    let set = sqlx::query("select set_config($1, $2, false)").bind(name).bind(value);
    set.execute(connection).await.unwrap();
}

async fn count(connection: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn no_table_escapes() {
    let server: Server<Postgres> = Server::start().await;
    let mut connection = connect(&server, "onceover_app").await;
    let unguarded = texts(
        &mut connection,
        "select relname::text from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'f')
            and relname <> '_sqlx_migrations'
            and not (relrowsecurity and relforcerowsecurity
                     and exists (select 1 from pg_policy where polrelid = pg_class.oid))",
    );
    assert_eq!(unguarded.await, Vec::<String>::new());
    // What belongs to a tenant is guarded by the tenant, and has the tenant first in every key: no key spans two.
    let odd = texts(
        &mut connection,
        "select relname::text from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'tenant_id'
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'directory'
            and (exists (select 1 from pg_index where indrelid = pg_class.oid and indkey[0] <> attnum)
                 or not attnotnull
                 or not exists (select 1 from pg_policy where polrelid = pg_class.oid and polcmd = '*' and polname = 'own'
                                   and pg_get_expr(polqual, polrelid) like '%tenant_id = %onceover.tenant%'))",
    );
    assert_eq!(odd.await, Vec::<String>::new());
    // Only these show more to a transaction that asks for it.
    let more = "select relname || ' ' || polcmd::text from pg_policy join pg_class on pg_class.oid = polrelid
                 where polname <> 'own' order by 1";
    assert_eq!(texts(&mut connection, more).await, ["directory r", "server *", "tenant_head r", "webhook_due r"]);
    // Nothing goes round the policies: no view, no function that runs as its owner.
    let round =
        "select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
                  union all select proname::text from pg_proc
                  where pronamespace = 'public'::regnamespace and prosecdef";
    assert_eq!(texts(&mut connection, round).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_role_that_serves_owns_nothing_and_is_above_nothing() {
    let server: Server<Postgres> = Server::start().await;
    let mut connection = connect(&server, "onceover_app").await;
    let role = "select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin
                  from pg_roles where rolname = 'onceover_app'";
    assert!(!sqlx::query_scalar::<_, bool>(role).fetch_one(&mut connection).await.unwrap());
    let owned = "select count(*) from pg_shdepend where deptype = 'o' and refobjid = 'onceover_app'::regrole";
    assert_eq!(count(&mut connection, owned).await, 0);
    let member = "select count(*) from pg_auth_members where member = 'onceover_app'::regrole";
    assert_eq!(count(&mut connection, member).await, 0);
    for forbidden in ["create table mine (n int)", "drop table entity", "alter table entity disable row level security"]
    {
        let refused = sqlx::query(forbidden).execute(&mut connection).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some("42501"), "{forbidden}");
    }
}

/// CASES S16: whatever a query forgets to say, it sees one tenant.
#[tokio::test]
async fn a_query_that_names_no_tenant_sees_its_own_alone() {
    let (server, tenants) = two_tenants().await;
    for role in ["onceover_app", "onceover_owner"] {
        let mut connection = connect(&server, role).await;
        let tables = tables(&mut connection, true).await;
        assert!(tables.len() >= 10, "{tables:?}");
        for table in &tables {
            assert_eq!(count(&mut connection, &format!("select count(*) from {table}")).await, 0, "{table}: nobody's");
        }
        for tenant in &tenants {
            set(&mut connection, "onceover.tenant", tenant).await;
            for table in &tables {
                let own = count(&mut connection, &format!("select count(*) from {table}")).await;
                let foreign = format!("select count(*) from {table} where tenant_id <> '{tenant}'");
                assert_eq!(count(&mut connection, &foreign).await, 0, "{table} as {role}");
                assert!(own > 0, "{table} has rows");
            }
        }
    }
}

#[tokio::test]
async fn nothing_of_another_tenant_can_be_changed() {
    let (server, tenants) = two_tenants().await;
    let mut connection = connect(&server, "onceover_app").await;
    set(&mut connection, "onceover.tenant", &tenants[0]).await;
    let before = sqlx::query("update entity set revision = revision").execute(&mut connection).await.unwrap();
    let own = count(&mut connection, "select count(*) from entity").await;
    assert_eq!(i64::try_from(before.rows_affected()).unwrap(), own);
    let moved = format!("update entity set tenant_id = '{}'", tenants[1]);
    let planted = format!(
        "insert into case_number (tenant_id, year, last) values ('{}', 1999, 7) on conflict do nothing",
        tenants[1]
    );
    for sql in [moved, planted] {
        let refused = sqlx::query(AssertSqlSafe(sql.as_str())).execute(&mut connection).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some("42501"), "{sql}");
    }
}

/// What is looked at across tenants shows which there are and how far they have come, and nothing that they wrote.
#[tokio::test]
async fn a_look_across_tenants_sees_one_table() {
    let (server, _) = two_tenants().await;
    let mut connection = connect(&server, "onceover_app").await;
    for (across, shown) in [
        ("directory", "directory"),
        ("heads", "tenant_head"),
        ("deliveries", "webhook_due"),
        ("anything", ""),
        ("", ""),
    ] {
        set(&mut connection, "onceover.across", across).await;
        for table in tables(&mut connection, true).await {
            let expected = if table == shown { 2 } else { 0 };
            assert_eq!(count(&mut connection, &format!("select count(*) from {table}")).await, expected, "{table}");
        }
        let changed = sqlx::query("update tenant_head set ended = ended + 1").execute(&mut connection).await.unwrap();
        assert_eq!(changed.rows_affected(), 0, "seeing is not changing");
    }
}

#[tokio::test]
async fn the_audit_only_grows_for_the_owner_too() {
    let (server, tenants) = two_tenants().await;
    for (role, code) in [("onceover_app", "42501"), ("onceover_owner", "P0001")] {
        let mut connection = connect(&server, role).await;
        set(&mut connection, "onceover.tenant", &tenants[0]).await;
        for sql in ["update audit set result = 'rejected'", "delete from audit", "truncate audit"] {
            let refused = sqlx::query(sql).execute(&mut connection).await.unwrap_err();
            assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some(code), "{sql} as {role}");
        }
    }
    server.assert_whole().await;
}
