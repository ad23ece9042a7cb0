//! Putting a new store in the place of a damaged one, so that a crash at any point loses neither.
//!
//! The new store is made complete beside the damaged one (`.new`) and closed. Then the damaged file is moved aside,
//! main file first, and the new one takes its name. So whenever the name is free and a `.new` lies there, it is
//! complete, and [`finish`] goes on from there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a database.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Where the new store is made.
pub(super) fn beside(path: &Path) -> PathBuf {
    with_suffix(path, ".new")
}

/// Clears the place where the new store is made.
pub(super) fn clear(path: &Path) -> io::Result<()> {
    let place = beside(path);
    for file in [place.clone(), with_suffix(&place, "-wal"), with_suffix(&place, "-shm")] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Moves the damaged file and its companions aside, and puts the new store in its place. Returns where the damaged
/// one is, if there was one.
pub(super) fn replace(path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(path);
    rename_if_there(path, &aside)?;
    move_companions(path, &aside)?;
    take_place(path)?;
    Ok(aside)
}

/// Goes on where a crash interrupted [`replace`].
pub(super) fn finish(path: &Path) -> io::Result<()> {
    if path.try_exists()? || !beside(path).try_exists()? {
        return Ok(());
    }
    // A WAL left here belongs to the damaged file; SQLite would play it into the new one.
    move_companions(path, &free_name(path))?;
    take_place(path)
}

fn take_place(path: &Path) -> io::Result<()> {
    fs::rename(beside(path), path)?;
    sync_folder(path)
}

fn move_companions(path: &Path, aside: &Path) -> io::Result<()> {
    for companion in COMPANIONS {
        rename_if_there(&with_suffix(path, companion), &with_suffix(aside, companion))?;
    }
    Ok(())
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn free_name(path: &Path) -> PathBuf {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let first = with_suffix(path, &format!(".damaged-{now}"));
    let others = (2..).map(|count| with_suffix(path, &format!(".damaged-{now}-{count}")));
    let mut names = std::iter::once(first).chain(others);
    names.find(|name| !name.exists()).expect("the numbers do not end")
}

/// Makes the renames durable, where the system has a way to ask for it.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_that_was_interrupted_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        fs::write(beside(&path), "new").unwrap();
        fs::write(with_suffix(&path, "-wal"), "of the damaged one").unwrap();
        finish(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!with_suffix(&path, "-wal").exists());
        assert!(!beside(&path).exists());
    }

    #[test]
    fn an_unfinished_new_store_is_left_alone_while_the_damaged_one_is_in_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        fs::write(&path, "damaged").unwrap();
        fs::write(beside(&path), "perhaps half").unwrap();
        finish(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"damaged");
    }
}
