//! `webhook rotate`: another secret, beside the one before it for as long as the receiver needs to change.

use crate::cli::database::Database;
use crate::cli::webhook::{Of, Which, read_secret, sealed_secret};
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::storage::webhook::{EndpointRow, NewSecret, WhichEndpoint};
use crate::storage::{AdminError, Storage};
use crate::webhooks::target::Target;

pub(super) async fn run(
    database: &Database,
    db: &dyn Storage,
    of: Of,
    which: Which,
    grace_h: u16,
) -> Result<(), Failure> {
    let tenant = of.find(db).await?;
    let (named, which) = which.named();
    let is_meant = |row: &EndpointRow| match &which {
        WhichEndpoint::Id(id) => row.endpoint_id == *id,
        WhichEndpoint::Url(url) => row.url == *url,
    };
    let Some(row) = db.endpoints(tenant).await?.into_iter().find(is_meant) else {
        return Err(AdminError::Unknown(format!("endpoint {named}")).into());
    };
    if matches!(Target::read(&row.url, true), Ok(Target::Mail(_))) {
        return Err(Failure::Usage("mail is not signed: it has no secret".to_owned()));
    }
    let (now, secret) = (Clock::system().now(), read_secret()?);
    let secret = sealed_secret(&database.key(db).await?, tenant, row.endpoint_id, &secret)?;
    let former_until = (grace_h > 0).then(|| now.plus_ms(i64::from(grace_h) * 3_600_000));
    if !db.rotate_secret(tenant, row.endpoint_id, NewSecret { secret, former_until }, now).await? {
        let until = row.former_secret_until.map_or_else(String::new, |until| format!(" until {until}"));
        let detail =
            format!("the former secret of {named} still signs{until}; --grace-h 0 lets the new one sign alone");
        return Err(Failure::Data(detail));
    }
    match former_until {
        Some(until) => say(&format!("both secrets sign until {until}")),
        None => say("the new secret signs alone"),
    }
}
