//! Windows: opening them, and what one knows about itself.

use tauri::{Manager, WebviewWindow};

use crate::ipc::{Code, CommandArgs, IpcError, OpenCaseWindowArgs, Reply, SetWindowTitleArgs, WindowKind};
use crate::windows;

/// Opens the window of a case, or brings it forward.
#[tauri::command]
pub(crate) async fn open_case_window(window: WebviewWindow, args: OpenCaseWindowArgs) -> Reply<()> {
    open(&window, WindowKind::Case { id: args.id })
}

/// Opens the sync centre, or brings it forward.
#[tauri::command]
pub(crate) async fn open_sync_centre(window: WebviewWindow) -> Reply<()> {
    open(&window, WindowKind::Sync)
}

/// Opens the window of a conflict, or brings it forward.
#[tauri::command]
pub(crate) async fn open_conflict_window(window: WebviewWindow, args: CommandArgs) -> Reply<()> {
    open(&window, WindowKind::Conflict { command_id: args.command_id })
}

/// Which window asks.
#[tauri::command]
pub(crate) async fn window_kind(window: WebviewWindow) -> Reply<WindowKind> {
    WindowKind::of(window.label()).ok_or_else(|| IpcError::new(Code::NotFound, "this window has no kind"))
}

/// Names the asking window.
#[tauri::command]
pub(crate) async fn set_window_title(window: WebviewWindow, args: SetWindowTitleArgs) -> Reply<()> {
    window.set_title(&args.title).map_err(|error| IpcError::internal("name the window", &error))
}

fn open(window: &WebviewWindow, kind: WindowKind) -> Reply<()> {
    windows::open(window.app_handle(), kind).map_err(|error| IpcError::internal("open the window", &error))
}
