//! What a person does in the window that is driven: look, press, type, go to another window.

use serde_json::Value;
use thirtyfour::components::SelectElement;
use thirtyfour::error::{WebDriverError, WebDriverErrorInner};
use thirtyfour::{By, WebElement};

use super::Desktop;
use crate::server::{PASSWORD, TENANT};
use crate::wait::until;

/// The selector of a test id.
pub fn id(test_id: &str) -> String {
    format!("[data-testid='{test_id}']")
}

impl Desktop {
    /// The element of this selector, once it is shown.
    pub async fn find(&self, selector: &str) -> WebElement {
        until(selector, || async {
            let element = self.web.find(By::Css(selector)).await.ok()?;
            element.is_displayed().await.unwrap_or(false).then_some(element)
        })
        .await
    }

    /// Waits until what `selector` finds contains `part`, and returns its whole text.
    pub async fn wait_for_text(&self, selector: &str, part: &str) -> String {
        until(&format!("{part:?} in {selector}"), || async {
            let text = self.text_now(selector).await?;
            text.contains(part).then_some(text)
        })
        .await
    }

    /// The text of what `selector` finds, as it stands now.
    pub async fn text_now(&self, selector: &str) -> Option<String> {
        // Not what the driver calls text: that is empty for a window behind another.
        let text = self.web.find(By::Css(selector)).await.ok()?.prop("textContent").await.ok()??;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// How many elements `selector` finds now.
    ///
    /// # Panics
    /// When the window does not answer.
    pub async fn count(&self, selector: &str) -> usize {
        self.web.find_all(By::Css(selector)).await.expect("the window answers").len()
    }

    /// Waits until no element of this selector is there.
    pub async fn wait_until_gone(&self, selector: &str) {
        until(&format!("{selector} to go"), || async {
            self.web.find_all(By::Css(selector)).await.ok()?.is_empty().then_some(())
        })
        .await;
    }

    /// Presses what `selector` finds, once it can be pressed.
    ///
    /// # Panics
    /// When it cannot be pressed for another reason than that it is not ready yet.
    pub async fn press(&self, selector: &str) {
        until(&format!("to press {selector}"), || async {
            let element = self.find(selector).await;
            if !element.is_enabled().await.unwrap_or(false) {
                return None;
            }
            match element.click().await {
                Ok(()) => Some(()),
                Err(error) if is_not_ready(&error) => None,
                Err(error) => panic!("{selector} cannot be pressed: {error}"),
            }
        })
        .await;
    }

    /// Replaces the text of a field.
    ///
    /// # Panics
    /// When it takes no text.
    pub async fn type_into(&self, selector: &str, text: &str) {
        let field = self.find(selector).await;
        field.clear().await.expect("the field is a field");
        field.send_keys(text).await.expect("the field takes text");
    }

    /// Chooses the option of this value in a list of choices.
    ///
    /// # Panics
    /// When there is no such choice.
    pub async fn choose(&self, selector: &str, value: &str) {
        let list = SelectElement::new(&self.find(selector).await).await.expect("a list of choices");
        list.select_by_value(value).await.expect("it has the choice");
    }

    /// Presses keys where the focus is.
    ///
    /// # Panics
    /// When the window does not answer.
    pub async fn keys(&self, keys: impl Into<thirtyfour::TypingData>) {
        let focused = self.web.active_element().await.expect("something has the focus");
        focused.send_keys(keys).await.expect("it takes keys");
    }

    /// Runs a script in the window and returns what it returns.
    ///
    /// # Panics
    /// When the script fails.
    pub async fn run(&self, script: &str) -> Value {
        self.web.execute(script, Vec::new()).await.expect("the script runs").json().clone()
    }

    /// Signs in with the stories' password and waits for the list.
    pub async fn sign_in(&self, server: &str, user: &str) {
        self.type_into(&id("signin-server"), server).await;
        self.type_into(&id("signin-tenant"), TENANT).await;
        self.type_into(&id("signin-username"), user).await;
        self.type_into(&id("signin-password"), PASSWORD).await;
        self.press(&id("signin-submit")).await;
        self.find(&id("case-list")).await;
    }

    /// Goes to the window whose label begins so (`main`, `sync`, `case-ID`, `conflict-ID`), once it is there, and
    /// returns the whole label.
    pub async fn go_to_window(&self, label: &str) -> String {
        until(&format!("the window {label}"), || self.try_window(label)).await
    }

    /// The labels of all windows.
    ///
    /// # Panics
    /// When the driver does not answer.
    pub async fn windows(&self) -> Vec<String> {
        let here = self.web.window().await.ok();
        let mut labels = Vec::new();
        for handle in self.web.windows().await.expect("the driver lists the windows") {
            if self.web.switch_to_window(handle).await.is_ok() {
                labels.extend(self.label().await);
            }
        }
        if let Some(here) = here {
            self.web.switch_to_window(here).await.ok();
        }
        labels
    }

    /// Waits until no window has this label.
    pub async fn wait_until_closed(&self, label: &str) {
        until(&format!("the window {label} to close"), || async {
            (!self.windows().await.iter().any(|open| open == label)).then_some(())
        })
        .await;
    }

    /// Where the window stands: x, y, width and height.
    ///
    /// # Panics
    /// When the window does not say.
    pub async fn place(&self) -> [i64; 4] {
        let place = self.run("return [screenX, screenY, innerWidth, innerHeight]").await;
        serde_json::from_value(place).expect("four numbers")
    }

    async fn try_window(&self, beginning: &str) -> Option<String> {
        for handle in self.web.windows().await.ok()? {
            if self.web.switch_to_window(handle).await.is_err() {
                continue;
            }
            if let Some(label) = self.label().await.filter(|label| label.starts_with(beginning)) {
                return Some(label);
            }
        }
        None
    }

    async fn label(&self) -> Option<String> {
        let script = "return window.__TAURI_INTERNALS__?.metadata.currentWindow.label";
        let label = self.web.execute(script, Vec::new()).await.ok()?;
        label.json().as_str().map(str::to_owned)
    }
}

/// Drawn anew, moving or covered just now.
fn is_not_ready(error: &WebDriverError) -> bool {
    matches!(
        error.as_inner(),
        WebDriverErrorInner::StaleElementReference(_)
            | WebDriverErrorInner::NoSuchElement(_)
            | WebDriverErrorInner::ElementNotInteractable(_)
            | WebDriverErrorInner::ElementClickIntercepted(_)
    )
}
