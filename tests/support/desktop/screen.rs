//! The screen: windows stand side by side on it, and pictures of the whole of it are taken.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::Desktop;

/// Left and right half of a screen of 2560 × 1000: x, y, width, height.
pub const LEFT: [i64; 4] = [0, 0, 1272, 1000];
/// The right half.
pub const RIGHT: [i64; 4] = [1288, 0, 1272, 1000];

impl Desktop {
    /// Writes a picture of the whole screen to `artifacts/desktop/STORY-NAME.png`.
    ///
    /// # Panics
    /// When the screen cannot be read.
    pub async fn picture(&self, name: &str) {
        // What was just changed must be drawn before it can be taken.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let is_taken = take_picture(&format!("{}-{name}", self.story));
        assert!(is_taken, "a picture is taken (package imagemagick)");
    }
}

/// Puts the main window left and all others right, as if they had been left there; an older memory stays.
pub(super) fn place_windows(home: &Path) {
    let file = home.join("windows.json");
    if file.exists() {
        return;
    }
    let place = |[x, y, width, height]: [i64; 4]| json!({ "x": x, "y": y, "width": width, "height": height });
    let right = || place(RIGHT);
    let places = json!({ "main": place(LEFT), "case": right(), "sync": right(), "conflict": right() });
    std::fs::write(file, places.to_string()).expect("the profile's folder can be written");
}

pub(super) fn take_picture(name: &str) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../artifacts/desktop");
    std::fs::create_dir_all(&folder).ok();
    let taken = Command::new("import").args(["-window", "root"]).arg(folder.join(format!("{name}.png"))).status();
    taken.is_ok_and(|status| status.success())
}
