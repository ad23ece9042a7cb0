//! What a window is: the one answer that is the shell's own.

use domain::{CaseId, CommandId};
use serde::Serialize;
use ts_rs::TS;

/// Which window this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum WindowKind {
    /// The list and one case.
    Main,
    /// One case.
    Case {
        /// Which.
        id: CaseId,
    },
    /// The sync centre.
    Sync,
    /// One conflict.
    Conflict {
        /// The change that met it.
        command_id: CommandId,
    },
}
