//! Makes database files that only the account of the server can read: they hold everybody's data.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Makes an empty file there, if there is none; SQLite fills it, and gives its journal the same mode.
///
/// # Errors
/// Why there is none afterwards.
pub(super) fn make(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(|_| ()),
    }
}

/// A file beside `path` that belongs to it.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A name beside `path` that nothing has, for what is to become `path`.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    beside(path, &format!(".{}", Uuid::now_v7()))
}

/// Gives `draft` the name `path` once all of it is on the disk, in place of whatever has that name.
///
/// # Errors
/// Why it is not there; `path` is then as it was.
pub(super) fn put(draft: &Path, path: &Path) -> io::Result<()> {
    File::open(draft)?.sync_all()?;
    fs::rename(draft, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A folder can be synced on Unix alone; elsewhere the name is kept by the file system's own journal.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
