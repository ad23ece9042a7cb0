//! The folder where the test processes of one build agree on their server.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Beside the programs under test, so that each build has its own server.
pub(crate) fn state_folder() -> Result<PathBuf> {
    let program = std::env::current_exe().context("find the folder of the tests")?;
    let folder = program.parent().context("a program lies in a folder")?;
    let built = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    let state = built.join("test-postgres");
    fs::create_dir_all(&state).with_context(|| format!("make {}", state.display()))?;
    Ok(state)
}

/// Opens a file to lock it.
pub(crate) fn open(path: &Path) -> Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    file.with_context(|| format!("open {}", path.display()))
}
