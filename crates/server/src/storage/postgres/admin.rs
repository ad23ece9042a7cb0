//! Tenants and users. A change of a user writes its `member` entity into the feed in the same transaction.

use domain::{ActorId, Revision, Role, TenantId, Timestamp};
use sqlx::PgConnection;
use uuid::Uuid;
use wire::feed::MemberEntity;

use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::{get, id, integer, named, time};
use crate::storage::postgres::transaction::{Opening, Scope, run};
use crate::storage::postgres::{LOCK_TENANT, Postgres, audit, directory, session, write};
use crate::storage::user::StoredUser;
use crate::storage::{AdminError, NewUser, StorageError, UserChange, deeds};

pub(super) async fn add_tenant(db: &Postgres, slug: &str, name: &str, now: Timestamp) -> Result<TenantId, AdminError> {
    let tenant = TenantId(Uuid::now_v7());
    let (added, known) = ((slug.to_owned(), name.to_owned()), slug);
    let is_new = run(&db.pool, Opening::write(Scope::Tenant(tenant)), move |opened| {
        let (slug, name) = added.clone();
        Box::pin(async move {
            let query = sqlx::query(include_str!("admin/add_slug.sql")).bind(tenant.0).bind(&slug);
            if query.execute(&mut *opened.connection).await?.rows_affected() == 0 {
                return Ok(false);
            }
            let query = sqlx::query(include_str!("admin/add_tenant.sql")).bind(tenant.0).bind(&slug).bind(&name);
            query.bind(now.0).execute(opened.connection).await?;
            Ok(true)
        })
    });
    if is_new.await? { Ok(tenant) } else { Err(AdminError::Exists(format!("tenant {known:?}"))) }
}

pub(super) async fn add_user(db: &Postgres, user: NewUser, now: Timestamp) -> Result<ActorId, AdminError> {
    let (slug, username) = (user.slug.clone(), user.username.clone());
    let tenant = directory::tenant_of(db, &slug).await?;
    let tenant = tenant.ok_or_else(|| AdminError::Unknown(format!("tenant {slug:?}")))?;
    let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
    let added = run(&db.pool, opening, move |opened| {
        let user = user.clone();
        Box::pin(async move {
            let id = ActorId(Uuid::now_v7());
            let query = sqlx::query(include_str!("admin/add_actor.sql")).bind(tenant.0).bind(id.0);
            let query = query.bind(&user.username).bind(&user.display_name).bind(user.role.name());
            let query = query.bind(&user.password_hash).bind(user.disabled).bind(now.0);
            if query.execute(&mut *opened.connection).await?.rows_affected() == 0 {
                return Ok(None);
            }
            let Some(mut actor) = find(opened.connection, tenant, &user.username).await? else { return Ok(None) };
            add_role(opened.connection, &actor, now).await?;
            save(opened.connection, &mut actor, None, now).await?;
            audit::append(opened.connection, tenant, deeds::user_added(&actor.member, now)).await?;
            Ok(Some(id))
        })
    });
    added.await?.ok_or_else(|| AdminError::Exists(format!("user {username:?} of tenant {slug:?}")))
}

pub(super) async fn change_user(
    db: &Postgres,
    slug: &str,
    username: &str,
    change: UserChange,
    now: Timestamp,
) -> Result<(), AdminError> {
    let unknown = || AdminError::Unknown(format!("user {username:?} of tenant {slug:?}"));
    let tenant = directory::tenant_of(db, slug).await?.ok_or_else(unknown)?;
    let name = username.to_owned();
    let opening = Opening::write(Scope::Tenant(tenant)).first(LOCK_TENANT);
    let changed = run(&db.pool, opening, move |opened| {
        let (name, change) = (name.clone(), change.clone());
        Box::pin(async move {
            let Some(mut actor) = find(opened.connection, tenant, &name).await? else { return Ok(false) };
            apply(opened.connection, &mut actor, change, now).await.map(|()| true)
        })
    });
    if changed.await? { Ok(()) } else { Err(unknown()) }
}

