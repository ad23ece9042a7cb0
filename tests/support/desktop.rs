//! The real application in real windows, driven by WebKitWebDriver. Needs an X display (`cargo xtask test` gives one).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use thirtyfour::error::WebDriverResult;
use thirtyfour::{By, Capabilities, WebDriver, WebElement, WindowHandle};

use crate::server::{PASSWORD, TENANT, binary};
use crate::wait::until;

/// The application on one profile.
pub struct Desktop {
    home: PathBuf,
    driver_process: Child,
    /// The WebDriver session.
    pub web: WebDriver,
}

impl Desktop {
    /// Starts the application on the profile in `home`.
    ///
    /// # Panics
    /// When no window appears.
    pub async fn started(home: &Path) -> Self {
        crate::tls::choose_provider();
        let port = free_port();
        let driver_process = Command::new("WebKitWebDriver")
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("TAURI_AUTOMATION", "true")
            .env("ONCEOVER_HOME", home)
            .env("ONCEOVER_VAULT", "file")
            .env("ONCEOVER_VAULT_PASSPHRASE", "a passphrase for stories")
            .env("WEBKIT_DISABLE_COMPOSITING_MODE", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver is installed (package webkit2gtk-driver)");
        let mut capabilities = Capabilities::new();
        let app = binary("onceover-desktop", "ONCEOVER_DESKTOP_BIN");
        capabilities
            .set("webkitgtk:browserOptions".to_owned(), serde_json::json!({ "binary": app, "args": [] }))
            .expect("plain JSON");
        let url = format!("http://127.0.0.1:{port}");
        let web =
            until("the application's first window", || async { WebDriver::new(&url, capabilities.clone()).await.ok() })
                .await;
        Self { home: home.to_owned(), driver_process, web }
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

    fn pid(&self) -> Option<u32> {
        let app = binary("onceover-desktop", "ONCEOVER_DESKTOP_BIN").canonicalize().ok()?;
        let home = format!("ONCEOVER_HOME={}", self.home.display());
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
            let is_app = std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == app);
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            is_app && environment.split(|byte| *byte == 0).any(|entry| entry == home.as_bytes())
        })
    }

    /// The element with this test id, once it is shown.
    pub async fn find(&self, test_id: &str) -> WebElement {
        self.find_css(&format!("[data-testid='{test_id}']")).await
    }

    /// The element of this selector, once it is shown.
    pub async fn find_css(&self, selector: &str) -> WebElement {
        until(selector, || async {
            let element = self.web.find(By::Css(selector)).await.ok()?;
            element.is_displayed().await.unwrap_or(false).then_some(element)
        })
        .await
    }

    /// Waits until the element with this test id contains `part`.
    pub async fn wait_for_text(&self, test_id: &str, part: &str) {
        let selector = format!("[data-testid='{test_id}']");
        until(&format!("{part:?} in {test_id}"), || async {
            let text = self.web.find(By::Css(&selector)).await.ok()?.prop("textContent").await.ok()??;
            text.contains(part).then_some(())
        })
        .await;
    }

    /// Waits until no element of this selector is there.
    pub async fn wait_until_gone(&self, selector: &str) {
        until(&format!("{selector} to go"), || async {
            self.web.find_all(By::Css(selector)).await.ok()?.is_empty().then_some(())
        })
        .await;
    }

    /// Replaces the text of a field.
    pub async fn type_into(&self, test_id: &str, text: &str) -> WebDriverResult<()> {
        let field = self.find(test_id).await;
        field.clear().await?;
        field.send_keys(text).await
    }

    /// Presses the element with this test id.
    pub async fn press(&self, test_id: &str) -> WebDriverResult<()> {
        self.find(test_id).await.click().await
    }

    /// Signs in with the stories' password and waits for the list.
    pub async fn sign_in(&self, server: &str, user: &str) -> WebDriverResult<()> {
        self.type_into("signin-server", server).await?;
        self.type_into("signin-tenant", TENANT).await?;
        self.type_into("signin-username", user).await?;
        self.type_into("signin-password", PASSWORD).await?;
        self.press("signin-submit").await?;
        self.find("case-list").await;
        Ok(())
    }

    /// Goes to the window in which `selector` is found.
    pub async fn go_to_window_with(&self, selector: &str) -> WindowHandle {
        until(&format!("a window with {selector}"), || async {
            for handle in self.web.windows().await.ok()? {
                self.web.switch_to_window(handle.clone()).await.ok()?;
                if self.web.find(By::Css(selector)).await.is_ok() {
                    return Some(handle);
                }
            }
            None
        })
        .await
    }

    /// Writes a picture of the whole screen to `artifacts/desktop/NAME.png`.
    ///
    /// # Panics
    /// When the screen cannot be read.
    pub async fn picture(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../artifacts/desktop");
        std::fs::create_dir_all(&folder).expect("the artifacts' folder can be made");
        // What was just changed must be drawn before it can be taken.
        tokio::time::sleep(Duration::from_millis(400)).await;
        let file = folder.join(format!("{name}.png"));
        let taken = Command::new("import").args(["-window", "root"]).arg(&file).status();
        assert!(taken.is_ok_and(|status| status.success()), "a picture is taken (package imagemagick)");
    }
}

/// Whatever became of the story, neither process outlives it.
impl Drop for Desktop {
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            Command::new("kill").args(["-9", &pid.to_string()]).status().ok();
        }
        self.driver_process.kill().ok();
        self.driver_process.wait().ok();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("a bound port").port()
}
