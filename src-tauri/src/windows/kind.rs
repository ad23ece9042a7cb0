//! The kinds of window: label, size and first title of each (UI, section 3).

use domain::{CaseId, CommandId};

use crate::ipc::WindowKind;

/// A width and a height in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub width: f64,
    pub height: f64,
}

/// No window is smaller than this.
pub(crate) const MINIMUM: Size = Size { width: 900.0, height: 600.0 };

impl WindowKind {
    /// The window's label: one window a label, so that opening twice finds the first.
    pub(crate) fn label(self) -> String {
        match self {
            Self::Main => "main".to_owned(),
            Self::Case { id } => format!("case-{id}"),
            Self::Sync => "sync".to_owned(),
            Self::Conflict { command_id } => format!("conflict-{command_id}"),
        }
    }

    /// The window a label names.
    pub(crate) fn of(label: &str) -> Option<Self> {
        match label {
            "main" => Some(Self::Main),
            "sync" => Some(Self::Sync),
            _ => {
                let case = label.strip_prefix("case-").and_then(|id| id.parse::<CaseId>().ok());
                let command = || label.strip_prefix("conflict-").and_then(|id| id.parse::<CommandId>().ok());
                case.map(|id| Self::Case { id }).or_else(|| command().map(|command_id| Self::Conflict { command_id }))
            }
        }
    }

    /// The name its size and place are remembered under.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Case { .. } => "case",
            Self::Sync => "sync",
            Self::Conflict { .. } => "conflict",
        }
    }

    /// The size it has when nothing is remembered.
    pub(crate) fn default_size(self) -> Size {
        match self {
            Self::Main => Size { width: 1280.0, height: 800.0 },
            Self::Case { .. } => Size { width: 1080.0, height: 780.0 },
            Self::Sync => Size { width: 1080.0, height: 800.0 },
            Self::Conflict { .. } => Size { width: 1120.0, height: 800.0 },
        }
    }

    /// The title until the window gives its own.
    pub(crate) fn first_title(self) -> &'static str {
        match self {
            Self::Main => "Onceover",
            Self::Case { .. } => "Case — Onceover",
            Self::Sync => "Sync centre — Onceover",
            Self::Conflict { .. } => "Conflict — Onceover",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_its_window_and_no_other() {
        let id = "0197f3c2-5a10-7000-8000-000000000001";
        let kinds = [
            WindowKind::Main,
            WindowKind::Case { id: id.parse().unwrap() },
            WindowKind::Sync,
            WindowKind::Conflict { command_id: id.parse().unwrap() },
        ];
        for kind in kinds {
            assert_eq!(WindowKind::of(&kind.label()), Some(kind));
        }
        for stranger in ["", "case-", "case-x", "Main", "conflict", "settings"] {
            assert_eq!(WindowKind::of(stranger), None, "{stranger}");
        }
    }
}
