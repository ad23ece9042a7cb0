//! The cases the work is about: made by `cargo xtask generate`, taken over by `onceover-server import`.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The first `count` lines of `all`, as a file in `folder`.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn first(all: &Path, count: usize, folder: &Path) -> Result<PathBuf> {
    let path = folder.join(format!("cases-{count}.jsonl"));
    let from = BufReader::new(File::open(all).with_context(|| format!("open {}", all.display()))?);
    let mut to = BufWriter::new(File::create(&path).with_context(|| format!("make {}", path.display()))?);
    for line in from.lines().take(count) {
        writeln!(to, "{}", line.context("read the cases")?).context("write the cases")?;
    }
    to.flush().context("write the cases")?;
    Ok(path)
}
