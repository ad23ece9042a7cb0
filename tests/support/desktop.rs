//! The real application in real windows, driven by `WebKitWebDriver`. Needs what `cargo xtask session` gives: a screen
//! and a session bus.

mod page;
mod screen;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use thirtyfour::{Capabilities, WebDriver};

pub use self::page::id;
pub use self::screen::{LEFT, RIGHT};
use crate::server::binary;
use crate::wait::until;

/// The application on one profile.
pub struct Desktop {
    story: &'static str,
    home: PathBuf,
    driver_process: Child,
    web: WebDriver,
}

impl Desktop {
    /// Starts the application on the profile in `home`. The story's name is the beginning of its pictures' names.
    ///
    /// # Panics
    /// When no window appears.
    pub async fn started(story: &'static str, home: &Path) -> Self {
        crate::tls::choose_provider();
        screen::place_windows(home);
        let port = free_port();
        let mut command = Command::new("WebKitWebDriver");
        command.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true").env("TAURI_AUTOMATION", "true");
        in_profile(&mut command, home).stdout(Stdio::null()).stderr(Stdio::null());
        let driver_process = command.spawn().expect("WebKitWebDriver is installed (package webkit2gtk-driver)");
        let mut capabilities = Capabilities::new();
        capabilities
            .set("webkitgtk:browserOptions".to_owned(), serde_json::json!({ "binary": app(), "args": [] }))
            .expect("plain JSON");
        let url = format!("http://127.0.0.1:{port}");
        let web =
            until("the application's first window", || async { WebDriver::new(&url, capabilities.clone()).await.ok() })
                .await;
        Self { story, home: home.to_owned(), driver_process, web }
    }

    /// `kill -9` to the application itself.
    ///
    /// # Panics
    /// When it is not running.
    pub fn kill(self) {
        assert!(self.pid().is_some(), "the application runs");
    }

    /// Ends the application through its driver, and waits until its process is gone.
    pub async fn quit(self) {
        let pid = self.pid();
        self.web.clone().quit().await.ok();
        if let Some(pid) = pid {
            let process = format!("/proc/{pid}");
            until("the application to end", || async { (!Path::new(&process).exists()).then_some(()) }).await;
        }
    }

    /// Starts the program once more on the same profile, on this session bus (the session's own if `None`), and
    /// waits until that second process ends.
    pub async fn second_start(&self, bus: Option<&str>) -> Output {
        let mut command = Command::new(app());
        in_profile(&mut command, &self.home).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(address) = bus {
            command.env("DBUS_SESSION_BUS_ADDRESS", address);
        }
        let second = command.spawn().expect("the application's binary runs");
        tokio::task::spawn_blocking(|| second.wait_with_output()).await.expect("it was waited for").expect("it ended")
    }

    /// Whether the application's process is there.
    pub fn is_running(&self) -> bool {
        self.pid().is_some()
    }

    fn pid(&self) -> Option<u32> {
        let app = app().canonicalize().ok()?;
        let home = format!("ONCEOVER_HOME={}", self.home.display());
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
            let is_app = std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == app);
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            is_app && environment.split(|byte| *byte == 0).any(|entry| entry == home.as_bytes())
        })
    }
}

/// Whatever became of the story, neither process outlives it, and a story that failed leaves a picture.
impl Drop for Desktop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            screen::take_picture(&format!("{}-failed", self.story));
        }
        if let Some(pid) = self.pid() {
            Command::new("kill").args(["-9", &pid.to_string()]).status().ok();
        }
        self.driver_process.kill().ok();
        self.driver_process.wait().ok();
        // Its own end would ask a driver that is gone to end the session, and wait two minutes for the answer.
        self.web.clone().leak().ok();
    }
}

fn app() -> PathBuf {
    binary("onceover-desktop", "ONCEOVER_DESKTOP_BIN")
}

/// The profile and where its secrets are kept: as the command line of the stories has it, so that both can use one.
fn in_profile<'a>(command: &'a mut Command, home: &Path) -> &'a mut Command {
    command
        .env("ONCEOVER_HOME", home)
        .env("ONCEOVER_VAULT", "file")
        .env("ONCEOVER_VAULT_PASSPHRASE", "a passphrase for stories")
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("a bound port").port()
}
