//! Which tenants there are: the one thing that is looked up before it is known whose rows are meant.

use domain::TenantId;
use sqlx::PgConnection;

use crate::storage::StorageError;
use crate::storage::postgres::Postgres;
use crate::storage::postgres::fault::Fault;
use crate::storage::postgres::row::{get, id};
use crate::storage::postgres::transaction::{Opening, Scope, run};

pub(super) async fn tenant_of(db: &Postgres, slug: &str) -> Result<Option<TenantId>, StorageError> {
    let slug = slug.to_owned();
    let found = run(&db.pool, Opening::read(Scope::Directory), move |opened| {
        let query = sqlx::query("select tenant_id from directory where slug = $1").bind(slug.clone());
        Box::pin(async move {
            let row = query.fetch_optional(opened.connection).await?;
            Ok(row.map(|row| id(&row, "tenant_id")).transpose()?)
        })
    });
    found.await
}

/// Every tenant.
pub(super) async fn all(db: &Postgres) -> Result<Vec<(TenantId, String)>, StorageError> {
    run(&db.pool, Opening::read(Scope::Directory), |opened| Box::pin(tenants(opened.connection))).await
}

/// Every tenant, in a transaction that looks across them; afterwards it sees none.
pub(super) async fn tenants(connection: &mut PgConnection) -> Result<Vec<(TenantId, String)>, Fault> {
    let rows = sqlx::query("select tenant_id, slug from directory order by slug").fetch_all(connection).await?;
    let tenants = rows.iter().map(|row| Ok((id(row, "tenant_id")?, get(row, "slug")?)));
    Ok(tenants.collect::<Result<_, StorageError>>()?)
}

/// From here on the transaction looks across tenants and sees nothing of any.
pub(super) async fn look_across(connection: &mut PgConnection) -> Result<(), Fault> {
    let look = "select set_config('onceover.tenant', '', true), set_config('onceover.across', 'directory', true)";
    sqlx::query(look).execute(connection).await?;
    Ok(())
}

/// From here on the transaction is about this tenant alone.
pub(super) async fn enter(connection: &mut PgConnection, tenant: TenantId) -> Result<(), Fault> {
    let enter = "select set_config('onceover.tenant', $1, true), set_config('onceover.across', '', true)";
    sqlx::query(enter).bind(tenant.to_string()).execute(connection).await?;
    Ok(())
}
