//! The demo's own folder: known by a file in it, so that nothing else is ever emptied.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Says that the folder is the demo's, and what it was filled with.
const MARK: &str = "onceover-demo.txt";

/// A folder that belongs to the demo.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Takes `path`: new, empty, or the demo's already.
    ///
    /// # Errors
    /// It holds something else, or it cannot be written.
    pub(crate) fn take(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("make {}", path.display()))?;
        let path = path.canonicalize().with_context(|| format!("find {}", path.display()))?;
        let folder = Self(path);
        if !folder.mark().exists() {
            let mut inside = fs::read_dir(&folder.0).with_context(|| format!("look into {}", folder.0.display()))?;
            ensure!(inside.next().is_none(), "{} holds something that is not the demo's", folder.0.display());
            folder.set("being filled")?;
        }
        Ok(folder)
    }

    /// Whether it was filled completely with this.
    pub(crate) fn holds(&self, content: &str) -> bool {
        fs::read_to_string(self.mark()).is_ok_and(|text| text.trim_end() == content)
    }

    /// Whether a filling was completed at all.
    pub(crate) fn is_filled(&self) -> bool {
        fs::read_to_string(self.mark()).is_ok_and(|text| text.starts_with("filled"))
    }

    /// Removes everything in it.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub(crate) fn empty(&self) -> Result<()> {
        self.set("being filled")?;
        for entry in fs::read_dir(&self.0).context("look into the demo's folder")? {
            let path = entry.context("look into the demo's folder")?.path();
            if path == self.mark() {
                continue;
            }
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.with_context(|| format!("remove {}", path.display()))?;
        }
        Ok(())
    }

    /// Records what it holds now.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn set(&self, content: &str) -> Result<()> {
        fs::write(self.mark(), format!("{content}\n")).with_context(|| format!("write {}", self.mark().display()))
    }

    fn mark(&self) -> PathBuf {
        self.0.join(MARK)
    }
}
