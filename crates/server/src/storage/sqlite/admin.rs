//! Tenants and users. A change of a user writes its `member` entity into the feed in the same transaction.

use domain::{ActorId, Revision, Role, TenantId, Timestamp};
use sqlx::{Row as _, SqliteConnection};
use uuid::Uuid;
use wire::feed::MemberEntity;

use crate::command::answer::json;
use crate::execution::FeedChange;
use crate::storage::sqlite::row::{get, integer, named, parsed, stored, time};
use crate::storage::sqlite::writer::fault;
use crate::storage::sqlite::{Sqlite, audit};
use crate::storage::user::StoredUser;
use crate::storage::{AdminError, NewUser, StorageError, UserChange, deeds};

pub(super) async fn tenants(db: &Sqlite) -> Result<Vec<(TenantId, String)>, StorageError> {
    let rows = sqlx::query("select tenant_id, slug from tenant order by slug").fetch_all(&db.readers).await;
    rows.map_err(fault)?.iter().map(|row| Ok((parsed(row, "tenant_id")?, get(row, "slug")?))).collect()
}

pub(super) async fn tenant_of(db: &Sqlite, slug: &str) -> Result<Option<TenantId>, StorageError> {
    let query = sqlx::query("select tenant_id from tenant where slug = ?1").bind(slug);
    let row = query.fetch_optional(&db.readers).await.map_err(fault)?;
    row.map(|row| parsed(&row, "tenant_id")).transpose()
}

pub(super) async fn add_tenant(db: &Sqlite, slug: &str, name: &str, now: Timestamp) -> Result<TenantId, AdminError> {
    let tenant = TenantId(Uuid::now_v7());
    let (added, known) = ((slug.to_owned(), name.to_owned()), slug);
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let query = sqlx::query(include_str!("admin/add_tenant.sql")).bind(tenant.to_string());
            let query = query.bind(added.0).bind(added.1).bind(now.0);
            Ok(query.execute(connection).await.map_err(fault)?.rows_affected() > 0)
        })
    });
    if work.await? { Ok(tenant) } else { Err(AdminError::Exists(format!("tenant {known:?}"))) }
}

pub(super) async fn add_user(db: &Sqlite, user: NewUser, now: Timestamp) -> Result<ActorId, AdminError> {
    let (slug, username) = (user.slug.clone(), user.username.clone());
    if tenant_of(db, &slug).await?.is_none() {
        return Err(AdminError::Unknown(format!("tenant {slug:?}")));
    }
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let id = ActorId(Uuid::now_v7());
            let query = sqlx::query(include_str!("admin/add_actor.sql")).bind(&user.slug).bind(id.to_string());
            let query = query.bind(&user.username).bind(&user.display_name).bind(user.role.name());
            let query = query.bind(&user.password_hash).bind(user.disabled).bind(now.0);
            if query.execute(&mut *connection).await.map_err(fault)?.rows_affected() == 0 {
                return Ok(None);
            }
            let Some(mut actor) = find(connection, &user.slug, &user.username).await? else { return Ok(None) };
            add_role(connection, &actor, now).await?;
            save(connection, &mut actor, None, now).await?;
            audit::append(connection, actor.tenant, deeds::user_added(&actor.member, now)).await?;
            Ok(Some(id))
        })
    });
    work.await?.ok_or_else(|| AdminError::Exists(format!("user {username:?} of tenant {slug:?}")))
}

pub(super) async fn change_user(
    db: &Sqlite,
    slug: &str,
    username: &str,
    change: UserChange,
    now: Timestamp,
) -> Result<(), AdminError> {
    let (of, name) = (slug.to_owned(), username.to_owned());
    let work = db.writer.run(move |connection| {
        Box::pin(async move {
            let Some(mut actor) = find(connection, &of, &name).await? else { return Ok(false) };
            apply(connection, &mut actor, change, now).await.map(|()| true)
        })
    });
    if work.await? { Ok(()) } else { Err(AdminError::Unknown(format!("user {username:?} of tenant {slug:?}"))) }
}

