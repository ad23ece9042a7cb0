//! `import`: placeholder file until the map is read.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::Failure;

/// `import`
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The organization's slug.
    #[arg(long)]
    tenant: String,
    /// How columns become fields.
    #[arg(long)]
    map: PathBuf,
    /// JSON lines or CSV, by its extension.
    file: PathBuf,
}

impl Import {
    pub(super) async fn run(self, _path: &Path) -> Result<(), Failure> {
        Err(Failure::Usage(format!("{:?}", self)))
    }
}
