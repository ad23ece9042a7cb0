//! The windows: one a label, where it last stood, and no way out of it.
//!
//! A window shows what the program carries inside: it navigates nowhere, opens nothing, and downloads nothing.

mod kind;
mod memory;
mod place;

use std::time::Duration;

use tauri::webview::{Color, NewWindowResponse};
use tauri::{AppHandle, Manager, Theme, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent};

use self::kind::MINIMUM;
pub(crate) use self::memory::Memory;
use self::place::{Place, Screen};
use crate::ipc::WindowKind;
use crate::wiring;

/// How long a window rests before its place is stored.
const REST: Duration = Duration::from_millis(500);
/// `--bg-surface` of the dark theme.
const DARK: Color = Color(0x14, 0x19, 0x1b, 0xff);

/// Shows the window of this kind: the one that is open, else a new one.
pub(crate) fn open(app: &AppHandle, kind: WindowKind) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(&kind.label()) {
        return bring_forward(&window);
    }
    let place = place_for(app, kind);
    let window = WebviewWindowBuilder::new(app, kind.label(), WebviewUrl::App("index.html".into()))
        .title(kind.first_title())
        .inner_size(place.width, place.height)
        .min_inner_size(MINIMUM.width, MINIMUM.height)
        .position(place.x, place.y)
        .maximized(place.maximized)
        .data_directory(app.state::<Memory>().webview_folder())
        .zoom_hotkeys_enabled(true)
        .devtools(cfg!(debug_assertions))
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .enable_clipboard_access()
        .build()?;
    if window.theme().is_ok_and(|theme| theme == Theme::Dark) {
        // Until the interface is drawn, its own dark surface shows instead of white.
        window.set_background_color(Some(DARK))?;
    }
    watch(&window, kind);
    Ok(())
}

/// Brings the main window forward: a second start of the program does this.
pub(crate) fn focus_main(app: &AppHandle) {
    if app.try_state::<Memory>().is_none() {
        // Still starting: the window is about to come by itself.
        return;
    }
    if let Err(error) = open(app, WindowKind::Main) {
        tracing::warn!(%error, "the main window could not be brought forward");
    }
}

fn bring_forward(window: &WebviewWindow) -> tauri::Result<()> {
    window.unminimize()?;
    window.show()?;
    window.set_focus()
}

/// Whether `url` is the interface itself.
fn is_ours(url: &Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("tauri", Some("localhost")) | ("http" | "https", Some("tauri.localhost")) => true,
        ("http", Some("localhost")) => tauri::is_dev() && url.port() == Some(1420),
        _ => false,
    }
}

fn place_for(app: &AppHandle, kind: WindowKind) -> Place {
    let screens = screens(app);
    let others: Vec<Place> = app
        .webview_windows()
        .into_iter()
        .filter(|(label, _)| WindowKind::of(label).is_some_and(|other| other.name() == kind.name()))
        .filter_map(|(_, window)| place_of(&window).ok())
        .collect();
    let remembered = app.state::<Memory>().place(kind.name());
    let place = remembered.or_else(|| screens.first().map(|screen| Place::centred(kind.default_size(), *screen)));
    let size = kind.default_size();
    let fallback = Place { x: 0.0, y: 0.0, width: size.width, height: size.height, maximized: false };
    place.unwrap_or(fallback).beside(&others).onto(&screens)
}

/// The usable parts of the monitors, the primary one first.
fn screens(app: &AppHandle) -> Vec<Screen> {
    let primary = app.primary_monitor().ok().flatten();
    let all = app.available_monitors().unwrap_or_default();
    let screen = |monitor: &tauri::Monitor| {
        let (scale, area) = (monitor.scale_factor(), monitor.work_area());
        let (position, size) = (area.position.to_logical::<f64>(scale), area.size.to_logical::<f64>(scale));
        Screen { x: position.x, y: position.y, width: size.width, height: size.height }
    };
    let mut screens: Vec<Screen> = primary.iter().map(screen).collect();
    screens.extend(
        all.iter().map(screen).filter(|found| !primary.iter().any(|first| screen(first) == *found)).collect::<Vec<_>>(),
    );
    screens
}

fn place_of(window: &WebviewWindow) -> tauri::Result<Place> {
    let scale = window.scale_factor()?;
    let position = window.outer_position()?.to_logical::<f64>(scale);
    let size = window.inner_size()?.to_logical::<f64>(scale);
    let maximized = window.is_maximized()?;
    Ok(Place { x: position.x, y: position.y, width: size.width, height: size.height, maximized })
}

fn watch(window: &WebviewWindow, kind: WindowKind) {
    let watched = window.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::Moved(_) | WindowEvent::Resized(_) => {
            note(&watched, kind);
            store_after_rest(watched.app_handle());
        }
        WindowEvent::CloseRequested { .. } => {
            note(&watched, kind);
            watched.state::<Memory>().store();
        }
        WindowEvent::Focused(true) => wiring::look_now(watched.app_handle()),
        _ => {}
    });
}

/// Notes where `window` stands. While it is maximized or minimized only that is noted: the frame it goes back to stays.
fn note(window: &WebviewWindow, kind: WindowKind) {
    let Ok(place) = place_of(window) else { return };
    if window.is_minimized().unwrap_or(false) {
        return;
    }
    let memory = window.state::<Memory>();
    match memory.place(kind.name()) {
        Some(before) if place.maximized => memory.note(kind.name(), Place { maximized: true, ..before }),
        _ => memory.note(kind.name(), place),
    }
}

fn store_after_rest(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(REST).await;
        app.state::<Memory>().store();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_at_home() {
        assert!(is_ours(&"tauri://localhost/index.html".parse().unwrap()));
        for elsewhere in
            ["https://example.com/", "tauri://elsewhere/", "file:///etc/passwd", "data:text/html,x", "about:blank"]
        {
            assert!(!is_ours(&elsewhere.parse().unwrap()), "{elsewhere}");
        }
    }
}
