//! What the actor was told of cases.

use domain::{CommandId, Notification};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::outbox::Mark;

/// A word to the actor, and the case it tells of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NotificationView {
    /// With a pending reading applied.
    #[serde(flatten)]
    pub notification: Notification,
    /// The case's number or external id, if this computer knows one.
    pub case_label: Option<String>,
    /// The case's title; empty if this computer does not hold the case.
    pub case_title: String,
    /// The command that says that it was read, while it is not received.
    pub command_id: Option<CommandId>,
    /// That command's mark.
    pub mark: Option<Mark>,
}
