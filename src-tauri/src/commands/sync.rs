//! Sending and receiving as a whole.

use engine::engine::Trigger;
use engine::view::{SyncStatus, Versions};
use tauri::State;

use crate::ipc::{Reply, SetPausedArgs, SinceArgs};
use crate::wiring::Desk;

/// The connection and the outbox in numbers.
#[tauri::command]
pub(crate) async fn sync_status(desk: State<'_, Desk>, args: SinceArgs) -> Reply<SyncStatus> {
    Ok(desk.engine()?.sync_status(args.since).await?)
}

/// The newest version of each scope.
#[tauri::command]
pub(crate) async fn versions(desk: State<'_, Desk>) -> Reply<Versions> {
    Ok(desk.versions().await?)
}

/// Sends and pulls now, without waiting out any back-off. What came of it, signals say.
#[tauri::command]
pub(crate) async fn sync_now(desk: State<'_, Desk>) -> Reply<()> {
    desk.engine()?.nudge(Trigger::TryNow);
    Ok(())
}

/// Pauses or resumes sending.
#[tauri::command]
pub(crate) async fn set_paused(desk: State<'_, Desk>, args: SetPausedArgs) -> Reply<()> {
    desk.engine()?.set_paused(args.paused);
    Ok(())
}
