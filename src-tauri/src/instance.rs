//! One program a profile: a second start brings the first one's window forward. And ending when the system says so.
//!
//! This is a courtesy, not the lock: where there is no session bus, the profile's own lock stops the second start.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Wry};

use crate::windows;

/// Ends a second start with this profile, after the first has come forward.
pub(crate) fn only_one(home: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, _arguments, _folder| windows::focus_main(app))
        .dbus_id(bus_name(home))
        .build()
}

/// A name for this profile on the session bus. Two builds may hash differently; then the lock decides.
fn bus_name(home: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    format!("org.onceover.desktop.p{:016x}", hasher.finish())
}

/// Ends the program in order on SIGTERM, SIGINT and SIGHUP.
#[cfg(unix)]
pub(crate) fn end_when_told(app: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            match signal(kind) {
                Ok(mut told) => {
                    if told.recv().await.is_some() {
                        app.exit(0);
                    }
                }
                Err(error) => tracing::warn!(%error, "a signal to end would not be heard"),
            }
        });
    }
}

/// Elsewhere the system closes the windows.
#[cfg(not(unix))]
pub(crate) fn end_when_told(_app: &AppHandle) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_has_a_name_of_its_own_that_the_bus_takes() {
        let name = bus_name(Path::new("/home/mara/.local/share/onceover"));
        assert_ne!(name, bus_name(Path::new("/home/mara/other")));
        let is_element = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic())
                && part.chars().all(|one| one.is_ascii_alphanumeric())
        };
        assert!(name.len() < 200 && name.split('.').all(is_element), "{name}");
    }
}