async fn apply(
    connection: &mut SqliteConnection,
    user: &mut StoredUser,
    change: UserChange,
    now: Timestamp,
) -> Result<(), StorageError> {
    let deed = deeds::user_changed(&change, &user.member, now);
    let Some(consequences) = user.apply(change) else { return Ok(()) };
    if consequences.has_new_role {
        add_role(connection, user, now).await?;
    }
    if consequences.ends_sessions {
        let query = sqlx::query(include_str!("admin/end_sessions.sql")).bind(user.tenant.to_string());
        let query = query.bind(user.member.id.to_string()).bind(now.0);
        query.execute(&mut *connection).await.map_err(fault)?;
        sqlx::query(include_str!("session/count_end.sql")).execute(&mut *connection).await.map_err(fault)?;
    }
    save(connection, user, consequences.password_hash, now).await?;
    audit::append(connection, user.tenant, deed).await
}

async fn find(
    connection: &mut SqliteConnection,
    slug: &str,
    username: &str,
) -> Result<Option<StoredUser>, StorageError> {
    let query = sqlx::query(include_str!("admin/actor.sql")).bind(slug).bind(username);
    let Some(row) = query.fetch_optional(connection).await.map_err(fault)? else { return Ok(None) };
    Ok(Some(StoredUser {
        tenant: parsed(&row, "tenant_id")?,
        member: MemberEntity {
            id: parsed(&row, "actor_id")?,
            username: get(&row, "username")?,
            display_name: get(&row, "display_name")?,
            role: named(&row, "role", Role::named)?,
            disabled: get::<i64>(&row, "disabled")? != 0,
            revision: Revision(integer(&row, "revision")?),
            created_at: time(&row, "created_at")?,
        },
        session_version: get(&row, "session_version")?,
        head: integer(&row, "feed_head")?,
    }))
}

async fn add_role(connection: &mut SqliteConnection, user: &StoredUser, now: Timestamp) -> Result<(), StorageError> {
    let query = sqlx::query(include_str!("admin/add_role.sql")).bind(user.tenant.to_string());
    let query = query.bind(user.member.id.to_string()).bind(user.member.role.name()).bind(now.0);
    query.execute(connection).await.map_err(fault).map(|_| ())
}

/// Stores the user and puts its member entity into the feed.
async fn save(
    connection: &mut SqliteConnection,
    user: &mut StoredUser,
    password_hash: Option<String>,
    now: Timestamp,
) -> Result<(), StorageError> {
    let writes = user.announce(now);
    let member = &user.member;
    let query = sqlx::query(include_str!("admin/update_actor.sql")).bind(user.tenant.to_string());
    let query = query.bind(member.id.to_string()).bind(member.role.name()).bind(member.disabled);
    let query = query.bind(user.session_version).bind(i64::from(member.revision.0)).bind(password_hash);
    query.execute(&mut *connection).await.map_err(fault)?;
    for change in &writes.changes {
        put_in_feed(connection, user.tenant, change).await?;
    }
    Ok(())
}

/// The newest change of the tenant's feed.
async fn put_in_feed(
    connection: &mut SqliteConnection,
    tenant: TenantId,
    change: &FeedChange,
) -> Result<(), StorageError> {
    let (tenant, seq) = (tenant.to_string(), stored(change.seq));
    let query = sqlx::query(include_str!("write/entity.sql")).bind(&tenant).bind(change.kind);
    let query = query.bind(change.id.to_string()).bind(i64::from(change.revision.0)).bind(seq);
    let query = query.bind(change.visible_to.map(|id| id.to_string()));
    let query = query.bind(change.command_id.map(|id| id.to_string())).bind(change.at.0).bind(&change.body);
    query.execute(&mut *connection).await.map_err(fault)?;
    let query = sqlx::query(include_str!("write/head.sql")).bind(&tenant).bind(seq);
    query.bind(None::<i64>).bind(None::<String>).execute(connection).await.map_err(fault).map(|_| ())
}

pub(super) async fn usernames(db: &Sqlite, tenant: TenantId) -> Result<Vec<(ActorId, String)>, StorageError> {
    let query = sqlx::query("select actor_id, username from actor where tenant_id = ?1").bind(tenant.to_string());
    let rows = query.fetch_all(&db.readers).await.map_err(fault)?;
    rows.iter().map(|row| Ok((parsed(row, "actor_id")?, get(row, "username")?))).collect()
}

pub(super) async fn known_external_ids(
    db: &Sqlite,
    tenant: TenantId,
    external_ids: Vec<String>,
) -> Result<Vec<String>, StorageError> {
    let query = sqlx::query(include_str!("admin/known_external_ids.sql")).bind(tenant.to_string());
    let rows = query.bind(json(&external_ids)).fetch_all(&db.readers).await.map_err(fault)?;
    rows.iter().map(|row| row.try_get("external_id").map_err(fault)).collect()
}
