//! Signing in and out.

use client::SignOutChoice as Choice;
use client::http::ServerProbe;
use engine::view::SessionView;
use tauri::State;

use crate::ipc::{ProbeServerArgs, Reply, SignInArgs, SignOutArgs, SignOutChoice};
use crate::wiring::Desk;

/// Who is signed in, and what the person must be told.
#[tauri::command]
pub(crate) async fn session_state(desk: State<'_, Desk>) -> Reply<SessionView> {
    Ok(desk.session().await?)
}

/// Whether an Onceover server answers at an address.
#[tauri::command]
pub(crate) async fn probe_server(desk: State<'_, Desk>, args: ProbeServerArgs) -> Reply<ServerProbe> {
    Ok(desk.probe(&args.server).await?)
}

/// Signs in.
#[tauri::command]
pub(crate) async fn sign_in(desk: State<'_, Desk>, args: SignInArgs) -> Reply<SessionView> {
    let SignInArgs { server, tenant, username, password } = args;
    Ok(desk.sign_in(&server, &tenant, &username, password.0).await?)
}

/// Signs out. With another number of open changes than the person confirmed, nothing is done.
#[tauri::command]
pub(crate) async fn sign_out(desk: State<'_, Desk>, args: SignOutArgs) -> Reply<SessionView> {
    let choice = match args.choice {
        SignOutChoice::Keep => Choice::Keep,
        SignOutChoice::Discard { confirmed_count } => Choice::Discard { confirmed_count },
    };
    Ok(desk.sign_out(Some(choice)).await?)
}

/// The person looks at what could be read back of a damaged store. The rows stay held until each is put back or
/// discarded.
#[tauri::command]
pub(crate) async fn acknowledge_damage(desk: State<'_, Desk>) -> Reply<()> {
    Ok(desk.acknowledge_damage().await?)
}
