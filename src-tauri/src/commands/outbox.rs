//! Changes on their way to the server.

use engine::view::{AskAnswer, Discarded, OutboxDetail, OutboxPage, Saved};
use tauri::State;

use crate::ipc::{CommandArgs, OutboxResolveArgs, Reply, SinceArgs};
use crate::wiring::Desk;

/// The sync centre's lists.
#[tauri::command]
pub(crate) async fn outbox_page(desk: State<'_, Desk>, args: SinceArgs) -> Reply<OutboxPage> {
    let engine = desk.engine()?;
    Ok(engine.store().outbox_page(args.since, engine.ambient()).await?)
}

/// One change with its past.
#[tauri::command]
pub(crate) async fn outbox_detail(desk: State<'_, Desk>, args: CommandArgs) -> Reply<Option<OutboxDetail>> {
    let engine = desk.engine()?;
    Ok(engine.store().outbox_detail(args.command_id, engine.ambient()).await?)
}

/// Sends a change now, whatever it waits for.
#[tauri::command]
pub(crate) async fn outbox_retry(desk: State<'_, Desk>, args: CommandArgs) -> Reply<()> {
    Ok(desk.engine()?.retry(args.command_id).await?)
}

/// Sends every waiting change now.
#[tauri::command]
pub(crate) async fn outbox_retry_all(desk: State<'_, Desk>) -> Reply<()> {
    desk.engine()?.retry_all().await?;
    Ok(())
}

/// Says again that a change is meant that had become too old, and sends it.
#[tauri::command]
pub(crate) async fn outbox_confirm(desk: State<'_, Desk>, args: CommandArgs) -> Reply<()> {
    Ok(desk.engine()?.confirm(args.command_id).await?)
}

/// Asks the server what became of a change in doubt.
#[tauri::command]
pub(crate) async fn outbox_ask(desk: State<'_, Desk>, args: CommandArgs) -> Reply<AskAnswer> {
    Ok(desk.engine()?.ask(args.command_id).await?)
}

/// Makes the server never apply a change in doubt, unless it has.
#[tauri::command]
pub(crate) async fn outbox_seal(desk: State<'_, Desk>, args: CommandArgs) -> Reply<AskAnswer> {
    Ok(desk.engine()?.seal(args.command_id).await?)
}

/// Discards a change; the question before it said that one in doubt may have reached the server.
#[tauri::command]
pub(crate) async fn outbox_discard(desk: State<'_, Desk>, args: CommandArgs) -> Reply<Discarded> {
    let even_in_doubt = true;
    Ok(desk.engine()?.discard(args.command_id, even_in_doubt).await?)
}

/// Decides a conflict.
#[tauri::command]
pub(crate) async fn outbox_resolve(desk: State<'_, Desk>, args: OutboxResolveArgs) -> Reply<Option<Saved>> {
    Ok(desk.engine()?.resolve(args.command_id, args.decision).await?)
}
