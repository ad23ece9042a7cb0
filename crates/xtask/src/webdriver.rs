//! As much of W3C `WebDriver` as the demo needs to drive the app's window: over plain HTTP, one blocking call each.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::run::{self, Background};
use crate::session::Session;

/// How long the app may take to show its first window.
const FIRST_WINDOW: Duration = Duration::from_secs(90);
/// How long anything on the screen may take to appear or go.
pub(crate) const APPEAR: Duration = Duration::from_secs(45);
/// The name under which `WebDriver` hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The app in a window, driven from here. Both end when it is dropped.
pub(crate) struct Browser {
    agent: ureq::Agent,
    /// `http://127.0.0.1:PORT/session/ID`
    session: String,
    _driver: Background,
}

impl Browser {
    /// Starts `app` inside `session` with `environment` and waits for its window.
    ///
    /// # Errors
    /// The driver or the app does not start.
    pub(crate) fn start(session: &Session, app: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).context("find a free port")?.port();
        let mut command = Command::new("WebKitWebDriver");
        command.args(["--host=127.0.0.1", &format!("--port={port}")]);
        command
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("TAURI_AUTOMATION", "true")
            .envs(environment.iter().copied());
        session.enter(&mut command).stdin(Stdio::null()).stdout(Stdio::null());
        let driver = Background::start(&mut command, &session.log("window"))?;
        let config = ureq::Agent::config_builder().timeout_global(Some(FIRST_WINDOW)).http_status_as_error(false);
        let agent: ureq::Agent = config.build().into();
        let server = format!("http://127.0.0.1:{port}");
        run::wait_for("WebKitWebDriver", Duration::from_secs(20), || {
            call(&agent, "GET", &format!("{server}/status"), None)
        })?;
        let wanted =
            json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": {"binary": app, "args": []}}}});
        let opened =
            call(&agent, "POST", &format!("{server}/session"), Some(&wanted)).context("open the app's window")?;
        let id = opened["sessionId"].as_str().context("the driver gave no session")?;
        Ok(Self { session: format!("{server}/session/{id}"), agent, _driver: driver })
    }

    fn get(&self, path: &str) -> Result<Value> {
        call(&self.agent, "GET", &format!("{}/{path}", self.session), None)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        call(&self.agent, "POST", &format!("{}/{path}", self.session), Some(body))
    }

    fn all(&self, selector: &str) -> Result<Vec<String>> {
        let found = self.post("elements", &json!({"using": "css selector", "value": selector}))?;
        let elements = found.as_array().context("the driver gave no list of elements")?;
        Ok(elements.iter().filter_map(|element| element[ELEMENT].as_str().map(str::to_owned)).collect())
    }

    /// The first element that `selector` finds and that is shown, waiting for it.
    ///
    /// # Errors
    /// None appears.
    pub(crate) fn find(&self, selector: &str) -> Result<String> {
        run::wait_for(&format!("{selector} on the screen"), APPEAR, || {
            for element in self.all(selector)? {
                if self.get(&format!("element/{element}/displayed"))? == true {
                    return Ok(element);
                }
            }
            bail!("nothing like it is shown")
        })
    }

    /// Waits until `selector` finds nothing.
    ///
    /// # Errors
    /// It stays.
    pub(crate) fn wait_until_gone(&self, selector: &str) -> Result<()> {
        run::wait_for(&format!("{selector} to go"), APPEAR, || {
            ensure!(self.all(selector)?.is_empty(), "it is still shown");
            Ok(())
        })
    }

    /// The first element of `selector` whose text contains `part`, waiting for it.
    ///
    /// # Errors
    /// None does.
    pub(crate) fn find_with_text(&self, selector: &str, part: &str) -> Result<String> {
        run::wait_for(&format!("{part:?} in {selector}"), APPEAR, || {
            let mut texts = Vec::new();
            for element in self.all(selector)? {
                let text = self.text(&element)?;
                if text.contains(part) {
                    return Ok(element);
                }
                texts.push(text);
            }
            bail!("it shows {texts:?}")
        })
    }

    /// What an element says, whether or not it is clipped.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn text(&self, element: &str) -> Result<String> {
        Ok(self.get(&format!("element/{element}/property/textContent"))?.as_str().unwrap_or_default().to_owned())
    }

    /// An attribute of an element.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn attribute(&self, element: &str, name: &str) -> Result<Option<String>> {
        Ok(self.get(&format!("element/{element}/attribute/{name}"))?.as_str().map(str::to_owned))
    }

    /// Presses what `selector` finds, once it can be pressed.
    ///
    /// # Errors
    /// It does not appear, or something stays in front of it.
    pub(crate) fn press(&self, selector: &str) -> Result<()> {
        run::wait_for(&format!("pressing {selector}"), APPEAR, || {
            let element = self.find(selector)?;
            self.post(&format!("element/{element}/click"), &json!({})).map(drop)
        })
    }

    /// Replaces the text of the field that `selector` finds.
    ///
    /// # Errors
    /// It does not appear or takes no text.
    pub(crate) fn type_into(&self, selector: &str, text: &str) -> Result<()> {
        let field = self.find(selector)?;
        self.post(&format!("element/{field}/clear"), &json!({}))?;
        self.post(&format!("element/{field}/value"), &json!({ "text": text })).map(drop)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends the app with its session; if it cannot, ending the driver's process group does.
        let _ = call(&self.agent, "DELETE", &self.session, None);
    }
}

fn call(agent: &ureq::Agent, method: &str, url: &str, body: Option<&Value>) -> Result<Value> {
    let answer = match (method, body) {
        ("POST", body) => agent.post(url).send_json(body.unwrap_or(&Value::Null)),
        ("DELETE", _) => agent.delete(url).call(),
        _ => agent.get(url).call(),
    };
    let mut answer = answer.context("speak to WebKitWebDriver")?;
    let status = answer.status();
    let read = answer.body_mut().with_config().limit(64 << 20).read_json::<Value>();
    let value = read.context("read WebKitWebDriver's answer")?["value"].take();
    ensure!(
        status.is_success(),
        "{}: {}",
        value["error"].as_str().unwrap_or("error"),
        value["message"].as_str().unwrap_or("")
    );
    Ok(value)
}
