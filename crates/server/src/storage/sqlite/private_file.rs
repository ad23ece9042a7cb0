//! Makes database files that only the account of the server can read: they hold everybody's data.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

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
