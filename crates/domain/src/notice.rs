//! A notice issued on a case: a formal letter that leaves the organization.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ActorId, CaseId, NoticeId, Revision, Timestamp};

/// One notice as the feed carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Notice {
    /// The notice's id, made by the issuer's computer.
    pub id: NoticeId,
    /// The case it belongs to.
    pub case_id: CaseId,
    /// A slug such as `warning` or `order`.
    pub kind: String,
    /// To whom it goes.
    pub recipient: String,
    /// Its text.
    pub body: String,
    /// Always 1.
    pub revision: Revision,
    /// When the server committed it.
    pub created_at: Timestamp,
    /// Who issued it.
    pub created_by: ActorId,
}
