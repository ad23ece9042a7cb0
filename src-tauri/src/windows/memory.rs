//! The places of windows, kept in `windows.json` in the profile. Losing it loses nothing but comfort, so that
//! trouble with it is logged and never shown.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::place::Place;

/// The last place of each kind of window.
pub(crate) struct Memory {
    home: PathBuf,
    file: PathBuf,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    by_kind: BTreeMap<String, Place>,
    is_stored: bool,
}

impl Memory {
    /// What `windows.json` in `home` holds; nothing, if it cannot be read.
    pub(crate) fn read(home: &Path) -> Self {
        let file = home.join("windows.json");
        let mut by_kind: BTreeMap<String, Place> = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(%error, "windows.json is not understood; windows open at their default places");
                BTreeMap::new()
            }),
            Err(_) => BTreeMap::new(),
        };
        by_kind.retain(|_, place| place.is_sane());
        Self { home: home.to_owned(), file, places: Mutex::new(Places { by_kind, is_stored: true }) }
    }

    /// The folder that the webview keeps its own things in (drafts of forms): one a profile, like everything else.
    pub(crate) fn webview_folder(&self) -> PathBuf {
        self.home.join("webview")
    }

    /// Where the last window of this kind stood.
    pub(crate) fn place(&self, kind: &str) -> Option<Place> {
        self.lock().by_kind.get(kind).copied()
    }

    /// Notes where a window of this kind stands now.
    pub(crate) fn note(&self, kind: &str, place: Place) {
        let mut places = self.lock();
        if place.is_sane() && places.by_kind.insert(kind.to_owned(), place) != Some(place) {
            places.is_stored = false;
        }
    }

    /// Writes what was noted, if anything was.
    pub(crate) fn store(&self) {
        let bytes = {
            let mut places = self.lock();
            if std::mem::replace(&mut places.is_stored, true) {
                return;
            }
            serde_json::to_vec_pretty(&places.by_kind)
        };
        if let Err(error) = bytes.map_err(io::Error::from).and_then(|bytes| replace(&self.file, &bytes)) {
            tracing::warn!(%error, "the places of the windows could not be stored");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes beside and renames: a crash leaves the old file or the new one.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension("json.new");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { x: 1.0, y: 2.0, width: 1000.0, height: 700.0, maximized: true };

    #[test]
    fn a_place_is_found_again() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::read(home.path());
        assert_eq!(memory.place("case"), None);
        memory.note("case", PLACE);
        memory.store();
        assert_eq!(Memory::read(home.path()).place("case"), Some(PLACE));
    }

    #[test]
    fn nonsense_and_an_unwritable_folder_are_survived() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("windows.json"), "{ not json").unwrap();
        assert_eq!(Memory::read(home.path()).place("main"), None);
        let nonsense = r#"{"main":{"x":0,"y":0,"width":-5,"height":1}}"#;
        fs::write(home.path().join("windows.json"), nonsense).unwrap();
        assert_eq!(Memory::read(home.path()).place("main"), None);
        let absent = Memory::read(&home.path().join("absent"));
        absent.note("main", PLACE);
        absent.store();
        assert_eq!(absent.place("main"), Some(PLACE));
    }
}
