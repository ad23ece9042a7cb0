//! A case with everything its window shows.

use domain::CaseId;
use engine::ports::{Ambient, StoreError};
use engine::present::{Around, case_detail};
use engine::view::CaseDetail;
use sqlx::SqliteConnection;

use super::base::base;
use crate::sqlite::{outbox, session};

/// The case, read in one transaction; `None` if neither the server nor this computer knows it.
pub(crate) async fn detail(
    db: &mut SqliteConnection,
    id: CaseId,
    ambient: Ambient,
) -> Result<Option<CaseDetail>, StoreError> {
    let base = base(db, id).await?;
    let lane = outbox::lane(db, id.into()).await?;
    let sent = outbox::sent_times(db, &lane).await?;
    let version = session::versions(db).await?.cases;
    Ok(case_detail(&lane, Around { ambient: &ambient, base: &base, sent: &sent }, version))
}
