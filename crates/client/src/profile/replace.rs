//! Files that are whole or not there: written beside, made durable, then put in place.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{NamedTempFile, PersistError};

/// Replaces the file by `bytes`, readable by its owner only. After a crash the old or the new one is there, whole.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_beside(path, bytes, |file| file.persist(path))
}

/// Makes the file with `bytes`, readable by its owner only; fails if it exists.
pub(crate) fn create_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_beside(path, bytes, |file| file.persist_noclobber(path))
}

fn write_beside(
    path: &Path,
    bytes: &[u8],
    put: impl FnOnce(NamedTempFile) -> Result<File, PersistError>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    put(file).map_err(|error| error.error)?;
    // The name is durable only once its folder is.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}