async fn apply(
    connection: &mut PgConnection,
    user: &mut StoredUser,
    change: UserChange,
    now: Timestamp,
) -> Result<(), Fault> {
    let deed = deeds::user_changed(&change, &user.member, now);
    let Some(consequences) = user.apply(change) else { return Ok(()) };
    if consequences.has_new_role {
        add_role(connection, user, now).await?;
    }
    if consequences.ends_sessions {
        let query = sqlx::query(include_str!("admin/end_sessions.sql")).bind(user.tenant.0);
        query.bind(user.member.id.0).bind(now.0).execute(&mut *connection).await?;
        session::count_end(connection, user.tenant).await?;
    }
    save(connection, user, consequences.password_hash, now).await?;
    audit::append(connection, user.tenant, deed).await
}

/// The user, with the tenant's row held by this transaction.
async fn find(connection: &mut PgConnection, tenant: TenantId, username: &str) -> Result<Option<StoredUser>, Fault> {
    let query = sqlx::query(include_str!("admin/actor.sql")).bind(tenant.0).bind(username);
    let Some(row) = query.fetch_optional(connection).await? else { return Ok(None) };
    Ok(Some(StoredUser {
        tenant,
        member: MemberEntity {
            id: id(&row, "actor_id")?,
            username: get(&row, "username")?,
            display_name: get(&row, "display_name")?,
            role: named(&row, "role", Role::named)?,
            disabled: get(&row, "disabled")?,
            revision: Revision(integer(&row, "revision")?),
            created_at: time(&row, "created_at")?,
        },
        session_version: get(&row, "session_version")?,
        head: integer(&row, "feed_head")?,
    }))
}

async fn add_role(connection: &mut PgConnection, user: &StoredUser, now: Timestamp) -> Result<(), Fault> {
    let query = sqlx::query(include_str!("admin/add_role.sql")).bind(user.tenant.0).bind(user.member.id.0);
    query.bind(user.member.role.name()).bind(now.0).execute(connection).await?;
    Ok(())
}

/// Stores the user and puts its member entity into the feed.
async fn save(
    connection: &mut PgConnection,
    user: &mut StoredUser,
    password_hash: Option<String>,
    now: Timestamp,
) -> Result<(), Fault> {
    let writes = user.announce(now);
    let member = &user.member;
    let query = sqlx::query(include_str!("admin/update_actor.sql")).bind(user.tenant.0).bind(member.id.0);
    let query = query.bind(member.role.name()).bind(member.disabled).bind(user.session_version);
    query.bind(i64::from(member.revision.0)).bind(password_hash).execute(&mut *connection).await?;
    write::writes(connection, user.tenant, &writes).await
}

pub(super) async fn usernames(db: &Postgres, tenant: TenantId) -> Result<Vec<(ActorId, String)>, StorageError> {
    let people = run(&db.pool, Opening::read(Scope::Tenant(tenant)), move |opened| {
        let query = sqlx::query("select actor_id, username from actor where tenant_id = $1").bind(tenant.0);
        Box::pin(async move {
            let rows = query.fetch_all(opened.connection).await?;
            let people = rows.iter().map(|row| Ok((id(row, "actor_id")?, get(row, "username")?)));
            Ok(people.collect::<Result<_, StorageError>>()?)
        })
    });
    people.await
}

pub(super) async fn known_external_ids(
    db: &Postgres,
    tenant: TenantId,
    external_ids: Vec<String>,
) -> Result<Vec<String>, StorageError> {
    let known = run(&db.pool, Opening::read(Scope::Tenant(tenant)), move |opened| {
        let query = sqlx::query(include_str!("admin/known_external_ids.sql")).bind(tenant.0);
        let query = query.bind(external_ids.clone());
        Box::pin(async move {
            let rows = query.fetch_all(opened.connection).await?;
            Ok(rows.iter().map(|row| get(row, "external_id")).collect::<Result<_, StorageError>>()?)
        })
    });
    known.await
}
